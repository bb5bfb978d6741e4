#include "events/kafka/topic_admin.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include <librdkafka/rdkafka.h>

#include "events/kafka/client.h"

namespace qmarket {
namespace {

// The largest outcome, and what is around it.
constexpr std::int64_t kMaxRecordBytes = std::int64_t{17} << 20;
constexpr int kLooks = 50;
constexpr int kAdvisedReplication = 3;
constexpr int kAdvisedInSync = 2;

using NewTopic = std::unique_ptr<rd_kafka_NewTopic_t, kafka::Freer<rd_kafka_NewTopic_destroy>>;
using Resource =
    std::unique_ptr<rd_kafka_ConfigResource_t, kafka::Freer<rd_kafka_ConfigResource_destroy>>;
using AdminOptions =
    std::unique_ptr<rd_kafka_AdminOptions_t, kafka::Freer<rd_kafka_AdminOptions_destroy>>;
using Event = std::unique_ptr<rd_kafka_event_t, kafka::Freer<rd_kafka_event_destroy>>;

// Whether all that is required is known.
bool IsWhole(const TopicReport& report) {
  return report.exists && std::ranges::all_of(report.settings, [](const TopicSetting& setting) {
           return !setting.required || !setting.value.empty();
         });
}

std::map<std::string, std::string> RequiredConfigs() {
  return {{"cleanup.policy", "delete"},
          {"retention.ms", "-1"},
          {"retention.bytes", "-1"},
          {"message.timestamp.type", "LogAppendTime"}};
}

std::vector<std::string> NamesOf(const MarketTopics& topics, const TopicOptions& options) {
  std::vector<std::string> names = {topics.events, topics.outcomes};
  if (options.mirror_json) names.push_back(topics.outcomes_json);
  return names;
}

class Admin {
 public:
  explicit Admin(const KafkaConfig& config) : config_(config) {}

  absl::Status Open() {
    kafka::ClientOptions options;
    options.type = RD_KAFKA_PRODUCER;
    options.events = &events_;
    absl::StatusOr<kafka::Handle> client = kafka::MakeClient(config_, options);
    if (!client.ok()) return client.status();
    client_ = *std::move(client);
    return kafka::Connect(client_.get(), config_).status();
  }

  absl::Status Create(const std::string& name, int replication) {
    std::array<char, 512> text = {};
    const NewTopic topic(rd_kafka_NewTopic_new(name.c_str(), 1, replication > 0 ? replication : -1,
                                               text.data(), text.size()));
    if (topic == nullptr) return absl::InvalidArgumentError(text.data());
    for (const auto& [key, value] : RequiredConfigs())
      rd_kafka_NewTopic_set_config(topic.get(), key.c_str(), value.c_str());
    rd_kafka_NewTopic_set_config(topic.get(), "max.message.bytes",
                                 absl::StrCat(kMaxRecordBytes).c_str());
    if (replication >= kAdvisedReplication) {
      rd_kafka_NewTopic_set_config(topic.get(), "min.insync.replicas",
                                   absl::StrCat(kAdvisedInSync).c_str());
    }
    const AdminOptions options = Options(RD_KAFKA_ADMIN_OP_CREATETOPICS);
    const Event event = Call([&](rd_kafka_queue_t* queue) {
      rd_kafka_NewTopic_t* all = topic.get();
      rd_kafka_CreateTopics(client_.get(), &all, 1, options.get(), queue);
    });
    if (absl::Status status = StatusOf(event.get(), name); !status.ok()) return status;
    std::size_t count = 0;
    const rd_kafka_topic_result_t** const results = rd_kafka_CreateTopics_result_topics(
        rd_kafka_event_CreateTopics_result(event.get()), &count);
    const rd_kafka_resp_err_t error =
        count == 1 ? rd_kafka_topic_result_error(results[0]) : RD_KAFKA_RESP_ERR__FAIL;
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
      return absl::OkStatus();
    }
    const char* const why = count == 1 ? rd_kafka_topic_result_error_string(results[0]) : nullptr;
    return kafka::StatusOf(error, absl::StrCat("making Kafka topic ", name,
                                               why == nullptr ? "" : absl::StrCat(": ", why)));
  }

