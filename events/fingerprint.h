// SHA-256, whole and cut to 128 bits.
//
// The hash and its scratch memory are set up once per thread: a call on a small message costs what
// the hash does. Use the functions from any thread.
#ifndef QMARKET_EVENTS_FINGERPRINT_H_
#define QMARKET_EVENTS_FINGERPRINT_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace qmarket {

using Digest = std::array<std::uint8_t, 32>;

// 128 bits of a cryptographic hash: equal exactly where the hashed bytes are.
using Fingerprint = std::array<std::uint8_t, 16>;

// SHA-256 of the parts, one after the other.
[[nodiscard]] Digest Sha256(absl::Span<const absl::string_view> parts);

// The first 16 bytes of it.
[[nodiscard]] Fingerprint FrontOf(const Digest& digest);

// The first 16 bytes of SHA-256.
[[nodiscard]] Fingerprint FingerprintOf(absl::string_view bytes);

// Lower-case hexadecimal.
[[nodiscard]] std::string ToHex(absl::Span<const std::uint8_t> bytes);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_FINGERPRINT_H_
