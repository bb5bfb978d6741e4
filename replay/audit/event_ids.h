// Whether every event id took effect once: that whatever repeats one was rejected as `duplicate`
// or `id_reused`, and nothing else was (the contract, mechanism §7).
//
// It keeps ids of its own, by their hashes, and knows nothing of the market. Not thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_EVENT_IDS_H_
#define QMARKET_REPLAY_AUDIT_EVENT_IDS_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"

#include "events/fingerprint.h"
#include "events/outcome.h"
#include "matcher/core/input.h"
#include "replay/audit/report.h"

namespace qmarket {

class EventIds {
 public:
  // The report must outlive this.
  explicit EventIds(AuditReport& report);

  // Of each record, in the order of the log, with the outcomes that are recorded of it.
  void Take(const Input& input, absl::Span<const Outcome> recorded);

  void GiveUp() { check_.GiveUp(); }

 private:
  struct Known {
    Fingerprint content{};
    std::uint64_t offset = 0;
  };

  void Find(std::uint64_t offset, AuditPart where, std::string what);

  AuditCheck& check_;
  absl::flat_hash_map<Fingerprint, Known> known_;  // looked up only
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_EVENT_IDS_H_
