// A scenario: what happens to a market, and what is expected of it (README.md has the language).
//
//   absl::StatusOr<Scenario> scenario = ReadScenario("lending.scenario", text);
#ifndef QMARKET_TESTS_SCENARIOS_SCENARIO_H_
#define QMARKET_TESTS_SCENARIOS_SCENARIO_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "matcher/core/input.h"
#include "tests/matcher/facts.h"

namespace qmarket {

// One record of the log. Its offset is its place in the scenario.
struct Arrival {
  std::variant<Event, Malformed> event;
  std::optional<std::int64_t> append_time_ms;
};

// A line that says what happens: one event, or many of a kind.
struct Happening {
  int line = 0;
  std::string text;
  std::vector<Arrival> arrivals;
};

// A column and the value that it should have.
struct ExpectedValue {
  std::size_t column = 0;
  std::string value;
};

// That a table has a row with these keys and values; or that it has no row with these first keys.
struct Expectation {
  int line = 0;
  std::string text;
  const Schema* schema = nullptr;
  std::vector<std::string> keys;
  std::vector<ExpectedValue> values;
  bool nothing = false;
};

struct Scenario {
  std::string name;
  std::vector<std::variant<Happening, Expectation>> steps;
};

// Rows of the table that lists what the last event line changed in the state.
[[nodiscard]] const Schema& ChangedSchema();

// Errors (InvalidArgument): "NAME:LINE: expected ..., found ...". Also where nothing is expected at
// all, or where the scenario does not begin with a comment.
[[nodiscard]] absl::StatusOr<Scenario> ReadScenario(absl::string_view name, absl::string_view text);

// The scenario's events as JSON Lines. FailedPrecondition where that form cannot say them: append
// times, bytes that are no event, numbers out of their ranges.
[[nodiscard]] absl::StatusOr<std::string> EventsAsJson(const Scenario& scenario);

}  // namespace qmarket

#endif  // QMARKET_TESTS_SCENARIOS_SCENARIO_H_
