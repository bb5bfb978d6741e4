// The event log of a market in a Kafka topic of one partition.
//
//   absl::StatusOr<std::unique_ptr<KafkaLog>> log = KafkaLog::Open(config, topics);
//
// Any number of processes append and read. Appended records are acknowledged by all replicas in
// sync (acks=all, idempotent producer), with CloudEvents headers. Readers see committed records
// only; offsets have holes where transactions begin and end. The topic must keep its records for
// ever (topic_admin.h): the market is rebuilt from them.
//
// A log that is not what it was is never read on silently: where the topic begins after the offset
// that is asked for, ends before it, or holds another record at the last offset that was read, that
// is DataLoss. Brokers that are away are waited for, config.patience long.
//
// All methods may be called from any thread; reading is by one at a time. Memory: some 64 MiB of
// records fetched ahead, and what is being appended.
#ifndef QMARKET_EVENTS_KAFKA_KAFKA_LOG_H_
#define QMARKET_EVENTS_KAFKA_KAFKA_LOG_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/event_log.h"
#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"

namespace qmarket {

// How the identity of every log on Kafka begins.
inline constexpr char kKafkaIdentity[] = "kafka:";

class KafkaLog : public EventLog {
 public:
  // Errors: Unavailable, no broker answers within config.timeout; NotFound, there is no such topic,
  // with what to do; FailedPrecondition, the topic has several partitions; InvalidArgument, a
  // property that librdkafka does not take.
  static absl::StatusOr<std::unique_ptr<KafkaLog>> Open(const KafkaConfig& config,
                                                        const MarketTopics& topics);

  ~KafkaLog() override;

  // Always durable: by all replicas in sync. Unavailable after config.patience, or five minutes:
  // they may be in the log or not. InvalidArgument where a record is larger than the topic takes.
  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records,
                                       Durability durability) override;

  [[nodiscard]] absl::Status Sync() override { return absl::OkStatus(); }

  absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records,
                                std::size_t max_bytes) override;

  // By the time that the broker stamped.
  absl::StatusOr<std::uint64_t> FindByTime(std::int64_t append_time_ms) override;

  absl::StatusOr<std::uint64_t> EndOffset() override;

  absl::StatusOr<bool> WaitFor(std::uint64_t from, absl::Duration timeout) override;

  // "kafka:CLUSTER/TOPIC"
  [[nodiscard]] std::string Identity() const override;

 private:
  struct Impl;

  explicit KafkaLog(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_KAFKA_LOG_H_
