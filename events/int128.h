// 128-bit integers with checked products (mechanism §2).
//
// Everything that decides an outcome is an integer. The ranges of the contract keep every product
// within 128 bits, so an overflow is a broken invariant and stops the process.
#ifndef QMARKET_EVENTS_INT128_H_
#define QMARKET_EVENTS_INT128_H_

#include <cstdint>
#include <limits>
#include <string>

#include "events/check.h"

namespace qmarket {

__extension__ using Int128 = __int128;
__extension__ using Uint128 = unsigned __int128;

inline constexpr Uint128 kMaxUint128 = ~Uint128{0};
inline constexpr Int128 kMaxInt128 = static_cast<Int128>(kMaxUint128 >> 1);

// a * b; stops the process where the product does not fit.
[[nodiscard]] constexpr Uint128 CheckedMul(Uint128 a, Uint128 b) {
  const bool small = ((a | b) >> 64) == 0;
  if (!small && a != 0) {
    QM_CHECK(b <= kMaxUint128 / a, "a product does not fit in 128 bits");
  }
  return a * b;
}

// a + b; stops the process where the sum does not fit.
[[nodiscard]] constexpr Uint128 CheckedAdd(Uint128 a, Uint128 b) {
  QM_CHECK(a <= kMaxUint128 - b, "a sum does not fit in 128 bits");
  return a + b;
}

// floor(a / b), b > 0. A 64-bit division where both fit: it is much faster.
[[nodiscard]] constexpr Uint128 FloorDiv(Uint128 a, Uint128 b) {
  QM_CHECK(b != 0, "a division by zero");
  if (((a | b) >> 64) == 0) {
    return static_cast<std::uint64_t>(a) / static_cast<std::uint64_t>(b);
  }
  return a / b;
}

// ceil(a / b), b > 0.
[[nodiscard]] constexpr Uint128 CeilDiv(Uint128 a, Uint128 b) {
  const Uint128 quotient = FloorDiv(a, b);
  return quotient * b == a ? quotient : quotient + 1;
}

// The value as a signed 64-bit integer; stops the process where it does not fit.
[[nodiscard]] constexpr std::int64_t ToInt64(Uint128 value) {
  QM_CHECK(value <= static_cast<Uint128>(std::numeric_limits<std::int64_t>::max()),
           "a value does not fit in 64 bits");
  return static_cast<std::int64_t>(value);
}

// The value, not below zero, as an unsigned one.
[[nodiscard]] constexpr Uint128 ToUint128(Int128 value) {
  QM_CHECK(value >= 0, "a value that must not be negative is");
  return static_cast<Uint128>(value);
}

// Decimal text.
[[nodiscard]] std::string ToString(Int128 value);
[[nodiscard]] std::string ToString(Uint128 value);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_INT128_H_
