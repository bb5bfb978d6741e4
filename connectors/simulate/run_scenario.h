// What the two commands have in common: a scenario run on a data directory, reported and checked.
#ifndef QMARKET_CONNECTORS_SIMULATE_RUN_SCENARIO_H_
#define QMARKET_CONNECTORS_SIMULATE_RUN_SCENARIO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/output.h"
#include "connectors/simulate/report.h"
#include "connectors/simulate/scenario.h"

namespace qmarket {

// Runs the scenario on `data_dir`, which PrepareDataDir has made ready. Shows progress on a
// terminal, and leaves the report there as simulation/report.json.
[[nodiscard]] absl::StatusOr<SimulationReport> RunScenario(const Scenario& scenario,
                                                           const std::string& data_dir);

// Prints the report in the format asked for.
void WriteReport(const SimulationReport& report, Format format, Output& out);

// Prints, for people, commands that look at what was left behind. `simulate_options` are those that
// run it again in another way.
void WriteNextSteps(const SimulationReport& report, const std::string& data_dir,
                    absl::string_view simulate_options, Output& out);

// VerificationError where a check failed after some cycle.
[[nodiscard]] absl::Status Verdict(const SimulationReport& report);

// Writes a file into simulation/ of the data directory.
[[nodiscard]] absl::Status WriteSimulationFile(const std::string& data_dir, absl::string_view name,
                                               absl::string_view text);

// The text as one word of a shell's command line.
[[nodiscard]] std::string ShellWord(absl::string_view text);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_RUN_SCENARIO_H_
