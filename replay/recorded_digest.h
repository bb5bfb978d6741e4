// The digest chain of what a ledger has recorded, as of any offset.
#ifndef QMARKET_REPLAY_RECORDED_DIGEST_H_
#define QMARKET_REPLAY_RECORDED_DIGEST_H_

#include <cstdint>

#include "absl/status/statusor.h"

#include "events/fingerprint.h"
#include "ledger/store/store.h"

namespace qmarket {

// The chain after all outcomes at or before `offset`: from the digest of the last commit before it
// on, which takes a moment. Errors: those of the store.
[[nodiscard]] absl::StatusOr<Digest> RecordedDigestAt(const LedgerStore& store,
                                                      std::uint64_t offset);

// The same from the first outcome on, whatever digests are recorded: it takes a pass over all
// outcomes.
[[nodiscard]] absl::StatusOr<Digest> RecomputedDigestAt(const LedgerStore& store,
                                                        std::uint64_t offset);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_RECORDED_DIGEST_H_
