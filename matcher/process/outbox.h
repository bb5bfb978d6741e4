// What is to be published next: outcomes of the store, from a place on, as records of Kafka topics.
//
// Not thread-safe; the store may be committed to meanwhile.
#ifndef QMARKET_MATCHER_PROCESS_OUTBOX_H_
#define QMARKET_MATCHER_PROCESS_OUTBOX_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "events/event_log.h"
#include "events/kafka/market_topics.h"
#include "events/kafka/transactional_producer.h"
#include "events/outcome_wire.h"
#include "ledger/store/store.h"

namespace qmarket {

// The place of an outcome: the offset of the input, and the index under it.
struct OutcomePlace {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;
};

// The most that goes into a transaction.
struct OutboxLimits {
  std::size_t records = std::size_t{64} << 10;
  std::size_t bytes = std::size_t{16} << 20;  // of values
};

struct OutboxBatch {
  std::vector<KeyedRecord> records;
  std::size_t bytes = 0;  // of their values
  OutcomePlace next;      // where to go on; all before it is in `records`
};

class Outbox {
 public:
  // `store` must outlive it.
  Outbox(const LedgerStore& store, MarketTopics topics, bool mirror_json, OutboxLimits limits = {});

  // The outcomes from `from` on of offsets below `end`, as many as go into a transaction. Errors:
  // those of the store.
  absl::StatusOr<OutboxBatch> Next(OutcomePlace from, std::uint64_t end) const;

  // The place of a record of the outcomes' topic. Errors: DataLoss, it is no outcome.
  static absl::StatusOr<OutcomePlace> PlaceOf(const LogRecord& record);

  // Whether the record is the outcome that the store has at its place. FailedPrecondition where it
  // is not.
  absl::Status Check(const LogRecord& record) const;

 private:
  // The records of one outcome.
  absl::Status Add(const OutcomeRecord& record, OutboxBatch& batch) const;

  const LedgerStore& store_;
  MarketTopics topics_;
  bool mirror_json_;
  OutboxLimits limits_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_OUTBOX_H_