  absl::StatusOr<TopicReport> Check(const std::string& name) {
    TopicReport report;
    report.topic = name;
    const kafka::Topic handle(rd_kafka_topic_new(client_.get(), name.c_str(), nullptr));
    if (handle == nullptr) {
      return kafka::StatusOf(rd_kafka_last_error(), absl::StrCat("Kafka topic ", name));
    }
    const rd_kafka_metadata_t* metadata = nullptr;
    const rd_kafka_resp_err_t error = kafka::Retry(config_, config_.timeout, [&](int timeout_ms) {
      if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
      metadata = nullptr;
      const rd_kafka_resp_err_t asked =
          rd_kafka_metadata(client_.get(), 0, handle.get(), &metadata, timeout_ms);
      return asked == RD_KAFKA_RESP_ERR_NO_ERROR ? metadata->topics[0].err : asked;
    });
    report.exists = error == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (report.exists) {
      const rd_kafka_metadata_topic_t& topic = metadata->topics[0];
      Expect(report, "partitions", absl::StrCat(topic.partition_cnt), "1");
      if (topic.partition_cnt > 0) {
        Advise(report, "replication.factor", absl::StrCat(topic.partitions[0].replica_cnt),
               kAdvisedReplication);
      }
    }
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return report;
    if (!report.exists) return kafka::StatusOf(error, absl::StrCat("Kafka topic ", name));
    if (absl::Status status = CheckConfigs(report); !status.ok()) return status;
    return report;
  }

 private:
  AdminOptions Options(rd_kafka_admin_op_t operation) {
    AdminOptions options(rd_kafka_AdminOptions_new(client_.get(), operation));
    std::array<char, 512> text = {};
    const int timeout_ms = std::clamp(kafka::ToMs(config_.timeout), 1000, 3'600'000);
    rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, text.data(), text.size());
    return options;
  }

  Event Call(const std::function<void(rd_kafka_queue_t* queue)>& call) {
    const kafka::Queue queue(rd_kafka_queue_new(client_.get()));
    call(queue.get());
    return Event(rd_kafka_queue_poll(queue.get(), -1));  // the request's timeout bounds it
  }

  static absl::Status StatusOf(rd_kafka_event_t* event, const std::string& topic) {
    const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
    return kafka::StatusOf(
        error, absl::StrCat("Kafka topic ", topic, ": ", rd_kafka_event_error_string(event)));
  }

  absl::Status CheckConfigs(TopicReport& report) {
    const Resource resource(
        rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, report.topic.c_str()));
    const AdminOptions options = Options(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    const Event event = Call([&](rd_kafka_queue_t* queue) {
      rd_kafka_ConfigResource_t* all = resource.get();
      rd_kafka_DescribeConfigs(client_.get(), &all, 1, options.get(), queue);
    });
    const absl::Status asked = StatusOf(event.get(), report.topic);
    if (!asked.ok()) return asked;
    std::size_t count = 0;
    const rd_kafka_ConfigResource_t** const resources = rd_kafka_DescribeConfigs_result_resources(
        rd_kafka_event_DescribeConfigs_result(event.get()), &count);
    std::map<std::string, std::string> found;
    // Where we may not see them they stay unknown.
    if (count == 1 && rd_kafka_ConfigResource_error(resources[0]) == RD_KAFKA_RESP_ERR_NO_ERROR) {
      std::size_t entries = 0;
      const rd_kafka_ConfigEntry_t** const configs =
          rd_kafka_ConfigResource_configs(resources[0], &entries);
      for (std::size_t i = 0; i < entries; ++i) {
        const char* const value = rd_kafka_ConfigEntry_value(configs[i]);
        found[rd_kafka_ConfigEntry_name(configs[i])] = value == nullptr ? "" : value;
      }
    }
    for (const auto& [key, value] : RequiredConfigs())
      Expect(report, key, found[key], value);
    Advise(report, "min.insync.replicas", found["min.insync.replicas"], kAdvisedInSync);
    Advise(report, "max.message.bytes", found["max.message.bytes"], kMaxRecordBytes);
    return absl::OkStatus();
  }

