// The digest chain: one link for every input offset that had outcomes.
//
//   link = SHA-256(previous link, offset as 8 bytes big endian, canonical bytes of the outcomes)
//
// The first link follows 32 zero bytes. Two chains are equal exactly where the same offsets had the
// same outcomes (docs/formats.md). A value; not thread-safe.
#ifndef QMARKET_EVENTS_DIGEST_H_
#define QMARKET_EVENTS_DIGEST_H_

#include <cstdint>

#include "absl/strings/string_view.h"

#include "events/fingerprint.h"

namespace qmarket {

class DigestChain {
 public:
  explicit DigestChain(Digest start = {}) : value_(start) {}

  // Adds the link of `offset`. `canonical_outcomes` is what EncodeOutcomes gives for its outcomes,
  // of which there is at least one: an offset without outcomes has no link.
  void Add(std::uint64_t offset, absl::string_view canonical_outcomes);

  [[nodiscard]] const Digest& value() const { return value_; }

  friend bool operator==(const DigestChain&, const DigestChain&) = default;

 private:
  Digest value_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_DIGEST_H_
