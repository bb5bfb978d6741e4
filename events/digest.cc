#include "events/digest.h"

#include <array>
#include <cstddef>

namespace qmarket {

void DigestChain::Add(std::uint64_t offset, absl::string_view canonical_outcomes) {
  std::array<char, 8> big_endian;
  for (std::size_t i = 0; i < big_endian.size(); ++i) {
    big_endian[i] = static_cast<char>(offset >> (8 * (big_endian.size() - 1 - i)));
  }
  value_ = Sha256({absl::string_view(reinterpret_cast<const char*>(value_.data()), value_.size()),
                   absl::string_view(big_endian.data(), big_endian.size()), canonical_outcomes});
}

}  // namespace qmarket
