#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/json_writer.h"
#include "connectors/cli/options.h"
#include "connectors/cli/output.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "matcher/process/data_dir.h"
#include "replay/audit/audit.h"
#include "replay/audit/report.h"

namespace qmarket {
namespace {

// "ok", or what is not.
std::string ResultOf(const AuditCheck& check) {
  if (check.findings() > 0) return absl::StrCat(check.findings(), " FAILED");
  return check.complete() ? "ok" : "not checked";
}

std::string OffsetText(std::optional<std::uint64_t> offset) {
  return offset.has_value() ? absl::StrCat(" at offset ", *offset) : std::string();
}

void PrintTable(const AuditReport& report, Output& out) {
  Table table({{"check"}, {"count", Align::kRight}, {"of"}, {"result"}});
  for (const AuditCheck& check : report.checks()) {
    table.AddRow({check.name(), CountText(Int128{check.count()}), check.unit(), ResultOf(check)});
  }
  table.Print(out);
  out.Write("\n");
  for (const AuditFinding& finding : report.findings()) {
    out.Write(absl::StrCat(AuditPartName(finding.where), ", ", finding.object,
                           OffsetText(finding.offset), ": ", finding.what, "\n"));
  }
  if (const std::uint64_t more = report.found() - report.findings().size(); more > 0) {
    out.Write(absl::StrCat("and ", CountText(Int128{more}), " more\n"));
  }
  for (const std::string& note : report.notes())
    out.Write(absl::StrCat("note: ", note, "\n"));
  if (!report.verified()) return;
  out.Write(absl::StrCat("verified",
                         report.offset().has_value()
                             ? absl::StrCat(" up to offset ", *report.offset())
                             : std::string(", an empty market"),
                         ", digest ", ToHex(report.digest()), "\n"));
}

void PrintJson(const AuditReport& report, Output& out) {
  JsonWriter json;
  json.BeginObject()
      .Field("verified", report.verified())
      .Field("offset", report.offset())
      .Field("digest", ToHex(report.digest()));
  json.Key("checks").BeginArray();
  for (const AuditCheck& check : report.checks()) {
    json.BeginObject()
        .Field("name", check.name())
        .Field("count", check.count())
        .Field("of", check.unit())
        .Field("ok", check.ok())
        .Field("complete", check.complete())
        .Field("findings", check.findings())
        .EndObject();
  }
  json.EndArray().Key("findings").BeginArray();
  for (const AuditFinding& finding : report.findings()) {
    json.BeginObject()
        .Field("where", AuditPartName(finding.where))
        .Field("object", finding.object)
        .Field("offset", finding.offset)
        .Field("what", finding.what)
        .EndObject();
  }
  json.EndArray().Key("notes").BeginArray();
  for (const std::string& note : report.notes())
    json.Value(note);
  json.EndArray().EndObject();
  out.Write(json.Take());
}

class AuditVerifyCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "verify",
            .group = kAuditGroup,
            .summary = "Check everything that is kept of a market",
            .explanation =
                "Reads every byte of the log, of the ledger's store and of the checkpoints, and "
                "holds them against each other: that the files are what was written, that the "
                "books are double entry without overdraft, that charges are what chips, prices and "
                "time make them, that every event id took effect once, that the replayed log makes "
                "every outcome that is recorded. Prints what was looked at and all that was found, "
                "and exits with 4 where something was.",
            .example = "qmarket audit verify --data qmarket-data --format json"};
  }

  void AddOptions(CLI::App& app) override {
    AddDataOption(app, data_dir_);
    AddLogOptions(app, log_options_);
    AddFormatOption(app, format_);
  }

  absl::Status Run(Output& out) override {
    if (absl::Status checked = CheckLogOptions(log_options_); !checked.ok()) return checked;
    if (format_ == Format::kCsv) return UsageError("audit verify prints table or json");
    const std::string folder = MarketDir(data_dir_, log_options_.market);
    AuditTarget target = {.store_dir = StoreDir(folder), .checkpoints_dir = CheckpointsDir(folder)};
    std::unique_ptr<EventLog> log;
    if (log_options_.kafka()) {
      if (absl::Status opened = OpenKafka(target, log); !opened.ok()) return opened;
    } else {
      target.log_dir = LogDir(folder);
    }
    AuditReport report;
    if (absl::Status made = Audit(target, report); !made.ok()) return Explained(made);
    if (absl::Status here = CheckElsewhere(target, report); !here.ok()) return here;
    if (format_ == Format::kJson) {
      PrintJson(report, out);
    } else {
      PrintTable(report, out);
    }
    if (report.verified()) return absl::OkStatus();
    return VerificationError(absl::StrCat(folder, ": not verified, ", report.found(),
                                          report.found() == 1 ? " finding" : " findings"));
  }

 private:
  absl::Status OpenKafka(AuditTarget& target, std::unique_ptr<EventLog>& log) {
    absl::StatusOr<KafkaConfig> config = KafkaConfigOf(log_options_);
    if (!config.ok()) return config.status();
    absl::StatusOr<MarketTopics> topics = MarketTopicsOf(log_options_);
    if (!topics.ok()) return topics.status();
    absl::StatusOr<std::unique_ptr<KafkaLog>> opened = KafkaLog::Open(*config, *topics);
    if (!opened.ok()) return opened.status();
    log = *std::move(opened);
    target.log = log.get();
    target.kafka = *std::move(config);
    target.topics = *std::move(topics);
    return absl::OkStatus();
  }

  static absl::Status Audit(const AuditTarget& target, AuditReport& report) {
    std::optional<Progress> progress;
    std::string shown;
    return AuditMarket(
        target,
        [&](const char* what, std::uint64_t done, std::uint64_t total) {
          if (shown != what) {
            progress.emplace(what);
            shown = what;
          }
          progress->Update(done, total);
        },
        report);
  }

  // Whether the log is missing because it is on Kafka. The store is opened once its files are known
  // to be whole.
  absl::Status CheckElsewhere(const AuditTarget& target, const AuditReport& report) const {
    std::error_code error;
    if (target.log_dir.empty() || std::filesystem::exists(target.log_dir, error)) {
      return absl::OkStatus();
    }
    for (const AuditCheck& check : report.checks()) {
      if (check.name() == kStoreFilesCheck && !check.ok()) return absl::OkStatus();
    }
    return CheckLogIsHere(log_options_, data_dir_);
  }

  // With what to do where there is no market.
  absl::Status Explained(absl::Status status) const {
    if (!absl::IsNotFound(status)) return status;
    const absl::Status missing = OpenStoreForReading(log_options_, data_dir_).status();
    return missing.ok() ? status : missing;
  }

  std::string data_dir_;
  LogOptions log_options_;
  Format format_ = Format::kTable;
};

}  // namespace

std::unique_ptr<Command> NewAuditVerifyCommand() {
  return std::make_unique<AuditVerifyCommand>();
}

}  // namespace qmarket
