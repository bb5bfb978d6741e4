// Appends records to topics in transactions, as the only one with its transactional id.
//
//   absl::StatusOr<std::unique_ptr<TransactionalProducer>> producer =
//       TransactionalProducer::Open(config, "qmarket.main", {"topic"}, stop);
//   absl::Status status = (*producer)->Commit(records);   // all of them, or none
//
// Opening it fences whoever had the id before: what that one had not committed is aborted, and it
// can commit nothing any more. After an error a producer is of no use: it is dropped, and a new one
// opened, which settles the open transaction. Whether that one was committed can be seen in the
// topic.
//
// One thread at a time.
#ifndef QMARKET_EVENTS_KAFKA_TRANSACTIONAL_PRODUCER_H_
#define QMARKET_EVENTS_KAFKA_TRANSACTIONAL_PRODUCER_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "events/kafka/kafka_config.h"
#include "events/kafka/record_headers.h"

namespace qmarket {

struct KeyedRecord {
  std::string topic;
  std::string key;  // empty: none
  std::string value;
  std::vector<RecordHeader> headers;
};

class TransactionalProducer {
 public:
  // `topics`: those that it will append to. Waits for the brokers until `stop` is set, which must
  // outlive it. Errors: Cancelled, it was; Aborted, another one is
  // fencing this one at the same time; InvalidArgument, a property that librdkafka does not take.
  static absl::StatusOr<std::unique_ptr<TransactionalProducer>> Open(
      const KafkaConfig& config, const std::string& id, const std::vector<std::string>& topics,
      const std::atomic<bool>& stop);

  TransactionalProducer(const TransactionalProducer&) = delete;
  TransactionalProducer& operator=(const TransactionalProducer&) = delete;

  // Aborts what is not committed, as far as it can.
  ~TransactionalProducer();

  // Appends all of the records in one transaction, each topic's in their order. Waits for brokers
  // that are away, until `stop` is set. Errors: Aborted, another one has taken over the id, and
  // nothing was appended; Unavailable, the transaction may be committed or not; Cancelled;
  // DataLoss, a topic ends before what this producer had appended to it, and nothing was appended
  // now; else the brokers refuse a record for good.
  absl::Status Commit(absl::Span<const KeyedRecord> records);

 private:
  class Impl;

  explicit TransactionalProducer(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_TRANSACTIONAL_PRODUCER_H_
