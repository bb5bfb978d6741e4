#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/commands/stream.h"
#include "connectors/cli/options.h"
#include "connectors/cli/records.h"
#include "events/outcome.h"
#include "events/outcome_wire.h"

namespace qmarket {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Seconds(1);

Cell TimeOf(const Outcome& outcome) {
  return std::visit(
      [](const auto& value) {
        if constexpr (requires { value.time_ms; }) {
          return Cell(Int128{value.time_ms});
        } else if constexpr (requires { value.effective_ms; }) {
          return Cell(Int128{value.effective_ms});
        } else {
          return Cell();
        }
      },
      outcome);
}

class OutcomesCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "outcomes",
            .group = kQueryGroup,
            .summary = "What the events led to, as the ledger has recorded it",
            .explanation =
                "Prints the outcomes of the events from the ledger's store: clearings, quotas, "
                "fills, preemptions, postings, rejections, each with the offset of the event that "
                "caused it and its index under that offset. With --format json they are JSON "
                "Lines, the same as those that are published.",
            .example =
                "qmarket outcomes --format json\n"
                "  qmarket outcomes --from-offset 1000 --follow --format json"};
  }

  void AddOptions(CLI::App& app) override {
    AddDataOption(app, data_dir_);
    AddLogOptions(app, log_);
    AddStreamOptions(app, stream_);
  }

  absl::Status Run(Output& out) override {
    if (absl::Status checked = CheckLogOptions(log_); !checked.ok()) return checked;
    absl::StatusOr<OffsetRange> range = ReadStreamRange(stream_);
    if (!range.ok()) return range.status();
    RecordPrinter printer(out, stream_.format, "outcomes",
                          {{"offset", "offset", Kind::kOffset},
                           {"index", "index", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"payload_type", "type"},
                           {"payload", "payload"}});
    while (true) {
      const absl::StatusOr<std::uint64_t> next = PrintStore(*range, out, printer);
      if (!next.ok()) return next.status();
      range->from = *next;
      if (!stream_.follow || range->from > range->to || !out.ok()) break;
      if (absl::Status flushed = out.Flush(); !flushed.ok()) return flushed;
      absl::SleepFor(kBetweenLooks);
    }
    if (stream_.format != Format::kJson) printer.Finish("No outcomes.");
    return absl::OkStatus();
  }

 private:
  // Opens the store, prints what it has of the range, and returns where to go on.
  [[nodiscard]] absl::StatusOr<std::uint64_t> PrintStore(OffsetRange range, Output& out,
                                                         RecordPrinter& printer) const {
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStoreForReading(log_, data_dir_);
    if (!store.ok()) return store.status();
    const std::optional<std::uint64_t> last = (*store)->state().last_offset;
    if (!last.has_value() || *last < range.from) return range.from;
    range.to = std::min(range.to, *last);
    std::optional<std::uint64_t> offset;
    std::uint32_t index = 0;
    const absl::Status read =
        ForEachOutcome(**store, range, [&](std::uint64_t at, const Outcome& outcome) {
          index = offset == at ? index + 1 : 0;
          offset = at;
          Print(at, index, outcome, out, printer);
          return out.ok();
        });
    if (!read.ok()) return read;
    return range.to + 1;
  }

  void Print(std::uint64_t offset, std::uint32_t index, const Outcome& outcome, Output& out,
             RecordPrinter& printer) const {
    const std::string json = OutcomeToJson(offset, index, outcome);
    if (stream_.format == Format::kJson) {
      out.Write(json + "\n");
      return;
    }
    printer.Add({Int128{offset}, Int128{index}, TimeOf(outcome),
                 std::string(OutcomeTypeName(outcome)), PayloadText(json, stream_.format)});
  }

  std::string data_dir_;
  LogOptions log_;
  StreamOptions stream_;
};

}  // namespace

std::unique_ptr<Command> NewOutcomesCommand() {
  return std::make_unique<OutcomesCommand>();
}

}  // namespace qmarket
