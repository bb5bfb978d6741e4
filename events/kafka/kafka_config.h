// How to reach a Kafka cluster.
//
//   KafkaConfig config = {.brokers = "kafka1:9092,kafka2:9092"};
//   absl::StatusOr<std::vector<KafkaProperty>> properties =
//   ReadKafkaProperties("kafka.properties"); config.properties = *properties;   // TLS, SASL and
//   whatever else librdkafka knows
//
// Plain values.
#ifndef QMARKET_EVENTS_KAFKA_KAFKA_CONFIG_H_
#define QMARKET_EVENTS_KAFKA_KAFKA_CONFIG_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace qmarket {

class BrokerContact;  // broker_contact.h

struct KafkaProperty {
  std::string key;
  std::string value;
};

struct KafkaConfig {
  std::string brokers;                      // HOST:PORT, comma separated
  std::vector<KafkaProperty> properties{};  // of librdkafka, over our own
  // So long the brokers may be away when something is opened.
  absl::Duration timeout = absl::Seconds(30);
  // So long they may be away later, before a call gives up with Unavailable. A matcher waits for
  // ever.
  absl::Duration patience = absl::InfiniteDuration();
  // Asked while something waits; true: give up soon. On the waiting thread. May be empty.
  std::function<bool()> stopped{};
  // Reports when brokers are away and when they are back; shared by all that use this config. May
  // be empty.
  std::shared_ptr<BrokerContact> contact{};
};

// Reads lines "key=value" (spaces around both are dropped); blank lines, and those that begin with
// #, are skipped. Errors: NotFound, no such file; InvalidArgument, with file and line: no "=", an
// empty or repeated key.
[[nodiscard]] absl::StatusOr<std::vector<KafkaProperty>> ReadKafkaProperties(
    const std::string& path);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_KAFKA_CONFIG_H_
