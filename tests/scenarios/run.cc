#include "tests/scenarios/run.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "events/check.h"
#include "tests/matcher/inputs.h"
#include "tests/matcher/invariants.h"

namespace qmarket {

namespace {

constexpr std::size_t kMostRowsShown = 40;

Input InputOf(const Arrival& arrival, std::uint64_t offset) {
  Input input;
  if (const Event* event = std::get_if<Event>(&arrival.event)) {
    input = InputOf(*event, offset);
  } else {
    input.event = std::get<Malformed>(arrival.event);
    input.offset = offset;
  }
  input.append_time_ms = arrival.append_time_ms;
  return input;
}

bool IsTick(const Input& input) {
  const Event* event = std::get_if<Event>(&input.event);
  return event != nullptr && std::holds_alternative<ClockTicked>(event->payload);
}

std::string KeysOf(const Schema& schema, const Row& row) {
  return absl::StrJoin(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(schema.keys), " ");
}

// What differs between two states, but for the market's own clock.
Table Changes(const std::vector<Table>& before, const std::vector<Table>& after) {
  Table changed{.schema = &ChangedSchema(), .rows = {}};
  for (std::size_t t = 0; t < after.size(); ++t) {
    const Schema& schema = *after[t].schema;
    if (schema.keys == 0) continue;
    for (const Row& row : after[t].rows) {
      const std::string name = KeysOf(schema, row);
      const auto old = std::ranges::find_if(
          before[t].rows, [&](const Row& other) { return KeysOf(schema, other) == name; });
      for (std::size_t c = schema.keys; c < row.size(); ++c) {
        const std::string was = old == before[t].rows.end() ? "" : (*old)[c];
        if (was != row[c]) {
          changed.rows.push_back({schema.name, name, schema.columns[c].name, was, row[c]});
        }
      }
    }
  }
  return changed;
}

class Runner {
 public:
  explicit Runner(const Scenario& scenario) : scenario_(scenario) {}

  RunReport Run() {
    std::optional<Happening> last;
    for (const auto& step : scenario_.steps) {
      if (const Happening* happening = std::get_if<Happening>(&step)) {
        if (last) EndOf(*last);
        if (!failures_.empty()) return Report();
        Apply(*happening);
        last = *happening;
        expects_rejection_ = false;
      } else {
        Check(std::get<Expectation>(step));
      }
    }
    if (last) EndOf(*last);
    if (failures_.empty()) ApplyAgain();
    return Report();
  }

 private:
  RunReport Report() {
    return {.failures = std::move(failures_),
            .state = StateTables(market_),
            .outcomes = OutcomeTables(outcomes_)};
  }

  template <typename... Parts>
  void Fail(int line, const Parts&... parts) {
    failures_.push_back(absl::StrCat(scenario_.name, ":", line, ": ", parts...));
  }

  void Apply(const Happening& happening) {
    outcomes_.clear();
    before_line_ = StateTables(market_);
    for (const Arrival& arrival : happening.arrivals) {
      const Input input = InputOf(arrival, inputs_.size());
      const std::vector<Table> before = StateTables(market_);
      const Step step = market_.Apply(input);
      const bool rejected = std::ranges::any_of(step.outcomes, [](const Outcome& outcome) {
        return std::holds_alternative<EventRejected>(outcome);
      });
      if (rejected && (StateTables(market_) != before || !step.postings.empty())) {
        Fail(happening.line, "a rejected event changed the market");
      }
      for (const std::string& broken : BrokenInvariants(market_, IsTick(input) && !rejected)) {
        Fail(happening.line, "event ", inputs_.size(), " of the log broke an invariant: ", broken);
      }
      outcomes_.insert(outcomes_.end(), step.outcomes.begin(), step.outcomes.end());
      inputs_.push_back(input);
    }
    all_outcomes_.insert(all_outcomes_.end(), outcomes_.begin(), outcomes_.end());
    changed_ = Changes(before_line_, StateTables(market_));
  }

