#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/exit_status.h"
#include "connectors/cli/options.h"
#include "connectors/simulate/commands.h"
#include "connectors/simulate/engine_host.h"
#include "connectors/simulate/market_file.h"
#include "connectors/simulate/run_scenario.h"
#include "connectors/simulate/scenario.h"
#include "connectors/simulate/trace.h"

namespace qmarket {
namespace {

constexpr std::uint64_t kMostMinutes = 1'000'000;

class SimulateCommand : public Command {
 public:
  [[nodiscard]] CommandText text() const override {
    return {
        .name = "simulate",
        .group = kMarketGroup,
        .summary = "Play a cluster trace against the market, in closed loop",
        .explanation =
            "Places a bid for each job when it was submitted, lets its work be done while the bid "
            "holds chips, and withdraws the bid when it is done. What the trace does not say, such "
            "as weights, incomes and limit prices, comes from the market file or is filled in from "
            "a seed. After every cycle the market's invariants are checked. Leaves a data folder "
            "that all queries work on.",
        .example =
            "qmarket simulate --jobs jobs.csv --supply supply.csv --data sim\n"
            "qmarket simulate --jobs jobs.csv --supply supply.csv --market market.toml "
            "--data sim --format json"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("--jobs", jobs_,
                   "jobs: job_id,submit_ts_unix_s,team,pool,gpu_type,gpus,duration_s")
        ->type_name("FILE.csv")
        ->required();
    app.add_option("--supply", supply_, "supply: ts_unix_s,pool_or_shared,gpu_type,gpus_total")
        ->type_name("FILE.csv")
        ->required();
    app.add_option("--pools", pools_, "pools: pool, and market_weight or share, lend_idle")
        ->type_name("FILE.csv");
    app.add_option("--market", market_, "settings, weights, incomes, limits (docs/simulate.md)")
        ->type_name("FILE.toml");
    AddDataOption(app, data_dir_);
    app.add_flag("--force", force_, "replace an earlier simulation in the data folder");
    app.add_option("--from", from_, "when it starts (default: the first supply or job, the later)")
        ->type_name("TIME");
    app.add_option("--until", until_, "when it ends (default: the last submission)")
        ->type_name("TIME");
    app.add_flag("--drain", drain_, "go on after that until all jobs are done");
    app.add_option("--early", early_,
                   "jobs submitted before the start: what remains of them, the whole, or none")
        ->type_name("remaining|whole|skip")
        ->check(CLI::IsMember({"remaining", "whole", "skip"}).description(""));
    app.add_option("--checkpoint-minutes", checkpoint_minutes_,
                   "running time between checkpoints; 0: nothing is ever lost (default 30)")
        ->type_name("N");
    app.add_option("--seed", seed_, "of what is drawn (default: the market file's, else 1)")
        ->type_name("N");
    app.add_option("--limits", limits_, "no limit prices, or drawn ones (default: none)")
        ->type_name("none|seeded")
        ->check(CLI::IsMember({"none", "seeded"}).description(""));
    AddFormatOption(app, format_);
  }

  [[nodiscard]] absl::Status Run(Output& out) override {
    absl::StatusOr<ScenarioOptions> options = ReadOptions();
    if (!options.ok()) return options.status();
    absl::StatusOr<MarketFile> file = ReadMarketFile();
    if (!file.ok()) return file.status();
    absl::StatusOr<Trace> trace = ReadTrace(jobs_, supply_, pools_);
    if (!trace.ok()) return trace.status();
    absl::StatusOr<Scenario> scenario = BuildScenario(*trace, *file, *options);
    if (!scenario.ok()) return scenario.status();
    absl::Status prepared = PrepareDataDir(data_dir_, force_);
    if (!prepared.ok()) return prepared;
    absl::StatusOr<SimulationReport> report = RunScenario(*scenario, data_dir_);
    if (!report.ok()) return report.status();
    WriteReport(*report, format_, out);
    if (format_ == Format::kTable) {
      WriteNextSteps(*report, data_dir_, OtherRun(), out);
    }
    return Verdict(*report);
  }

 private:
  // The options of a run on the same trace in another way.
  [[nodiscard]] std::string OtherRun() const {
    std::string options =
        absl::StrCat("--jobs ", ShellWord(jobs_), " --supply ", ShellWord(supply_));
    if (!pools_.empty()) absl::StrAppend(&options, " --pools ", ShellWord(pools_));
    if (!market_.empty()) absl::StrAppend(&options, " --market ", ShellWord(market_));
    if (!from_.empty()) absl::StrAppend(&options, " --from ", ShellWord(from_));
    if (!until_.empty()) absl::StrAppend(&options, " --until ", ShellWord(until_));
    return absl::StrCat(options, limits_ == "seeded" ? " --limits none" : " --limits seeded");
  }

  [[nodiscard]] absl::StatusOr<ScenarioOptions> ReadOptions() const {
    ScenarioOptions options;
    options.drain = drain_;
    if (early_ == "whole") options.early = EarlyJobs::kWhole;
    if (early_ == "skip") options.early = EarlyJobs::kSkip;
    if (!from_.empty()) {
      absl::StatusOr<std::int64_t> time = ParseTime("--from", from_);
      if (!time.ok()) return time.status();
      options.start_ms = *time;
    }
    if (!until_.empty()) {
      absl::StatusOr<std::int64_t> time = ParseTime("--until", until_);
      if (!time.ok()) return time.status();
      options.until_ms = *time;
    }
    if (!checkpoint_minutes_.empty()) {
      absl::StatusOr<std::uint64_t> minutes =
          ParseCount("--checkpoint-minutes", checkpoint_minutes_);
      if (!minutes.ok()) return minutes.status();
      if (*minutes > kMostMinutes) {
        return UsageError(absl::StrCat("--checkpoint-minutes is at most ", kMostMinutes));
      }
      options.checkpoint_ms = static_cast<std::int64_t>(*minutes) * 60'000;
    }
    return options;
  }

  // The market file, with what the options say in its place.
  [[nodiscard]] absl::StatusOr<MarketFile> ReadMarketFile() const {
    MarketFile file;
    if (!market_.empty()) {
      absl::StatusOr<std::string> text = ReadWholeFile(market_);
      if (!text.ok()) return text.status();
      absl::StatusOr<MarketFile> parsed = ParseMarketFile(market_, *text);
      if (!parsed.ok()) return parsed.status();
      file = *std::move(parsed);
    }
    if (!seed_.empty()) {
      absl::StatusOr<std::uint64_t> seed = ParseCount("--seed", seed_);
      if (!seed.ok()) return seed.status();
      file.overlay.seed = *seed;
    }
    if (!limits_.empty()) file.overlay.seeded_limits = limits_ == "seeded";
    return file;
  }

  std::string jobs_;
  std::string supply_;
  std::string pools_;
  std::string market_;
  std::string data_dir_ = kDefaultDataDir;
  bool force_ = false;
  std::string from_;
  std::string until_;
  bool drain_ = false;
  std::string early_ = "remaining";
  std::string checkpoint_minutes_;
  std::string seed_;
  std::string limits_;
  Format format_ = Format::kTable;
};

}  // namespace

std::unique_ptr<Command> NewSimulateCommand() {
  return std::make_unique<SimulateCommand>();
}

}  // namespace qmarket
