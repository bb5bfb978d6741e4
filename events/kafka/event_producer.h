// Appends records to a market's topic of events: idempotent, acknowledged by all replicas in sync.
//
//   absl::StatusOr<std::unique_ptr<EventProducer>> producer = EventProducer::Open(config, topics);
//   absl::StatusOr<AppendedRange> range = (*producer)->Append(records);
//
// One thread at a time.
#ifndef QMARKET_EVENTS_KAFKA_EVENT_PRODUCER_H_
#define QMARKET_EVENTS_KAFKA_EVENT_PRODUCER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "events/event_log.h"
#include "events/kafka/client.h"
#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"

namespace qmarket {

class EventProducer {
 public:
  // Does not connect. Errors: InvalidArgument, a property that librdkafka does not take.
  static absl::StatusOr<std::unique_ptr<EventProducer>> Open(const KafkaConfig& config,
                                                             const MarketTopics& topics);

  EventProducer(const EventProducer&) = delete;
  EventProducer& operator=(const EventProducer&) = delete;
  ~EventProducer();

  // Waits until all are acknowledged, brokers that are away too. After a fatal error of the client
  // it makes a new one, and sends what was not acknowledged again: then a record may be there
  // twice, which the market takes once. Errors: Unavailable, not acknowledged within
  // config.patience or five minutes, they may be there or not; InvalidArgument, a record is too
  // large for the topic; NotFound, there is no such topic.
  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records);

 private:
  struct Delivery;

  EventProducer(KafkaConfig config, MarketTopics topics);

  absl::Status MakeProducer();
  // One attempt for those that are not acknowledged yet.
  void Send(absl::Span<const std::string> records, std::vector<Delivery>& deliveries);

  KafkaConfig config_;
  MarketTopics topics_;
  kafka::ClientEvents events_;
  kafka::Handle producer_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_EVENT_PRODUCER_H_