  // What is rejected must be expected, or a slip of the pen would pass unseen.
  void EndOf(const Happening& happening) {
    if (expects_rejection_) return;
    for (const Outcome& outcome : outcomes_) {
      const EventRejected* rejected = std::get_if<EventRejected>(&outcome);
      if (rejected == nullptr) continue;
      Fail(happening.line, "not expected: the event was rejected as ",
           RejectionCodeName(rejected->code), " (", rejected->message, "): ", happening.text);
    }
  }

  // The table as it is now.
  [[nodiscard]] Table TableOf(const Schema& schema) const {
    if (&schema == &ChangedSchema()) return changed_;
    for (Table& table : OutcomeTables(outcomes_)) {
      if (table.schema == &schema) return std::move(table);
    }
    for (Table& table : StateTables(market_)) {
      if (table.schema == &schema) return std::move(table);
    }
    QM_CHECK(false, "a table that there is not");
  }

  static bool HasKeys(const Row& row, const std::vector<std::string>& keys) {
    return std::equal(keys.begin(), keys.end(), row.begin());
  }

  void Check(const Expectation& expectation) {
    const Schema& schema = *expectation.schema;
    if (schema.name == "rejected") expects_rejection_ = true;
    const Table table = TableOf(schema);
    std::vector<Row> rows;
    for (const Row& row : table.rows) {
      if (HasKeys(row, expectation.keys)) rows.push_back(row);
    }
    if (expectation.nothing) {
      if (rows.empty()) return;
      Fail(expectation.line, "expected nothing, but there is ", absl::StrJoin(rows.front(), " "),
           ": ", expectation.text);
      return;
    }
    if (rows.empty()) {
      Fail(expectation.line, "there is no ", schema.name, " ", absl::StrJoin(expectation.keys, " "),
           ": ", expectation.text);
      return;
    }
    CheckValues(expectation, rows);
  }

  // One of the rows must have all the values; the first is compared with where none has.
  void CheckValues(const Expectation& expectation, const std::vector<Row>& rows) {
    const Schema& schema = *expectation.schema;
    const auto fits = [&](const Row& row) {
      return std::ranges::all_of(expectation.values, [&](const ExpectedValue& expected) {
        return row[expected.column] == expected.value;
      });
    };
    if (std::ranges::any_of(rows, fits)) return;
    for (const ExpectedValue& expected : expectation.values) {
      const std::string& actual = rows.front()[expected.column];
      if (actual == expected.value) continue;
      Fail(expectation.line, KeysOf(schema, rows.front()), " ",
           schema.columns[expected.column].name, ": expected ", expected.value, ", actual ", actual,
           ": ", expectation.text);
    }
  }

  // The same log gives the same outcomes.
  void ApplyAgain() {
    Market again;
    std::vector<Outcome> outcomes;
    for (const Input& input : inputs_) {
      const Step step = again.Apply(input);
      outcomes.insert(outcomes.end(), step.outcomes.begin(), step.outcomes.end());
    }
    if (outcomes != all_outcomes_ || StateTables(again) != StateTables(market_)) {
      Fail(1, "the same log, applied again, led to something else");
    }
  }

  const Scenario& scenario_;
  Market market_;
  std::vector<Input> inputs_;
  std::vector<Outcome> all_outcomes_;
  std::vector<std::string> failures_;
  // Of the last event line:
  std::vector<Outcome> outcomes_;
  std::vector<Table> before_line_;
  Table changed_;
  bool expects_rejection_ = false;
};

}  // namespace

RunReport RunScenario(const Scenario& scenario) {
  return Runner(scenario).Run();
}

std::string ToText(const RunReport& report) {
  std::string text;
  for (const auto* tables : {&report.state, &report.outcomes}) {
    for (Table table : *tables) {
      if (table.rows.empty()) continue;
      const std::size_t left_out = table.rows.size() - std::min(table.rows.size(), kMostRowsShown);
      table.rows.resize(table.rows.size() - left_out);
      absl::StrAppend(&text, table.schema->name, "\n", ToText(table));
      if (left_out > 0) absl::StrAppend(&text, "  and ", left_out, " more\n");
    }
  }
  return text;
}

}  // namespace qmarket
