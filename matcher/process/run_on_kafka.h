// The long-running matcher on a Kafka cluster: `qmarket run --log kafka`.
//
// Every market has a store of its own (data_dir.h), and the input offset lies in the store's atomic
// commits (engine.h). The owner of a market publishes its outcomes in transactions
// (outcome_publisher.h) and appends its ticks; all others that follow it are hot standbys: they
// apply everything, and publish nothing.
//
// Without a group the matcher owns the market that it is given, and takes it over from any other.
// With a group the markets are shared by Kafka's group protocol. An owner that was thought dead is
// fenced before it can publish, and ends with what happened. SIGINT and SIGTERM end it cleanly.
#ifndef QMARKET_MATCHER_PROCESS_RUN_ON_KAFKA_H_
#define QMARKET_MATCHER_PROCESS_RUN_ON_KAFKA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"

#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"

namespace qmarket {

struct KafkaRunOptions {
  KafkaConfig kafka;  // its `contact` is set by RunOnKafka
  std::string prefix = kDefaultTopicPrefix;
  // With a group: a regular expression over the names of all markets there are, and will be.
  std::string market = "main";
  std::string group{};       // empty: none
  bool standby = true;       // with a group: follow the markets that others own, too
  bool mirror_json = false;  // publish the outcomes in JSON, too
  // Without a group: own nothing, publish nothing, add no ticks; for a ledger to ask.
  bool observe = false;
  std::string data_dir{};
  // Adds no ticks; ends when all that was in the log at the start is applied, durable and (but for
  // an observer) published. Without a group only.
  bool once = false;
  std::size_t max_batch_records = 1024;               // engine.h
  std::optional<std::uint64_t> checkpoint_records{};  // likewise
  // While a market is rebuilt from the log: how many of how many offsets are done.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_rebuild{};
  // One line for people. From any thread, one at a time.
  std::function<void(const std::string& line)> on_report{};
};

// Errors: Unavailable, no broker answers within the timeout; Aborted, another matcher has taken
// over; NotFound or FailedPrecondition, a topic is missing or not as it must be, or the log is not
// the one that the store was made from; those of the log, the store and the engine.
[[nodiscard]] absl::Status RunOnKafka(const KafkaRunOptions& options);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_RUN_ON_KAFKA_H_
