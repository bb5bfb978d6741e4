// Proves that what the ledger recorded is what its events lead to.
//
//   absl::StatusOr<std::optional<Difference>> difference = VerifyStore(source, store, progress);
//
// Replays the events that the store has applied, and holds every outcome, every posting, the digest
// chain and every balance against it. The first difference is the answer; none means that they are
// equal.
#ifndef QMARKET_REPLAY_VERIFY_H_
#define QMARKET_REPLAY_VERIFY_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

#include "ledger/store/store.h"
#include "replay/input_source.h"
#include "replay/rebuild.h"

namespace qmarket {

struct Difference {
  std::uint64_t offset = 0;
  std::string what;  // "account team:vision: recorded 5, replayed 7"
};

// `source` gives the log from its beginning up to where the store stands. Errors: those of the
// source and the store.
[[nodiscard]] absl::StatusOr<std::optional<Difference>> VerifyStore(
    InputSource& source, const LedgerStore& store, const RebuildProgress& progress);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_VERIFY_H_
