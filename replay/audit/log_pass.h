// One pass over the log, from its beginning: every record is there and is the one that the ledger
// has applied, ids are unique, effective times are kept, and the market makes of it what is
// recorded.
#ifndef QMARKET_REPLAY_AUDIT_LOG_PASS_H_
#define QMARKET_REPLAY_AUDIT_LOG_PASS_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"

#include "events/event_log.h"
#include "ledger/store/scan.h"
#include "matcher/process/replica.h"
#include "replay/audit/report.h"

namespace qmarket {

class LogPass {
 public:
  // How many records were taken, of how many.
  using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;
  // All records below `next_offset` were applied, and this is the market now. Called before each
  // record, and at the end of what the ledger has applied.
  using Reached = std::function<void(std::uint64_t next_offset, const Replica& replica,
                                     const Digest& last_record_hash)>;

  // Begins the checks. All must outlive this.
  LogPass(EventLog& log, const StoreScan& scan, AuditReport& report);

  LogPass(const LogPass&) = delete;
  LogPass& operator=(const LogPass&) = delete;
  ~LogPass();

  // Makes them; once. `end`: the log's, where the pass ends. Errors: those of a log that cannot be
  // reached; what is damaged is a finding.
  [[nodiscard]] absl::Status Run(std::uint64_t end, const Progress& progress,
                                 const Reached& reached);

  // Whether all that the ledger has applied was replayed.
  [[nodiscard]] bool replayed() const;

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_LOG_PASS_H_
