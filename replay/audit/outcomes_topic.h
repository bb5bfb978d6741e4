// Whether the outcomes' topic of a market on Kafka has every outcome that the ledger recorded, each
// once, in order, to the byte.
//
//   absl::Status status = AuditOutcomesTopic(config, topics, scan, log, report);
//
// Compared are the records' values; their keys and headers repeat what is in them.
#ifndef QMARKET_REPLAY_AUDIT_OUTCOMES_TOPIC_H_
#define QMARKET_REPLAY_AUDIT_OUTCOMES_TOPIC_H_

#include "absl/status/status.h"

#include "events/event_log.h"
#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"
#include "ledger/store/scan.h"
#include "replay/audit/report.h"

namespace qmarket {

// Errors: those of a broker that cannot be reached.
[[nodiscard]] absl::Status AuditOutcomesTopic(const KafkaConfig& config, const MarketTopics& topics,
                                              const StoreScan& scan, EventLog& log,
                                              AuditReport& report);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_OUTCOMES_TOPIC_H_
