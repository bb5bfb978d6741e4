#include <poll.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/input.h"
#include "connectors/cli/json_writer.h"
#include "connectors/cli/options.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/text.h"
#include "events/event_codec.h"
#include "events/event_json.h"
#include "events/event_log.h"
#include "events/kafka/kafka_log.h"
#include "matcher/process/appender.h"
#include "matcher/process/data_dir.h"

namespace qmarket {
namespace {

constexpr std::size_t kBatchRecords = 8192;
constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

// Whether a read from standard input would wait for its writer.
bool StdinWouldWait(const std::istream& stream) {
  if (stream.rdbuf()->in_avail() > 0) return false;
  pollfd input = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  return ::poll(&input, 1, 0) == 0;
}

// To the log of a market on Kafka.
class KafkaAppender : public Appender {
 public:
  explicit KafkaAppender(std::unique_ptr<KafkaLog> log) : log_(std::move(log)) {}

  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records) override {
    return log_->Append(records, EventLog::Durability::kDurable);
  }

 private:
  std::unique_ptr<KafkaLog> log_;
};

// The log is made where it is embedded and there is none.
absl::StatusOr<std::unique_ptr<Appender>> OpenAppenderOf(const LogOptions& options,
                                                         const std::string& data_dir) {
  if (!options.kafka()) {
    const std::string folder = MarketDir(data_dir, options.market);
    // Where the market follows a log on Kafka, nobody would ever read one that is made here.
    if (std::error_code ignored; !std::filesystem::exists(LogDir(folder), ignored)) {
      if (absl::Status here = CheckLogIsHere(options, data_dir); !here.ok()) return here;
    }
    return OpenAppender(folder);
  }
  absl::StatusOr<std::unique_ptr<KafkaLog>> log = OpenKafkaLog(options);
  if (!log.ok()) return log.status();
  return std::make_unique<KafkaAppender>(*std::move(log));
}

// Records on their way to the log, in batches.
class Batches {
 public:
  Batches(const LogOptions& options, std::string data_dir)
      : options_(options), data_dir_(std::move(data_dir)) {}

  void Add(std::string record) {
    bytes_ += record.size();
    records_.push_back(std::move(record));
  }

  [[nodiscard]] bool full() const {
    return records_.size() >= kBatchRecords || bytes_ >= kBatchBytes;
  }

  // Appends what was added. The log is opened for the first record: where there is nothing to
  // append, nothing is touched.
  absl::Status Flush() {
    if (records_.empty()) return absl::OkStatus();
    if (appender_ == nullptr) {
      absl::StatusOr<std::unique_ptr<Appender>> appender = OpenAppenderOf(options_, data_dir_);
      if (!appender.ok()) return appender.status();
      appender_ = *std::move(appender);
    }
    const absl::StatusOr<AppendedRange> range = appender_->Append(records_);
    if (!range.ok()) return range.status();
    if (!first_offset_.has_value()) first_offset_ = range->first;
    last_offset_ = range->end - 1;
    appended_ += records_.size();
    records_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

  void Print(Format format, Output& out) const {
    if (format == Format::kJson) {
      JsonWriter json;
      json.BeginObject()
          .Field("appended", appended_)
          .Field("first_offset", first_offset_)
          .Field("last_offset", last_offset_)
          .EndObject();
      out.Write(json.Take());
    } else if (format == Format::kCsv) {
      const auto text = [](std::optional<std::uint64_t> offset) {
        return offset.has_value() ? absl::StrCat(*offset) : "";
      };
      out.Write(absl::StrCat("appended,first_offset,last_offset\n", appended_, ",",
                             text(first_offset_), ",", text(last_offset_), "\n"));
    } else if (appended_ == 0) {
      out.Write("No events appended.\n");
    } else {
      out.Write(absl::StrCat("Appended ", CountText(Int128{appended_}), " events at offsets ",
                             *first_offset_, " to ", *last_offset_, ".\n"));
    }
  }

  [[nodiscard]] std::uint64_t appended() const { return appended_; }

 private:
  LogOptions options_;
  std::string data_dir_;
  std::unique_ptr<Appender> appender_;
  std::vector<std::string> records_;
  std::size_t bytes_ = 0;
  std::uint64_t appended_ = 0;
  std::optional<std::uint64_t> first_offset_;
  std::optional<std::uint64_t> last_offset_;
};

class AppendCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "append",
            .group = kMarketGroup,
            .summary = "Check events in JSON Lines and append them to the log",
            .explanation =
                "Checks every event and appends them to the event log of the data folder, which "
                "is made where there is none, or to the market's topic on Kafka; a running "
                "`qmarket run` takes them from there. Of a "
                "file with a bad line nothing is appended; of standard input what came before the "
                "bad line. What was appended is durable when the command says so. An event that "
                "was sent before may be sent again: the market takes each event_id once.",
            .example =
                "qmarket append events.jsonl\n"
                "  scheduler-events | qmarket append - --format json\n"
                "  qmarket append events.jsonl --log kafka --brokers 127.0.0.1:19092"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("FILE", path_, "Events in JSON Lines; - is stdin")->required();
    AddDataOption(app, data_dir_);
    AddLogOptions(app, log_);
    AddFormatOption(app, format_);
  }

