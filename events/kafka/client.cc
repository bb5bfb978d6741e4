#include "events/kafka/client.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace qmarket::kafka {
namespace {

constexpr absl::Duration kLongestCall = absl::Seconds(1);
constexpr absl::Duration kPause = absl::Milliseconds(100);

// Ours, which the user's properties may change. A broker that does not answer is given up after ten
// seconds, not a minute, and connections come back within two.
const std::vector<KafkaProperty>& Defaults() {
  static const auto* const defaults = new std::vector<KafkaProperty>{
      {"client.id", "qmarket"},
      {"socket.timeout.ms", "10000"},
      {"socket.connection.setup.timeout.ms", "5000"},
      {"socket.keepalive.enable", "true"},
      {"socket.nagle.disable", "true"},
      {"reconnect.backoff.ms", "50"},
      {"reconnect.backoff.max.ms", "2000"},
      {"retry.backoff.ms", "100"},
      {"allow.auto.create.topics", "false"},
      // How large a batch may be once it is unpacked; a small one can be packed so tight.
      {"receive.message.max.bytes", "1000000000"},
  };
  return *defaults;
}

// What no client takes from the user's properties: the market's guarantees rest on them, or one of
// its clients sets them.
const std::set<std::string>& Reserved() {
  static const auto* const reserved =
      new std::set<std::string>{"acks",
                                "auto.offset.reset",
                                "bootstrap.servers",
                                "check.crcs",
                                "compression.codec",
                                "compression.type",
                                "enable.auto.commit",
                                "enable.auto.offset.store",
                                "enable.idempotence",
                                "enable.partition.eof",
                                "fetch.wait.max.ms",
                                "group.id",
                                "group.instance.id",
                                "heartbeat.interval.ms",
                                "isolation.level",
                                "linger.ms",
                                "max.in.flight",
                                "max.in.flight.requests.per.connection",
                                "message.max.bytes",
                                "message.timeout.ms",
                                "delivery.timeout.ms",
                                "metadata.broker.list",
                                "partition.assignment.strategy",
                                "queue.buffering.max.ms",
                                "receive.message.max.bytes",
                                "request.required.acks",
                                "request.timeout.ms",
                                "session.timeout.ms",
                                "topic.blacklist",
                                "transaction.timeout.ms",
                                "transactional.id"};
  return *reserved;
}

class Conf {
 public:
  Conf() : conf_(rd_kafka_conf_new()) {}

  Conf(const Conf&) = delete;
  Conf& operator=(const Conf&) = delete;

  ~Conf() {
    if (conf_ != nullptr) rd_kafka_conf_destroy(conf_);
  }

  absl::Status Set(const KafkaProperty& property) {
    std::array<char, 512> error = {};
    const rd_kafka_conf_res_t result = rd_kafka_conf_set(
        conf_, property.key.c_str(), property.value.c_str(), error.data(), error.size());
    if (result == RD_KAFKA_CONF_OK) return absl::OkStatus();
    // The value may be a secret.
    return absl::InvalidArgumentError(
        absl::StrCat("Kafka property ", property.key, ": ", error.data()));
  }

  rd_kafka_conf_t* get() { return conf_; }

  void Release() { conf_ = nullptr; }

 private:
  rd_kafka_conf_t* conf_;
};

void OnError(rd_kafka_t* /*client*/, int error, const char* reason, void* opaque) {
  auto* const events = static_cast<ClientEvents*>(opaque);
  if (events == nullptr) return;
  ++events->troubles;
  if (events->contact != nullptr && error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    events->contact->Lost(reason);
  }
}

// What librdkafka says to people is for its own developers: errors come back from its calls.
void OnLog(const rd_kafka_t* /*client*/, int /*level*/, const char* /*facility*/,
           const char* /*text*/) {}

}  // namespace

int ToMs(absl::Duration duration) {
  return static_cast<int>(
      std::clamp(absl::ToInt64Milliseconds(duration), std::int64_t{0}, std::int64_t{INT32_MAX}));
}

absl::StatusOr<Handle> MakeClient(const KafkaConfig& config, const ClientOptions& options) {
  if (config.brokers.empty()) return absl::InvalidArgumentError("no Kafka brokers are given");
  Conf conf;
  std::set<std::string> fixed = Reserved();
  for (const KafkaProperty& property : options.fixed)
    fixed.insert(property.key);
  for (const KafkaProperty& property : Defaults()) {
    if (absl::Status set = conf.Set(property); !set.ok()) return set;
  }
  for (const KafkaProperty& property : config.properties) {
    if (fixed.contains(property.key)) {
      return absl::InvalidArgumentError(
          absl::StrCat("Kafka property ", property.key, ": qmarket sets it itself; leave it out"));
    }
    if (absl::Status set = conf.Set(property); !set.ok()) return set;
  }
  if (absl::Status set = conf.Set({"bootstrap.servers", config.brokers}); !set.ok()) return set;
  for (const KafkaProperty& property : options.fixed) {
    if (absl::Status set = conf.Set(property); !set.ok()) return set;
  }
  rd_kafka_conf_set_error_cb(conf.get(), OnError);
  rd_kafka_conf_set_log_cb(conf.get(), OnLog);
  if (options.events != nullptr) options.events->contact = config.contact.get();
  rd_kafka_conf_set_opaque(conf.get(), options.events);
  if (options.set_up != nullptr) options.set_up(conf.get());
  std::array<char, 512> error = {};
  Handle client(rd_kafka_new(options.type, conf.get(), error.data(), error.size()));
  if (client == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("the Kafka client: ", error.data()));
  }
  conf.Release();  // the client has it
  return client;
}

