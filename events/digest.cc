#include "events/digest.h"

#include "events/big_endian.h"

namespace qmarket {

void DigestChain::Add(std::uint64_t offset, absl::string_view canonical_outcomes) {
  const BigEndian place = ToBigEndian(offset);
  value_ = Sha256({absl::string_view(reinterpret_cast<const char*>(value_.data()), value_.size()),
                   absl::string_view(place.data(), place.size()), canonical_outcomes});
}

}  // namespace qmarket
