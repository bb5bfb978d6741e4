// Numbers as 8 bytes, most significant first, so that they sort as bytes as they do as numbers.
#ifndef QMARKET_EVENTS_BIG_ENDIAN_H_
#define QMARKET_EVENTS_BIG_ENDIAN_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace qmarket {

using BigEndian = std::array<char, 8>;

[[nodiscard]] inline BigEndian ToBigEndian(std::uint64_t value) {
  BigEndian bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<char>(value >> (8 * (bytes.size() - 1 - i)));
  }
  return bytes;
}

// Of the first 8 bytes, or of all where there are fewer.
[[nodiscard]] inline std::uint64_t FromBigEndian(absl::string_view bytes) {
  std::uint64_t value = 0;
  for (const char byte : bytes.substr(0, sizeof(value))) {
    value = (value << 8) | static_cast<std::uint8_t>(byte);
  }
  return value;
}

}  // namespace qmarket

#endif  // QMARKET_EVENTS_BIG_ENDIAN_H_
