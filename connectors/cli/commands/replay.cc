#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/checkpoints.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/commands/state_report.h"
#include "connectors/cli/commands/verify_ledger.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/input.h"
#include "connectors/cli/options.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/text.h"
#include "events/event_log.h"
#include "ledger/store/store.h"
#include "matcher/process/replica.h"
#include "replay/from_log.h"
#include "replay/input_source.h"
#include "replay/rebuild.h"

namespace qmarket {
namespace {

// The most memory that the process has used, in bytes; 0 where the system does not say.
std::uint64_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
    std::uint64_t kilobytes = 0;
    if (words.size() == 3 && words[0] == "VmHWM:" && absl::SimpleAtoi(words[1], &kilobytes)) {
      return kilobytes * 1024;
    }
  }
  return 0;
}

void PrintStats(std::uint64_t events, absl::Duration took) {
  const double seconds = absl::ToDoubleSeconds(took);
  const double rate = seconds > 0 ? static_cast<double>(events) / seconds : 0;
  std::cerr << absl::StrFormat("%s events in %.2f s, %s events/s, peak memory %s\n",
                               CountText(Int128{events}), seconds,
                               CountText(static_cast<Int128>(rate)), BytesText(PeakMemory()));
}

class ReplayCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "replay",
            .group = kMarketGroup,
            .summary = "Rebuild the market's state at any moment",
            .explanation =
                "Rebuilds the state from the log of a data folder, as of the end or of any moment "
                "before, or runs a file of events in JSON Lines from scratch, and prints the "
                "state. From the log, it begins at the nearest checkpoint, and says so on stderr. "
                "The digest covers every outcome on the way: two runs with the same digest did the "
                "same. With --verify it proves instead that the ledger has recorded what the "
                "events lead to, all of it or a stretch, and exits with 4 where that is not so. A "
                "line that is no event ends the run of a file with exit status 1, and nothing is "
                "printed.",
            .example =
                "qmarket replay --events events.jsonl --format json\n"
                "  qmarket replay --data qmarket-data --at 2026-01-01T12:00:00Z\n"
                "  qmarket replay --verify --from 2026-01-01 --to 2026-01-02"};
  }

  void AddOptions(CLI::App& app) override {
    CLI::Option* events =
        app.add_option("--events", events_path_, "Events in JSON Lines; - is stdin")
            ->type_name("FILE");
    AddDataOption(app, data_dir_)->excludes(events);
    AddLogOptions(app, log_options_);
    events->excludes(app.get_option("--log"));
    CLI::Option* offset =
        app.add_option("--offset", offset_, "The state after this offset")->type_name("N");
    app.add_option("--at", at_, "The state at this time: ISO 8601, or ms since the epoch")
        ->type_name("TIME")
        ->excludes(offset);
    AddCheckpointOption(app, no_checkpoints_);
    AddFormatOption(app, format_);
    app.add_flag("--stats", stats_, "Print the speed and the peak memory to stderr");
    app.add_flag("--verify", verify_, "Prove that the ledger's records are what the events lead to")
        ->excludes(events)
        ->excludes(offset)
        ->excludes("--at");
    stretch_.AddOptions(app);
  }

  absl::Status Run(Output& out) override {
    if (absl::Status checked = CheckLogOptions(log_options_); !checked.ok()) return checked;
    if (absl::Status read = ReadMoment(); !read.ok()) return read;
    if (verify_) {
      return VerifyLedger({.log = log_options_,
                           .data_dir = data_dir_,
                           .no_checkpoints = no_checkpoints_,
                           .stretch = stretch_,
                           .format = format_},
                          out);
    }
    if (stretch_.given()) return UsageError("a stretch goes with --verify");
    const absl::Time start = absl::Now();
    const absl::StatusOr<StateReport> report = events_path_.empty() ? FromLog() : FromLines();
    if (!report.ok()) return report.status();
    if (stats_) PrintStats(events_, absl::Now() - start);
    switch (format_) {
      case Format::kTable:
        PrintReport(*report, out);
        break;
      case Format::kCsv:
        PrintReportCsv(*report, out);
        break;
      case Format::kJson: {
        JsonWriter json;
        WriteReport(*report, json);
        out.Write(json.Take());
        break;
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status ReadMoment() {
    if (!offset_.empty()) {
      const absl::StatusOr<std::uint64_t> offset = ParseCount("--offset", offset_);
      if (!offset.ok()) return offset.status();
      moment_.offset = *offset;
    }
    if (!at_.empty()) {
      const absl::StatusOr<std::int64_t> time_ms = ParseTime("--at", at_);
      if (!time_ms.ok()) return time_ms.status();
      moment_.time_ms = *time_ms;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<StateReport> FromLines() {
    absl::StatusOr<InputFile> input = InputFile::Open(events_path_);
    if (!input.ok()) return input.status();
    EventLineReader reader(input->stream(), input->name());
    LineSource source(reader);
    Prefetcher prefetcher(source);
    Progress progress("replaying");
    return RebuildAt(prefetcher, moment_, Replica(), [&](std::uint64_t events) {
      events_ = events;
      progress.Update(events);
    });
  }

  absl::StatusOr<StateReport> FromLog() {
    const absl::StatusOr<std::unique_ptr<EventLog>> log =
        OpenLogForReading(log_options_, data_dir_);
    if (!log.ok()) return log.status();
    if (absl::Status same = CheckLedger(**log); !same.ok()) return same;
    const absl::StatusOr<std::uint64_t> end = (*log)->EndOffset();
    if (!end.ok()) return end.status();
    std::optional<Progress> progress("replaying");
    absl::StatusOr<RebuiltReport> state =
        StateAt({**log, CheckpointsOf(log_options_, data_dir_, no_checkpoints_)}, moment_, *end,
                [&](std::uint64_t events) { progress->Update(events, *end); });
    progress.reset();
    if (!state.ok()) return state.status();
    SayOrigin(state->origin);
    events_ = state->origin.events;
    return std::move(state->report);
  }

  // Where there is a ledger, it must be that of the log. One that cannot be read is no reason not
  // to replay: the log is the truth.
  [[nodiscard]] absl::Status CheckLedger(const EventLog& log) const {
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store =
        OpenStoreForReading(log_options_, data_dir_);
    return store.ok() ? CheckLogOfStore(log, (*store)->state(), log_options_, data_dir_)
                      : absl::OkStatus();
  }

  std::string events_path_;
  std::string data_dir_;
  LogOptions log_options_;
  std::string offset_;
  std::string at_;
  Format format_ = Format::kTable;
  bool stats_ = false;
  bool verify_ = false;
  StretchOptions stretch_;
  bool no_checkpoints_ = false;
  Moment moment_;
  std::uint64_t events_ = 0;
};

}  // namespace

std::unique_ptr<Command> NewReplayCommand() {
  return std::make_unique<ReplayCommand>();
}

}  // namespace qmarket
