#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/json_writer.h"
#include "connectors/cli/options.h"
#include "connectors/cli/records.h"
#include "events/kafka/topic_admin.h"

namespace qmarket {
namespace {

constexpr std::uint64_t kMostReplicas = 100;

void PrintJson(const std::string& market, const std::vector<TopicReport>& reports, Output& out) {
  JsonWriter json;
  json.BeginObject()
      .Field("market", market)
      .Field("ok", std::ranges::all_of(reports, [](const TopicReport& it) { return it.ok(); }))
      .Key("topics")
      .BeginArray();
  for (const TopicReport& report : reports) {
    json.BeginObject()
        .Field("topic", report.topic)
        .Field("exists", report.exists)
        .Field("created", report.created)
        .Field("ok", report.ok())
        .Key("settings")
        .BeginArray();
    for (const TopicSetting& setting : report.settings) {
      json.BeginObject()
          .Field("name", setting.name)
          .Field("value", setting.value)
          .Field("expected", setting.expected)
          .Field("ok", setting.ok)
          .Field("required", setting.required)
          .EndObject();
    }
    json.EndArray().EndObject();
  }
  out.Write(json.EndArray().EndObject().Take());
}

// A setting a record; a topic that is missing has none, and one that says so.
void PrintSettings(Format format, const std::vector<TopicReport>& reports, Output& out) {
  RecordPrinter printer(out, format, "topics",
                        {{"topic", "topic"},
                         {"created", "made now"},
                         {"setting", "setting"},
                         {"value", "value"},
                         {"expected", "expected"},
                         {"ok", "ok"},
                         {"required", "required"}});
  for (const TopicReport& report : reports) {
    if (!report.exists) {
      printer.Add({report.topic, report.created, "exists", "false", "true", false, true});
    }
    for (const TopicSetting& setting : report.settings) {
      printer.Add({report.topic, report.created, setting.name, setting.value, setting.expected,
                   setting.ok, setting.required});
    }
  }
  printer.Finish("No topics.");
}

class TopicsCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "topics",
            .group = kMarketGroup,
            .summary = "Make the Kafka topics of a market, or check them",
            .explanation =
                "`create` makes the topics of a market that are missing, set as the market needs "
                "them, and leaves alone those that are there. `check` changes nothing. Both print "
                "what matters of each topic: one partition, no compaction, no end of retention, "
                "the broker's time of appending. `check` exits with 4 where something required is "
                "wrong or missing, and says what to do; what is not required is advice, for data "
                "that outlives a broker.",
            .example =
                "qmarket topics create --brokers 127.0.0.1:19092 --replication 3\n"
                "  qmarket topics check --brokers 127.0.0.1:19092 --market main"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("ACTION", action_, "create or check")
        ->required()
        ->check(CLI::IsMember({"create", "check"}).description(""));
    AddKafkaOptions(app, log_);
    app.add_option("--replication", replication_,
                   "Replicas of each topic that is made; the cluster's default if not given")
        ->type_name("N");
    app.add_flag("--mirror-json", topic_options_.mirror_json,
                 "The topic of outcomes in JSON, too (run --mirror-json)");
    AddFormatOption(app, format_);
  }

  absl::Status Run(Output& out) override {
    log_.log = "kafka";
    if (absl::Status checked = CheckLogOptions(log_); !checked.ok()) return checked;
    if (absl::Status read = ReadReplication(); !read.ok()) return read;
    const absl::StatusOr<MarketTopics> topics = MarketTopicsOf(log_);
    if (!topics.ok()) return topics.status();
    const absl::StatusOr<KafkaConfig> config = KafkaConfigOf(log_);
    if (!config.ok()) return config.status();
    const absl::StatusOr<std::vector<TopicReport>> reports =
        creates() ? CreateTopics(*config, *topics, topic_options_)
                  : CheckTopics(*config, *topics, topic_options_);
    if (!reports.ok()) return reports.status();
    if (format_ == Format::kJson) {
      PrintJson(topics->market, *reports, out);
    } else {
      PrintSettings(format_, *reports, out);
    }
    absl::Status problem =
        TopicProblem(*reports, CreateTopicsCommand(*config, *topics, topic_options_.mirror_json));
    return problem.ok() || creates() ? problem : VerificationError(problem.message());
  }

 private:
  [[nodiscard]] bool creates() const { return action_ == "create"; }

  absl::Status ReadReplication() {
    if (replication_.empty()) return absl::OkStatus();
    if (!creates()) return UsageError("--replication goes with create");
    const absl::StatusOr<std::uint64_t> replicas = ParseCount("--replication", replication_);
    if (!replicas.ok()) return replicas.status();
    if (*replicas < 1 || *replicas > kMostReplicas) {
      return UsageError(absl::StrCat("--replication ", *replicas, ": expected a number from 1 to ",
                                     kMostReplicas));
    }
    topic_options_.replication = static_cast<int>(*replicas);
    return absl::OkStatus();
  }

  std::string action_;
  LogOptions log_;
  std::string replication_;
  TopicOptions topic_options_;
  Format format_ = Format::kTable;
};

}  // namespace

std::unique_ptr<Command> NewTopicsCommand() {
  return std::make_unique<TopicsCommand>();
}

}  // namespace qmarket
