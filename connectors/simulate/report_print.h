// A simulation's report as people and programs read it.
//
// The table has rounded numbers with units. JSON and CSV have whole numbers alone:
// chip-milliseconds, micro-credits, milliseconds, parts per million; the fields are described in
// docs/simulate.md.
#ifndef QMARKET_CONNECTORS_SIMULATE_REPORT_PRINT_H_
#define QMARKET_CONNECTORS_SIMULATE_REPORT_PRINT_H_

#include <string>

#include "connectors/cli/output.h"
#include "connectors/simulate/report.h"

namespace qmarket {

// For people: what was used, prices over time, pools, the largest teams, and the checks. `utf8`:
// whether the bars of prices may use block characters.
void PrintReport(const SimulationReport& report, bool utf8, Output& out);

// One JSON document.
[[nodiscard]] std::string ReportJson(const SimulationReport& report);

// A line for each team.
void PrintTeamsCsv(const SimulationReport& report, Output& out);

// "46 s", "3.2 min", "2.9 h", "3.1 d".
[[nodiscard]] std::string DurationText(std::int64_t ms);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_REPORT_PRINT_H_
