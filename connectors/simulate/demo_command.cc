#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/options.h"
#include "connectors/simulate/commands.h"
#include "connectors/simulate/engine_host.h"
#include "connectors/simulate/market_file.h"
#include "connectors/simulate/run_scenario.h"
#include "connectors/simulate/scenario.h"
#include "connectors/simulate/workload.h"

namespace qmarket {
namespace {

class DemoCommand : public Command {
 public:
  [[nodiscard]] CommandText text() const override {
    return {
        .name = "demo",
        .group = kMarketGroup,
        .summary = "Run the market over a generated ten-day workload and show what happened",
        .explanation =
            "Generates ten days of jobs of 130 teams in 11 pools on two chip types, with sizes, "
            "durations and rhythm like those published for Microsoft's Philly cluster, an "
            "outage, owned chips, drawn limit prices, and some bids that are elastic or "
            "opportunistic. Runs the market over them and leaves a data folder to look around "
            "in; the generated files are in its folder simulation.",
        .example = "qmarket demo\nqmarket demo --seed 2 --data other-demo"};
  }

  void AddOptions(CLI::App& app) override {
    AddDataOption(app, data_dir_);
    app.add_flag("--force", force_, "replace an earlier demo or simulation in the data folder");
    app.add_option("--seed", seed_, "of the workload (default 1)")->type_name("N");
    AddFormatOption(app, format_);
  }

  [[nodiscard]] absl::Status Run(Output& out) override {
    absl::StatusOr<std::uint64_t> seed = ParseCount("--seed", seed_);
    if (!seed.ok()) return seed.status();
    const Trace trace = GenerateWorkload(*seed);
    const std::string market = WorkloadMarketFile(*seed);
    absl::StatusOr<MarketFile> file = ParseMarketFile("market.toml", market);
    if (!file.ok()) return file.status();
    absl::StatusOr<Scenario> scenario = BuildScenario(trace, *file, {});
    if (!scenario.ok()) return scenario.status();
    absl::Status status = PrepareDataDir(data_dir_, force_);
    if (status.ok()) status = WriteSimulationFile(data_dir_, "jobs.csv", JobsCsv(trace.jobs));
    if (status.ok()) status = WriteSimulationFile(data_dir_, "supply.csv", SupplyCsv(trace.supply));
    if (status.ok()) status = WriteSimulationFile(data_dir_, "market.toml", market);
    if (!status.ok()) return status;
    absl::StatusOr<SimulationReport> report = RunScenario(*scenario, data_dir_);
    if (!report.ok()) return report.status();
    WriteReport(*report, format_, out);
    if (format_ == Format::kTable) {
      const std::string dir = SimulationDir(data_dir_);
      WriteNextSteps(*report, data_dir_,
                     absl::StrCat("--jobs ", ShellWord(dir + "/jobs.csv"), " --supply ",
                                  ShellWord(dir + "/supply.csv"), " --market ",
                                  ShellWord(dir + "/market.toml"), " --limits none"),
                     out);
    }
    return Verdict(*report);
  }

 private:
  std::string data_dir_ = kDefaultDataDir;
  bool force_ = false;
  std::string seed_ = "1";
  Format format_ = Format::kTable;
};

}  // namespace

std::unique_ptr<Command> NewDemoCommand() {
  return std::make_unique<DemoCommand>();
}

}  // namespace qmarket
