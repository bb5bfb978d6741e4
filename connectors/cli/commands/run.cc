#include "matcher/process/run.h"

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/options.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/text.h"
#include "events/kafka/kafka_config.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/run_on_kafka.h"

namespace qmarket {
namespace {

// What the matcher reports, on stderr. While it catches up there are thousands of cycles a second,
// of which one of each market is shown.
class ReportLog {
 public:
  void Print(const std::string& line) {
    const absl::Time now = absl::Now();
    // "cycle 7 at ...", on Kafka "market eu: cycle 7 at ..."
    const std::size_t cycle = line.find("cycle ");
    if (cycle == 0 || (cycle != std::string::npos && absl::StartsWith(line, "market "))) {
      absl::Time& next = next_cycle_.try_emplace(line.substr(0, cycle)).first->second;
      if (now < next) return;
      next = now + kBetweenCycles;
    }
    std::cerr << TimeText(absl::ToUnixMillis(now)) << ' ' << line << std::endl;
  }

 private:
  // The shortest cycle_ms is a second: no cycle of a market that keeps up is left out.
  static constexpr absl::Duration kBetweenCycles = absl::Milliseconds(900);

  std::map<std::string, absl::Time> next_cycle_;  // by market
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
                "it adds no ticks, applies what is in the log, and ends. With --log kafka the log "
                "is the market's topic and its outcomes are published in another (`qmarket topics "
                "create` makes both); with --group, matchers share all markets that there are, "
                "and take over from each other.",
            .example =
                "qmarket run --data qmarket-data\n"
                "  qmarket run --once\n"
                "  qmarket run --log kafka --brokers 127.0.0.1:19092 --data kafka-market\n"
                "  qmarket run --log kafka --brokers 127.0.0.1:19092 --group matchers --market "
                "'eu-.*'"};
  }

  void AddOptions(CLI::App& app) override {
    AddDataOption(app, data_dir_);
    AddLogOptions(app, log_);
    app.add_flag("--once", once_, "Apply what is in the log at the start, and end");
    app.add_option("--batch", batch_, "The most events that one commit takes")->type_name("N");
    app.add_option("--checkpoint-events", checkpoint_events_,
                   "A checkpoint of the state after every N events, 0 for none; by default, after "
                   "about half a second of work")
        ->type_name("N");
    app.add_option("--group", group_,
                   "Kafka: share the markets with the other matchers of this group; --market is a "
                   "regular expression over their names")
        ->type_name("NAME");
    app.add_flag("--no-standby", no_standby_,
                 "With --group: do not follow the markets that others own");
    app.add_flag("--observe", observe_,
                 "Kafka: own no market, publish nothing and add no ticks; keep a ledger to ask");
    app.add_flag("--mirror-json", mirror_json_,
                 "Kafka: publish the outcomes as JSON, too, in a topic of their own");
  }

  absl::Status Run(Output& /*out*/) override {
    log_.pattern = !group_.empty();
    log_.follows = true;
    if (absl::Status checked = CheckLogOptions(log_); !checked.ok()) return checked;
    if (absl::Status checked = CheckRunOptions(); !checked.ok()) return checked;
    const absl::StatusOr<std::size_t> batch = BatchRecords();
    if (!batch.ok()) return batch.status();
    std::optional<std::uint64_t> checkpoint_records;
    if (!checkpoint_events_.empty()) {
      const absl::StatusOr<std::uint64_t> events =
          ParseCount("--checkpoint-events", checkpoint_events_);
      if (!events.ok()) return events.status();
      checkpoint_records = *events;
    }
    std::optional<Progress> progress;
    progress.emplace("rebuilding");
    const auto on_rebuild = [&progress](std::uint64_t done, std::uint64_t all) {
      if (progress.has_value()) progress->Update(done, all);
    };
    ReportLog log;
    const auto on_report = [&progress, &log](const std::string& line) {
      progress.reset();
      log.Print(line);
    };
    if (!log_.kafka()) {
      return RunMatcher({.data_dir = MarketDir(data_dir_, log_.market),
                         .once = once_,
                         .max_batch_records = *batch,
                         .checkpoint_records = checkpoint_records,
                         .on_rebuild = on_rebuild,
                         .on_report = on_report});
    }
    absl::StatusOr<KafkaConfig> kafka = KafkaConfigOf(log_);
    if (!kafka.ok()) return kafka.status();
    return RunOnKafka({.kafka = *std::move(kafka),
                       .prefix = TopicPrefixOf(log_),
                       .market = log_.market,
                       .group = group_,
                       .standby = !no_standby_,
                       .mirror_json = mirror_json_,
                       .observe = observe_,
                       .data_dir = data_dir_,
                       .once = once_,
                       .max_batch_records = *batch,
                       .checkpoint_records = checkpoint_records,
                       .on_rebuild = on_rebuild,
                       .on_report = on_report});
  }

 private:
  // What does not go together.
  [[nodiscard]] absl::Status CheckRunOptions() const {
    const bool group = !group_.empty();
    if (!log_.kafka() && group) return UsageError("--group goes with --log kafka");
    if (!log_.kafka() && mirror_json_) return UsageError("--mirror-json goes with --log kafka");
    if (!log_.kafka() && observe_) return UsageError("--observe goes with --log kafka");
    if (observe_ && group) return UsageError("--observe does not go with --group, which owns");
    if (observe_ && mirror_json_)
      return UsageError("--observe publishes nothing: no --mirror-json");
    if (no_standby_ && !group) return UsageError("--no-standby goes with --group");
    if (once_ && group) {
      return UsageError("--once does not go with --group: which markets it owns is not settled");
    }
    if (group) return CheckPattern();
    return log_.kafka() ? MarketTopicsOf(log_).status() : absl::OkStatus();
  }

  // The same kind of regular expression as the client library takes.
  [[nodiscard]] absl::Status CheckPattern() const {
    try {
      const std::regex pattern(log_.market, std::regex::extended);
    } catch (const std::regex_error& error) {
      return UsageError(
          absl::StrCat("--market ", log_.market,
                       ": expected a regular expression over names of markets: ", error.what()));
    }
    return absl::OkStatus();
  }

  [[nodiscard]] absl::StatusOr<std::size_t> BatchRecords() const {
    if (batch_.empty()) return RunOptions().max_batch_records;
    const absl::StatusOr<std::uint64_t> batch = ParseCount("--batch", batch_);
    if (!batch.ok()) return batch.status();
    if (*batch == 0) return UsageError("--batch 0: expected at least 1");
    return *batch;
  }

  std::string data_dir_;
  LogOptions log_;
  bool once_ = false;
  std::string batch_;
  std::string checkpoint_events_;
  std::string group_;
  bool no_standby_ = false;
  bool mirror_json_ = false;
  bool observe_ = false;
};

}  // namespace

std::unique_ptr<Command> NewRunCommand() {
  return std::make_unique<RunCommand>();
}

}  // namespace qmarket
