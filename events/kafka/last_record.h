// The last committed record of a topic: how far its writer came.
#ifndef QMARKET_EVENTS_KAFKA_LAST_RECORD_H_
#define QMARKET_EVENTS_KAFKA_LAST_RECORD_H_

#include <atomic>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

#include "events/event_log.h"
#include "events/kafka/kafka_config.h"

namespace qmarket {

// None where the topic never had one. To be called by the only one who writes there, who has
// settled what an earlier one had left open: it waits until all that was ever sent there is
// committed or aborted. Errors: Cancelled, `stop` was set; those of KafkaLog::Open; DataLoss, where
// all records that there were are deleted.
absl::StatusOr<std::optional<LogRecord>> ReadLastRecord(const KafkaConfig& config,
                                                        const std::string& topic,
                                                        const std::atomic<bool>& stop);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_LAST_RECORD_H_
