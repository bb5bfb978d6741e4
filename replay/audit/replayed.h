// Whether what is recorded of every offset is what the market makes of its event.
//
//   Replayed replayed(scan, report);
//   absl::Span<const Outcome> recorded = replayed.Take(input, record_changed);
//   replayed.Finish();
//
// The one core runs from the log's beginning, and goes on where something differs: one outcome that
// was changed is one finding. Not thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_REPLAYED_H_
#define QMARKET_REPLAY_AUDIT_REPLAYED_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

#include "events/outcome.h"
#include "ledger/store/scan.h"
#include "matcher/core/input.h"
#include "matcher/process/replica.h"
#include "replay/audit/report.h"

namespace qmarket {

class Replayed {
 public:
  // Both must outlive this.
  Replayed(const StoreScan& scan, AuditReport& report);

  // The next input; `changed`: its record is known to be another one than the ledger has applied,
  // so that what differs from here on is the log's fault. Gives the outcomes that are recorded of
  // it; they are there until the next call.
  absl::Span<const Outcome> Take(const Input& input, bool changed);

  // Call once, after all that the store has applied.
  void Finish();

  void GiveUp() { check_.GiveUp(); }

  // Some record is another one than the ledger has applied.
  [[nodiscard]] bool log_changed() const { return log_changed_; }

  // The log is another one now, and leads elsewhere: what follows says nothing of the store.
  [[nodiscard]] bool diverged() const { return log_changed_ && check_.findings() > 0; }

  [[nodiscard]] const Replica& replica() const { return replica_; }

 private:
  // What is recorded of offsets below this one, which the log has no record of.
  void PassBefore(std::uint64_t offset);
  void CheckPostings(std::uint64_t offset, absl::Span<const Posting> replayed);
  void CheckAccounts();
  void Find(const char* object, std::uint64_t offset, std::string what);

  const StoreScan& scan_;
  AuditCheck& check_;
  StoreCursor outcomes_;
  StoreCursor journal_;
  Replica replica_;
  Replica::Applied applied_;
  std::vector<Outcome> recorded_;  // where they are not what the replay makes
  bool log_changed_ = false;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_REPLAYED_H_
