#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/commands/stream.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/options.h"
#include "connectors/cli/records.h"
#include "events/event_codec.h"
#include "events/event_json.h"
#include "events/event_log.h"
#include "events/field_rules.h"

namespace qmarket {
namespace {

constexpr std::size_t kBatchRecords = 1024;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;
constexpr absl::Duration kLookAround = absl::Seconds(1);

// The event of a record, if `append` would take it.
absl::StatusOr<Event> GoodEvent(const LogRecord& record) {
  absl::StatusOr<Event> event = DecodeEvent(record.bytes);
  if (!event.ok()) return event;
  std::optional<FieldProblem> problem = CheckForm(*event);
  if (!problem.has_value()) problem = CheckRanges(*event);
  if (problem.has_value()) return absl::InvalidArgumentError(Describe(*problem));
  return event;
}

class EventsCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "events",
            .group = kQueryGroup,
            .summary = "The events of the log",
            .explanation =
                "Prints the events as they stand in the log. With --format json they are JSON "
                "Lines, as `qmarket append` and `qmarket replay --events` read them. Records that "
                "are no event, or one that `append` would refuse, are named on stderr with their "
                "offset and left out: the market has rejected them.",
            .example =
                "qmarket events --format json > events.jsonl\n"
                "  qmarket events --from-offset 1000 --follow --with-offset --format json"};
  }

  void AddOptions(CLI::App& app) override {
    AddDataOption(app, data_dir_);
    AddLogOptions(app, log_);
    AddStreamOptions(app, stream_);
    app.add_flag("--with-offset", with_offset_,
                 "In JSON: put each event beside its offset and append time");
  }

  absl::Status Run(Output& out) override {
    log_.follows = stream_.follow;
    if (absl::Status checked = CheckLogOptions(log_); !checked.ok()) return checked;
    absl::StatusOr<OffsetRange> range = ReadStreamRange(stream_);
    if (!range.ok()) return range.status();
    if (with_offset_ && stream_.format != Format::kJson) {
      return UsageError("--with-offset goes with --format json");
    }
    const absl::StatusOr<std::unique_ptr<EventLog>> log = OpenLogForReading(log_, data_dir_);
    if (!log.ok()) return log.status();
    if (!stream_.follow) range = UpToNow(**log, *range);
    if (!range.ok()) return range.status();
    RecordPrinter printer(out, stream_.format, "events",
                          {{"offset", "offset", Kind::kOffset},
                           {"append_time_ms", "appended", Kind::kTimeMs},
                           {"event_id", "event"},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"actor", "actor"},
                           {"source", "source"},
                           {"payload_type", "type"},
                           {"payload", "payload"}});
    if (absl::Status read = PrintLog(**log, *range, out, printer); !read.ok()) return read;
    if (stream_.format != Format::kJson) printer.Finish("No events.");
    return absl::OkStatus();
  }

 private:
  // Ends the range where the log ends now.
  static absl::StatusOr<OffsetRange> UpToNow(EventLog& log, OffsetRange range) {
    const absl::StatusOr<std::uint64_t> end = log.EndOffset();
    if (!end.ok()) return end.status();
    if (*end == 0) return OffsetRange{.from = 1, .to = 0};
    range.to = std::min(range.to, *end - 1);
    return range;
  }

  absl::Status PrintLog(EventLog& log, OffsetRange range, Output& out,
                        RecordPrinter& printer) const {
    std::uint64_t next = range.from;
    while (next <= range.to && out.ok()) {
      const absl::StatusOr<LogBatch> batch = log.Read(next, kBatchRecords, kBatchBytes);
      if (!batch.ok()) return batch.status();
      for (const LogRecord& record : batch->records) {
        if (record.offset <= range.to) Print(record, out, printer);
      }
      next = batch->next_offset;
      const bool at_end = batch->records.empty() && batch->at_end;
      if (at_end && !stream_.follow) break;
      if (absl::Status status = Follow(log, next, at_end, out); !status.ok()) return status;
    }
    return absl::OkStatus();  // a failed output is reported by whoever flushes it
  }

  // Shows what has come, and waits where that is all.
  absl::Status Follow(EventLog& log, std::uint64_t next, bool at_end, Output& out) const {
    if (!stream_.follow) return absl::OkStatus();
    if (absl::Status flushed = out.Flush(); !flushed.ok()) return flushed;
    return at_end ? log.WaitFor(next, kLookAround).status() : absl::OkStatus();
  }

  void Print(const LogRecord& record, Output& out, RecordPrinter& printer) const {
    const absl::StatusOr<Event> event = GoodEvent(record);
    if (!event.ok()) {
      std::cerr << "qmarket: offset " << record.offset << " left out: " << event.status().message()
                << '\n';
      return;
    }
    const std::string json = EventToJson(*event);
    if (stream_.format != Format::kJson) {
      printer.Add({Int128{record.offset}, Int128{record.append_time_ms}, event->event_id,
                   Int128{event->time_ms}, event->actor, event->source,
                   std::string(PayloadTypeName(event->payload)),
                   PayloadText(json, stream_.format)});
    } else if (with_offset_) {
      out.Write(absl::StrCat("{\"offset\": ", record.offset, ", \"append_time_ms\": ",
                             record.append_time_ms, ", \"event\": ", json, "}\n"));
    } else {
      out.Write(json + "\n");
    }
  }

  std::string data_dir_;
  LogOptions log_;
  StreamOptions stream_;
  bool with_offset_ = false;
};

}  // namespace

std::unique_ptr<Command> NewEventsCommand() {
  return std::make_unique<EventsCommand>();
}

}  // namespace qmarket