  absl::Status Run(Output& out) override {
    if (absl::Status checked = CheckLogOptions(log_); !checked.ok()) return checked;
    absl::StatusOr<InputFile> input = InputFile::Open(path_);
    if (!input.ok()) return input.status();
    return path_ == "-" ? AppendStream(*input, out) : AppendFile(*input, out);
  }

 private:
  // All lines are read, checked and encoded before the first is appended.
  absl::Status AppendFile(InputFile& input, Output& out) const {
    std::vector<std::string> records;
    {
      Progress progress("checking");
      EventLineReader reader(input.stream(), input.name());
      while (true) {
        const absl::StatusOr<std::optional<Event>> event = reader.Next();
        if (!event.ok()) return event.status();
        if (!event->has_value()) break;
        records.push_back(EncodeEvent(**event));
        progress.Update(records.size());
      }
    }
    Batches batches(log_, data_dir_);
    Progress progress("appending");
    for (std::string& record : records) {
      batches.Add(std::move(record));
      if (!batches.full()) continue;
      if (absl::Status flushed = batches.Flush(); !flushed.ok()) return Cut(flushed, batches);
      progress.Update(batches.appended(), records.size());
    }
    if (absl::Status flushed = batches.Flush(); !flushed.ok()) return Cut(flushed, batches);
    batches.Print(format_, out);
    return absl::OkStatus();
  }

  // What has come is appended before the next event is waited for, and before a bad line ends it.
  absl::Status AppendStream(InputFile& input, Output& out) const {
    Batches batches(log_, data_dir_);
    EventLineReader reader(input.stream(), input.name());
    absl::Status bad;
    while (true) {
      const absl::StatusOr<std::optional<Event>> event = reader.Next();
      bad = event.status();
      if (!event.ok() || !event->has_value()) break;
      batches.Add(EncodeEvent(**event));
      if (!batches.full() && !StdinWouldWait(input.stream())) continue;
      if (absl::Status flushed = batches.Flush(); !flushed.ok()) return Cut(flushed, batches);
    }
    if (absl::Status flushed = batches.Flush(); !flushed.ok()) return Cut(flushed, batches);
    batches.Print(format_, out);
    return bad;
  }

  // An error between two batches: the first ones are in the log.
  static absl::Status Cut(const absl::Status& status, const Batches& batches) {
    if (batches.appended() == 0) return status;
    return absl::Status(
        status.code(),
        absl::StrCat(status.message(), "; the first ", batches.appended(),
                     " events are appended, and it is safe to append all of them again"));
  }

  std::string path_;
  std::string data_dir_;
  LogOptions log_;
  Format format_ = Format::kTable;
};

}  // namespace

std::unique_ptr<Command> NewAppendCommand() {
  return std::make_unique<AppendCommand>();
}

}  // namespace qmarket
