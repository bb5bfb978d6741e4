// Publishes a market's outcomes to its Kafka topic, each exactly once, and appends its ticks.
//
//   OutcomePublisher publisher(store, options);     // from now on this process owns the market
//   publisher.Publish(next_offset);                 // all outcomes below are durable in the store
//   publisher.Tick(EncodeEvent(tick));
//
// The outbox is the store's table of outcomes: what is durable there and not yet in the topic. How
// far the topic is, its last committed record says: it names the input offset and the index of the
// outcome. Outcomes leave in transactions, which are as large as what has gathered meanwhile. When
// one fails it is settled first, by opening a new producer, and the topic is asked again. So
// nothing is missing and nothing is there twice for a reader of committed records, whatever
// crashes.
//
// The transactional id belongs to the market: whoever opens it last is the owner, and all before
// it are fenced. Ticks go through it too, so that one that was fenced appends none.
//
// It works in a thread of its own. All methods may be called from any thread.
#ifndef QMARKET_MATCHER_PROCESS_OUTCOME_PUBLISHER_H_
#define QMARKET_MATCHER_PROCESS_OUTCOME_PUBLISHER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"

#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"
#include "ledger/store/store.h"

namespace qmarket {

struct PublisherOptions {
  KafkaConfig kafka;
  MarketTopics topics;
  bool mirror_json = false;  // to topics.outcomes_json too, in the same transactions
  // One line for people. From the publisher's thread.
  std::function<void(const std::string& line)> on_report{};
};

class OutcomePublisher {
 public:
  // `store` must outlive it.
  OutcomePublisher(const LedgerStore& store, PublisherOptions options);

  OutcomePublisher(const OutcomePublisher&) = delete;
  OutcomePublisher& operator=(const OutcomePublisher&) = delete;

  // Publishes nothing more from its return on. A transaction that is open is aborted.
  ~OutcomePublisher();

  // All outcomes of offsets below `next_offset` are durable in the store.
  void Publish(std::uint64_t next_offset);

  // Appends a tick to the log. One that was not appended yet is replaced.
  void Tick(std::string record);

  // Whether it has taken over the market's transactions.
  [[nodiscard]] bool ready() const;

  // All outcomes of offsets below are in the topic.
  [[nodiscard]] std::uint64_t published() const;

  // OK while it works. Aborted: another matcher has taken over; FailedPrecondition: the topic's
  // last outcome is not what the log led to; DataLoss, NotFound: the topic is not what it was.
  [[nodiscard]] absl::Status status() const;

 private:
  class Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_OUTCOME_PUBLISHER_H_
