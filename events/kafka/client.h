// What all uses of librdkafka share: handles that free themselves, clients made from a KafkaConfig,
// errors as statuses. For the .cc files of this folder.
#ifndef QMARKET_EVENTS_KAFKA_CLIENT_H_
#define QMARKET_EVENTS_KAFKA_CLIENT_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include <librdkafka/rdkafka.h>

#include "events/kafka/broker_contact.h"
#include "events/kafka/kafka_config.h"

namespace qmarket::kafka {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* thing) const {
    Free(thing);
  }
};

using Handle = std::unique_ptr<rd_kafka_t, Freer<rd_kafka_destroy>>;
using Message = std::unique_ptr<rd_kafka_message_t, Freer<rd_kafka_message_destroy>>;
using Topic = std::unique_ptr<rd_kafka_topic_t, Freer<rd_kafka_topic_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Freer<rd_kafka_queue_destroy>>;
using Partitions =
    std::unique_ptr<rd_kafka_topic_partition_list_t, Freer<rd_kafka_topic_partition_list_destroy>>;
using Error = std::unique_ptr<rd_kafka_error_t, Freer<rd_kafka_error_destroy>>;

// What befell a client. Must outlive it.
struct ClientEvents {
  BrokerContact* contact = nullptr;         // may be null
  std::atomic<std::uint64_t> troubles = 0;  // connections that broke, requests that timed out, ...
};

// What a use of the client needs.
struct ClientOptions {
  rd_kafka_type_t type = RD_KAFKA_CONSUMER;
  // Beside our defaults, and not to be changed by the user's properties.
  std::vector<KafkaProperty> fixed{};
  // Sets further callbacks; their opaque is `events`.
  void (*set_up)(rd_kafka_conf_t* conf) = nullptr;
  ClientEvents* events = nullptr;
};

// Does not connect yet. Errors: InvalidArgument, a property that librdkafka does not take, or one
// that is fixed.
absl::StatusOr<Handle> MakeClient(const KafkaConfig& config, const ClientOptions& options);

// Waits until the cluster answers, config.timeout at most, and gives its id. Errors: Unavailable.
absl::StatusOr<std::string> Connect(rd_kafka_t* client, const KafkaConfig& config);

// How many partitions the topic has; none where there is no such topic. Errors: Unavailable, after
// config.timeout; PermissionDenied.
absl::StatusOr<int> CountPartitions(rd_kafka_t* client, const KafkaConfig& config,
                                    const std::string& topic);

// The offset of the first record at or after the time, in `offset`; -1 where there is none. Or of
// kEarliest and kLatest: where the topic begins and ends, as far as its records are settled. (Not
// by rd_kafka_query_watermark_offsets: with a leader that is away it does not keep to its timeout.)
inline constexpr std::int64_t kLatest = -1;
inline constexpr std::int64_t kEarliest = -2;
rd_kafka_resp_err_t FindOffset(rd_kafka_t* client, const std::string& topic, std::int64_t time_ms,
                               int timeout_ms, std::int64_t& offset);

// Calls `attempt` until it gives an answer or an error that is not for the moment, `timeout` at
// most, or until config.stopped says so.
rd_kafka_resp_err_t Retry(const KafkaConfig& config, absl::Duration timeout,
                          absl::FunctionRef<rd_kafka_resp_err_t(int timeout_ms)> attempt);

// Whether it may work when tried again: brokers away, a new leader, a timeout.
[[nodiscard]] bool IsForTheMoment(rd_kafka_resp_err_t error);

// "WHAT: TEXT OF THE ERROR"
[[nodiscard]] absl::Status StatusOf(rd_kafka_resp_err_t error, absl::string_view what);

[[nodiscard]] int ToMs(absl::Duration duration);

}  // namespace qmarket::kafka

#endif  // QMARKET_EVENTS_KAFKA_CLIENT_H_