  static void Expect(TopicReport& report, std::string name, std::string value,
                     std::string expected) {
    const bool ok = value.empty() || value == expected;
    report.settings.push_back({std::move(name), std::move(value), std::move(expected), ok, true});
  }

  static void Advise(TopicReport& report, std::string name, std::string value,
                     std::int64_t at_least) {
    std::int64_t number = 0;
    const bool ok = !absl::SimpleAtoi(value, &number) || number >= at_least;
    report.settings.push_back(
        {std::move(name), std::move(value), absl::StrCat("at least ", at_least), ok, false});
  }

  const KafkaConfig& config_;
  kafka::ClientEvents events_;
  kafka::Handle client_;
};

}  // namespace

bool TopicReport::ok() const {
  return exists && std::ranges::all_of(settings, [](const TopicSetting& setting) {
           return setting.ok || !setting.required;
         });
}

absl::StatusOr<std::vector<TopicReport>> CreateTopics(const KafkaConfig& config,
                                                      const MarketTopics& topics,
                                                      const TopicOptions& options) {
  Admin admin(config);
  if (absl::Status opened = admin.Open(); !opened.ok()) return opened;
  std::vector<TopicReport> reports;
  for (const std::string& name : NamesOf(topics, options)) {
    absl::StatusOr<TopicReport> before = admin.Check(name);
    if (!before.ok()) return before.status();
    if (before->exists) {
      reports.push_back(*std::move(before));
      continue;
    }
    if (absl::Status made = admin.Create(name, options.replication); !made.ok()) return made;
    // A cluster tells of a new topic, and then of its settings, a little later.
    absl::StatusOr<TopicReport> after = admin.Check(name);
    for (int i = 0; i < kLooks && after.ok() && !IsWhole(*after); ++i) {
      absl::SleepFor(absl::Milliseconds(100));
      after = admin.Check(name);
    }
    if (!after.ok()) return after.status();
    after->created = after->exists;
    reports.push_back(*std::move(after));
  }
  return reports;
}

absl::StatusOr<std::vector<TopicReport>> CheckTopics(const KafkaConfig& config,
                                                     const MarketTopics& topics,
                                                     const TopicOptions& options) {
  Admin admin(config);
  if (absl::Status opened = admin.Open(); !opened.ok()) return opened;
  std::vector<TopicReport> reports;
  for (const std::string& name : NamesOf(topics, options)) {
    absl::StatusOr<TopicReport> report = admin.Check(name);
    if (!report.ok()) return report.status();
    reports.push_back(*std::move(report));
  }
  return reports;
}

std::string CreateTopicsCommand(const KafkaConfig& config, const MarketTopics& topics,
                                bool mirror_json) {
  return absl::StrCat(
      "qmarket topics create --brokers ", config.brokers, " --market ", topics.market,
      topics.prefix == kDefaultTopicPrefix ? "" : " --topic-prefix " + topics.prefix,
      mirror_json ? " --mirror-json" : "");
}

absl::Status TopicProblem(const std::vector<TopicReport>& reports, const std::string& make) {
  for (const TopicReport& report : reports) {
    if (!report.exists) {
      return absl::NotFoundError(
          absl::StrCat("there is no Kafka topic ", report.topic, "; make it with `", make, "`"));
    }
    for (const TopicSetting& setting : report.settings) {
      if (setting.ok || !setting.required) continue;
      const std::string found = absl::StrCat("Kafka topic ", report.topic, " has ", setting.name,
                                             "=", setting.value, ", expected ", setting.expected);
      if (setting.name == "partitions") {
        return absl::FailedPreconditionError(
            absl::StrCat(found, ": the order of its records is the truth"));
      }
      return absl::FailedPreconditionError(absl::StrCat(
          found,
          ": the market is rebuilt from its records. Set it with `kafka-configs.sh --alter "
          "--entity-type topics --entity-name ",
          report.topic, " --add-config ", setting.name, "=", setting.expected, "`"));
    }
  }
  return absl::OkStatus();
}

}  // namespace qmarket
