#include "matcher/process/run.h"

#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/options.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/text.h"

namespace qmarket {
namespace {

// What the matcher reports, on stderr. While it catches up there are thousands of cycles a second,
// of which one is shown.
class ReportLog {
 public:
  void Print(const std::string& line) {
    const absl::Time now = absl::Now();
    if (absl::StartsWith(line, "cycle ")) {
      if (now < next_cycle_) return;
      next_cycle_ = now + kBetweenCycles;
    }
    std::cerr << TimeText(absl::ToUnixMillis(now)) << ' ' << line << std::endl;
  }

 private:
  // The shortest cycle_ms is a second: no cycle of a market that keeps up is left out.
  static constexpr absl::Duration kBetweenCycles = absl::Milliseconds(900);

  absl::Time next_cycle_ = absl::InfinitePast();
};

class RunCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "run",
            .group = kMarketGroup,
            .summary = "Run the market: apply events, clear, settle, keep the ledger",
            .explanation =
                "Follows the event log of the data folder, which is made where there is none: "
                "applies every event, clears the market at every cycle, settles, and keeps all of "
                "it durably in the ledger's store. Other processes may append and ask meanwhile. "
                "It ends at an interrupt, and goes on from there when started again. With --once "
                "it adds no ticks, applies what is in the log, and ends.",
            .example =
                "qmarket run --data qmarket-data\n"
                "  qmarket run --once"};
  }

  void AddOptions(CLI::App& app) override {
    AddDataOption(app, options_.data_dir);
    AddLogOptions(app, log_);
    app.add_flag("--once", options_.once, "Apply what is in the log at the start, and end");
    app.add_option("--batch", batch_, "The most events that one commit takes")->type_name("N");
  }

  absl::Status Run(Output& /*out*/) override {
    if (absl::Status checked = CheckLogOptions(log_); !checked.ok()) return checked;
    if (!batch_.empty()) {
      const absl::StatusOr<std::uint64_t> batch = ParseCount("--batch", batch_);
      if (!batch.ok()) return batch.status();
      if (*batch == 0) return UsageError("--batch 0: expected at least 1");
      options_.max_batch_records = *batch;
    }
    std::optional<Progress> progress;
    progress.emplace("rebuilding");
    options_.on_rebuild = [&progress](std::uint64_t done, std::uint64_t all) {
      if (progress.has_value()) progress->Update(done, all);
    };
    ReportLog log;
    options_.on_report = [&progress, &log](const std::string& line) {
      progress.reset();
      log.Print(line);
    };
    return RunMatcher(options_);
  }

 private:
  RunOptions options_;
  LogOptions log_;
  std::string batch_;
};

}  // namespace

std::unique_ptr<Command> NewRunCommand() {
  return std::make_unique<RunCommand>();
}

}  // namespace qmarket
