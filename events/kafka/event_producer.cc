#include "events/kafka/event_producer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/kafka/produce.h"
#include "events/kafka/record_headers.h"

namespace qmarket {
namespace {

constexpr absl::Duration kLongestDelivery = absl::Minutes(5);
constexpr int kAttempts = 5;
constexpr int kPollMs = 100;

}  // namespace

// How a record fared.
struct EventProducer::Delivery {
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR__NO_OFFSET;  // not sent yet
  bool waiting = false;
  std::int64_t offset = -1;

  [[nodiscard]] bool acknowledged() const { return error == RD_KAFKA_RESP_ERR_NO_ERROR; }
};

namespace {

template <typename Delivery>
void OnDelivered(rd_kafka_t* /*client*/, const rd_kafka_message_t* message, void* opaque) {
  auto* const delivery = static_cast<Delivery*>(message->_private);
  delivery->error = message->err;
  delivery->offset = message->offset;
  delivery->waiting = false;
  auto* const events = static_cast<kafka::ClientEvents*>(opaque);
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR && events->contact != nullptr) {
    events->contact->Answered();
  }
}

}  // namespace

EventProducer::EventProducer(KafkaConfig config, MarketTopics topics)
    : config_(std::move(config)), topics_(std::move(topics)) {}

EventProducer::~EventProducer() = default;

absl::StatusOr<std::unique_ptr<EventProducer>> EventProducer::Open(const KafkaConfig& config,
                                                                   const MarketTopics& topics) {
  std::unique_ptr<EventProducer> producer(new EventProducer(config, topics));
  if (absl::Status made = producer->MakeProducer(); !made.ok()) return made;
  return producer;
}

absl::Status EventProducer::MakeProducer() {
  const absl::Duration patience = std::min(config_.patience, kLongestDelivery);
  kafka::ClientOptions options;
  options.type = RD_KAFKA_PRODUCER;
  options.fixed = {{"enable.idempotence", "true"},
                   {"acks", "all"},
                   {"message.timeout.ms", absl::StrCat(kafka::ToMs(patience))},
                   {"request.timeout.ms", "10000"},
                   {"message.max.bytes", "20000000"},
                   {"linger.ms", "1"},
                   {"compression.codec", "lz4"}};
  options.set_up = [](rd_kafka_conf_t* conf) {
    rd_kafka_conf_set_dr_msg_cb(conf, OnDelivered<Delivery>);
  };
  options.events = &events_;
  producer_.reset();
  absl::StatusOr<kafka::Handle> made = kafka::MakeClient(config_, options);
  if (!made.ok()) return made.status();
  producer_ = *std::move(made);
  return absl::OkStatus();
}

void EventProducer::Send(absl::Span<const std::string> records, std::vector<Delivery>& deliveries) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    Delivery& delivery = deliveries[i];
    if (delivery.acknowledged()) continue;
    delivery.error = kafka::Produce(producer_.get(), topics_.events, "", records[i],
                                    HeadersOfEvent(topics_.market, records[i]), &delivery);
    delivery.waiting = delivery.error == RD_KAFKA_RESP_ERR_NO_ERROR;
    if (!delivery.waiting) break;  // those behind it would overtake it
    delivery.error = RD_KAFKA_RESP_ERR__IN_PROGRESS;
  }
  // message.timeout.ms bounds this.
  while (std::ranges::any_of(deliveries, &Delivery::waiting))
    rd_kafka_poll(producer_.get(), kPollMs);
}

absl::StatusOr<AppendedRange> EventProducer::Append(absl::Span<const std::string> records) {
  if (records.empty()) return absl::InvalidArgumentError("there are no records to append");
  std::vector<Delivery> deliveries(records.size());
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) {
      if (absl::Status made = MakeProducer(); !made.ok()) return made;
    }
    Send(records, deliveries);
    if (rd_kafka_fatal_error(producer_.get(), nullptr, 0) == RD_KAFKA_RESP_ERR_NO_ERROR) break;
  }
  const auto failed =
      std::ranges::find_if(deliveries, [](const Delivery& d) { return !d.acknowledged(); });
  if (failed != deliveries.end()) {
    const std::string what =
        absl::StrCat("appending to Kafka topic ", topics_.events, ": ",
                     std::ranges::count_if(deliveries, &Delivery::acknowledged), " of ",
                     records.size(), " records are acknowledged, the others may be there or not");
    switch (failed->error) {
      case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
      case RD_KAFKA_RESP_ERR__FATAL:
      case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
      case RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
      case RD_KAFKA_RESP_ERR__NO_OFFSET:
        return absl::UnavailableError(absl::StrCat(what, ": ", rd_kafka_err2str(failed->error)));
      default:
        return kafka::StatusOf(failed->error, what);
    }
  }
  const auto first = std::ranges::min(deliveries, {}, &Delivery::offset).offset;
  const auto last = std::ranges::max(deliveries, {}, &Delivery::offset).offset;
  return AppendedRange{.first = static_cast<std::uint64_t>(std::max(first, std::int64_t{0})),
                       .end = static_cast<std::uint64_t>(last + 1)};
}

}  // namespace qmarket
