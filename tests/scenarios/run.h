// Runs a scenario against the market's core.
//
// After every event all invariants are checked, and that a rejected event changed nothing. At the
// end the same log is applied once more: it must lead to the same outcomes.
#ifndef QMARKET_TESTS_SCENARIOS_RUN_H_
#define QMARKET_TESTS_SCENARIOS_RUN_H_

#include <string>
#include <vector>

#include "tests/matcher/facts.h"
#include "tests/scenarios/scenario.h"

namespace qmarket {

struct RunReport {
  std::vector<std::string> failures;  // "FILE:LINE: ..."; none where all is as expected
  std::vector<Table> state;           // at the end, or where it failed first
  std::vector<Table> outcomes;        // of the event line before that
};

[[nodiscard]] RunReport RunScenario(const Scenario& scenario);

// For people: the tables that have rows.
[[nodiscard]] std::string ToText(const RunReport& report);

}  // namespace qmarket

#endif  // QMARKET_TESTS_SCENARIOS_RUN_H_
