// Proves that what the ledger recorded is what its events lead to.
//
//   absl::StatusOr<Verified> verified = VerifyStore(source, store, {}, progress);
//   if (verified->difference) ...
//
// Replays the events of a stretch of offsets, and holds every outcome, every posting, the digest
// chain and, at the end, every balance against the ledger's store. The first difference is the
// answer; none means that they are equal.
#ifndef QMARKET_REPLAY_VERIFY_H_
#define QMARKET_REPLAY_VERIFY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

#include "events/event_log.h"
#include "ledger/store/store.h"
#include "matcher/process/replica.h"
#include "replay/difference.h"
#include "replay/input_source.h"
#include "replay/rebuild.h"

namespace qmarket {

struct Stretch {
  Replica start{};          // the market where the source begins
  std::uint64_t first = 0;  // the first offset that is compared; those before are only replayed
  std::uint64_t last = UINT64_MAX;  // the last one; by default the store's
};

struct Verified {
  std::optional<Difference> difference;
  std::uint64_t events = 0;           // compared
  std::optional<std::uint64_t> last;  // offset compared
  Digest digest{};                    // replayed, after it
};

// `source` gives the log from where stretch.start ends to the end of the stretch. Errors: those of
// the source and the store.
[[nodiscard]] absl::StatusOr<Verified> VerifyStore(InputSource& source, const LedgerStore& store,
                                                   Stretch stretch,
                                                   const RebuildProgress& progress);

// Holds the records of the log against the hashes that the store kept when it applied them: so an
// edit that changed no outcome is found, too. Counts records in `progress`. Errors: those of the
// log, DataLoss among them where a record is damaged or missing, and of the store.
[[nodiscard]] absl::StatusOr<std::optional<Difference>> VerifyRecords(
    EventLog& log, const LedgerStore& store, OffsetRange range, const RebuildProgress& progress);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_VERIFY_H_
