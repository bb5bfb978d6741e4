// Whether the store's index (matcher/process/outcome_index.h) has what the outcomes say, with its
// value, and no more.
//
//   IndexAudit audit(scan, report);
//   audit.Add(offset, outcomes);   // of each offset that has some, in order
//   audit.Finish();
//
// Entries are compared by their hashes, by stretches of offsets, so that memory is bounded; where
// they differ, the entries themselves are. Not thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_INDEX_H_
#define QMARKET_REPLAY_AUDIT_INDEX_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "absl/types/span.h"

#include "events/fingerprint.h"
#include "events/outcome.h"
#include "ledger/store/scan.h"
#include "replay/audit/report.h"

namespace qmarket {

class IndexAudit {
 public:
  // Both must outlive this.
  IndexAudit(const StoreScan& scan, AuditReport& report);

  // Offsets grow.
  void Add(std::uint64_t offset, absl::Span<const Outcome> outcomes);

  // Call once, at the end.
  void Finish();

 private:
  // An entry of the index: where it is, and the hash of its kind, name and value.
  struct Entry {
    std::uint64_t offset = 0;
    Fingerprint hash{};

    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  void Compare(std::uint64_t to);
  [[nodiscard]] std::vector<Entry> ReadEntries(std::uint64_t to);
  // Says what differs at these offsets.
  void Describe(const std::set<std::uint64_t>& offsets);

  const StoreScan& scan_;
  AuditCheck& check_;
  std::uint64_t from_ = 0;
  std::vector<Entry> expected_;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_INDEX_H_
