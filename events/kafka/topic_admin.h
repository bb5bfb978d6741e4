// Makes the topics of a market, and checks that they keep history as the market needs it.
//
//   absl::StatusOr<std::vector<TopicReport>> made = CreateTopics(config, topics, {});
//   absl::StatusOr<std::vector<TopicReport>> found = CheckTopics(config, topics, {});
//
// What a market needs of its topics: one partition, as the order is the truth; cleanup.policy
// delete, never compact; no end of retention by time or size; the broker's time of appending as the
// record's time.
#ifndef QMARKET_EVENTS_KAFKA_TOPIC_ADMIN_H_
#define QMARKET_EVENTS_KAFKA_TOPIC_ADMIN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"

namespace qmarket {

struct TopicOptions {
  int replication = 0;       // of topics that are made; 0: the cluster's default
  bool mirror_json = false;  // the topic of outcomes in JSON, too
};

// A setting of a topic that matters to the market.
struct TopicSetting {
  std::string name;      // "retention.ms", "partitions", "replication.factor", ...
  std::string value;     // empty: unknown, as the cluster does not let us see it
  std::string expected;  // "-1"; "at least 2" is advice
  bool ok = true;        // an unknown one is
  bool required = true;  // false: advice, for data that outlives a broker

  friend bool operator==(const TopicSetting&, const TopicSetting&) = default;
};

struct TopicReport {
  std::string topic;
  bool exists = false;
  bool created = false;  // by this call
  std::vector<TopicSetting> settings{};

  // Exists, and every required setting is right.
  [[nodiscard]] bool ok() const;
};

// Makes those that are missing, as they must be; leaves those that are there alone. Reports on all,
// as CheckTopics. Errors: Unavailable, no broker answers within config.timeout; PermissionDenied;
// InvalidArgument, such a replication is not possible.
absl::StatusOr<std::vector<TopicReport>> CreateTopics(const KafkaConfig& config,
                                                      const MarketTopics& topics,
                                                      const TopicOptions& options);

// Errors: Unavailable, no broker answers within config.timeout.
absl::StatusOr<std::vector<TopicReport>> CheckTopics(const KafkaConfig& config,
                                                     const MarketTopics& topics,
                                                     const TopicOptions& options);

// The first thing that is wrong with what was reported, with what to do: NotFound where a topic is
// missing, FailedPrecondition where a required setting is wrong.
// `make` is the command that makes what is missing.
[[nodiscard]] absl::Status TopicProblem(const std::vector<TopicReport>& reports,
                                        const std::string& make);

// `qmarket topics create ...`, for people to paste.
[[nodiscard]] std::string CreateTopicsCommand(const KafkaConfig& config, const MarketTopics& topics,
                                              bool mirror_json = false);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_TOPIC_ADMIN_H_
