#include "replay/recorded_digest.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include "events/digest.h"

namespace qmarket {
namespace {

// Goes on with the outcomes of a stretch of offsets.
absl::StatusOr<Digest> ChainOn(const LedgerStore& store, Digest start, OffsetRange range) {
  DigestChain chain(start);
  if (range.from > range.to) return chain.value();
  const absl::Status read =
      store.Outcomes(range, [&](std::uint64_t offset, absl::string_view canonical) {
        chain.Add(offset, canonical);
        return true;
      });
  if (!read.ok()) return read;
  return chain.value();
}

}  // namespace

absl::StatusOr<Digest> RecordedDigestAt(const LedgerStore& store, std::uint64_t offset) {
  const absl::StatusOr<std::optional<StoredDigest>> before = store.DigestAt(offset);
  if (!before.ok()) return before.status();
  if (!before->has_value()) return RecomputedDigestAt(store, offset);
  return ChainOn(store, (*before)->digest, {.from = (*before)->offset + 1, .to = offset});
}

absl::StatusOr<Digest> RecomputedDigestAt(const LedgerStore& store, std::uint64_t offset) {
  return ChainOn(store, {}, {.from = 0, .to = offset});
}

}  // namespace qmarket
