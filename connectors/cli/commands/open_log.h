// The log and the ledger's store of the market that a command's options name.
//
//   absl::StatusOr<std::unique_ptr<EventLog>> log = OpenLogForReading(options, "qmarket-data");
//
// `options` must have passed CheckLogOptions. `data_dir` is the folder of --data, whichever the
// market.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_OPEN_LOG_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_OPEN_LOG_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/options.h"
#include "events/event_log.h"
#include "events/kafka/kafka_config.h"
#include "events/kafka/kafka_log.h"
#include "events/kafka/market_topics.h"
#include "ledger/store/store.h"

namespace qmarket {

// How to reach the Kafka cluster that the options name; for all but a matcher, patience is the
// timeout. It reports on stderr where the brokers are away. Errors: UsageError; those of
// ReadKafkaProperties.
[[nodiscard]] absl::StatusOr<KafkaConfig> KafkaConfigOf(const LogOptions& options);

// The topics of the market that they name. Errors: UsageError.
[[nodiscard]] absl::StatusOr<MarketTopics> MarketTopicsOf(const LogOptions& options);

// Both at once, and the log opened, to append too.
[[nodiscard]] absl::StatusOr<std::unique_ptr<KafkaLog>> OpenKafkaLog(const LogOptions& options);

// Errors: NotFound, with what to do next, where there is no log; those of CheckLogIsHere and of the
// log.
[[nodiscard]] absl::StatusOr<std::unique_ptr<EventLog>> OpenLogForReading(
    const LogOptions& options, const std::string& data_dir);

// NotFound, with what to do next, where there is no store; those of the store.
[[nodiscard]] absl::StatusOr<std::unique_ptr<LedgerStore>> OpenStoreForReading(
    const LogOptions& options, const std::string& data_dir);

// FailedPrecondition where the options say that the log is embedded, and there is a store that was
// made from a log on Kafka.
[[nodiscard]] absl::Status CheckLogIsHere(const LogOptions& options, const std::string& data_dir);

// FailedPrecondition where the store was made from another log.
[[nodiscard]] absl::Status CheckLogOfStore(const EventLog& log, const StoreState& state,
                                           const LogOptions& options, const std::string& data_dir);

// The log that the store was made from. Errors: those of OpenLogForReading and CheckLogOfStore.
[[nodiscard]] absl::StatusOr<std::unique_ptr<EventLog>> OpenLogOfStore(const LogOptions& options,
                                                                       const std::string& data_dir,
                                                                       const StoreState& state);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_OPEN_LOG_H_