bool IsForTheMoment(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__WAIT_CACHE:
    case RD_KAFKA_RESP_ERR__IN_PROGRESS:
    case RD_KAFKA_RESP_ERR__OUTDATED:
    case RD_KAFKA_RESP_ERR__RETRY:
    case RD_KAFKA_RESP_ERR__UNKNOWN_BROKER:
    case RD_KAFKA_RESP_ERR__BAD_MSG:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS:
    case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
      return true;
    default:
      return false;
  }
}

rd_kafka_resp_err_t FindOffset(rd_kafka_t* client, const std::string& topic, std::int64_t time_ms,
                               int timeout_ms, std::int64_t& offset) {
  const Partitions partitions(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_t* const partition =
      rd_kafka_topic_partition_list_add(partitions.get(), topic.c_str(), 0);
  partition->offset = time_ms;
  const rd_kafka_resp_err_t error =
      rd_kafka_offsets_for_times(client, partitions.get(), timeout_ms);
  offset = partition->offset;
  return error == RD_KAFKA_RESP_ERR_NO_ERROR ? partition->err : error;
}

rd_kafka_resp_err_t Retry(const KafkaConfig& config, absl::Duration timeout,
                          absl::FunctionRef<rd_kafka_resp_err_t(int timeout_ms)> attempt) {
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    const absl::Duration left = deadline - absl::Now();
    const rd_kafka_resp_err_t error =
        attempt(std::max(ToMs(std::min(left, kLongestCall)), ToMs(kPause)));
    if (!IsForTheMoment(error) || absl::Now() >= deadline) return error;
    if (config.stopped && config.stopped()) return error;
    absl::SleepFor(kPause);
  }
}

absl::Status StatusOf(rd_kafka_resp_err_t error, absl::string_view what) {
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return absl::OkStatus();
  const std::string message = absl::StrCat(what, ": ", rd_kafka_err2str(error));
  if (IsForTheMoment(error)) return absl::UnavailableError(message);
  switch (error) {
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
      return absl::NotFoundError(message);
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return absl::PermissionDeniedError(message);
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
      return absl::UnauthenticatedError(message);
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_CONFIG:
    case RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR:
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
      return absl::InvalidArgumentError(message);
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
      return absl::AbortedError(message);
    default:
      return absl::InternalError(message);
  }
}

absl::StatusOr<std::string> Connect(rd_kafka_t* client, const KafkaConfig& config) {
  const rd_kafka_resp_err_t error = Retry(config, config.timeout, [client](int timeout_ms) {
    const rd_kafka_metadata_t* metadata = nullptr;
    const rd_kafka_resp_err_t result = rd_kafka_metadata(client, 0, nullptr, &metadata, timeout_ms);
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    return result;
  });
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const absl::Status status =
        StatusOf(error, absl::StrCat("no Kafka broker answers at ", config.brokers, " within ",
                                     absl::FormatDuration(config.timeout)));
    return status;
  }
  if (config.contact != nullptr) config.contact->Answered();
  char* const id = rd_kafka_clusterid(client, ToMs(kLongestCall));
  if (id == nullptr) {
    return absl::UnavailableError(
        absl::StrCat("the Kafka cluster at ", config.brokers, " does not give its id"));
  }
  std::string cluster = id;
  rd_kafka_mem_free(client, id);
  return cluster;
}

absl::StatusOr<int> CountPartitions(rd_kafka_t* client, const KafkaConfig& config,
                                    const std::string& topic) {
  int partitions = 0;
  const rd_kafka_resp_err_t error = Retry(config, config.timeout, [&](int timeout_ms) {
    const Topic handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
    if (handle == nullptr) return rd_kafka_last_error();  // properties that contradict each other
    const rd_kafka_metadata_t* metadata = nullptr;
    rd_kafka_resp_err_t result = rd_kafka_metadata(client, 0, handle.get(), &metadata, timeout_ms);
    if (result == RD_KAFKA_RESP_ERR_NO_ERROR && metadata->topic_cnt == 1) {
      result = metadata->topics[0].err;
      partitions = metadata->topics[0].partition_cnt;
    }
    if (metadata != nullptr) rd_kafka_metadata_destroy(metadata);
    return result;
  });
  if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return 0;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return StatusOf(error, absl::StrCat("Kafka topic ", topic));
  }
  return partitions;
}

}  // namespace qmarket::kafka
