// The whole audit of a market: that its log, its ledger's store and its checkpoints are what was
// written, belong together, and follow the rules.
//
//   AuditReport report;
//   absl::Status status = AuditMarket({.log_dir = ..., .store_dir = ...}, progress, report);
//   report.verified();
//
// It changes nothing and works beside a running matcher: then it is about what the matcher had
// applied when the audit began. Only the replay runs the market; all else is computed again from
// what is recorded, by code of its own. docs/audit.md says what is proved by it and what is not.
#ifndef QMARKET_REPLAY_AUDIT_AUDIT_H_
#define QMARKET_REPLAY_AUDIT_AUDIT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"

#include "events/event_log.h"
#include "events/kafka/kafka_config.h"
#include "events/kafka/market_topics.h"
#include "replay/audit/report.h"

namespace qmarket {

struct AuditTarget {
  std::string log_dir{};  // of an embedded log; empty: the log is `log`
  EventLog* log = nullptr;
  std::string store_dir;
  std::string checkpoints_dir{};
  // Where a log on Kafka is, and the topic of its outcomes.
  std::optional<KafkaConfig> kafka{};
  std::optional<MarketTopics> topics{};
};

// The name of the check of the store's files: unless it is ok, nothing else opened the store.
inline constexpr char kStoreFilesCheck[] = "store files";

// What it does, and how far it is with that.
using AuditProgress =
    std::function<void(const char* what, std::uint64_t done, std::uint64_t total)>;

// Adds to the report; it was empty. What is damaged is a finding; errors are what kept it from
// looking: NotFound, there is neither a log nor a store; Unavailable, a service does not answer;
// FailedPrecondition, something was made by a newer program.
[[nodiscard]] absl::Status AuditMarket(const AuditTarget& target, const AuditProgress& progress,
                                       AuditReport& report);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_AUDIT_H_
