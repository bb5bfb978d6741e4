// Decimal numbers without rounding: rates, costs, and quotients cut after a number of decimals.
//
// Text in, text out; whole numbers of 128 bits between. Pure functions.
#ifndef QMARKET_CONNECTORS_BOOKS_EXACT_H_
#define QMARKET_CONNECTORS_BOOKS_EXACT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

#include "events/int128.h"

namespace qmarket {

// digits / 10^scale, not below zero.
struct Decimal {
  Uint128 digits = 0;
  int scale = 0;
};

// "1", "0.25": at most 9 digits before the point and 9 behind it. None where it is anything else.
[[nodiscard]] std::optional<Decimal> ParseDecimal(absl::string_view text);

// Without zeros at its end: {1250, 3} is "1.25".
[[nodiscard]] std::string DecimalText(const Decimal& value);

[[nodiscard]] Decimal Product(const Decimal& a, const Decimal& b);

// value * factor / divisor, cut after `decimals` (at least value.scale) decimals. divisor > 0, and
// it times the factor fits in 124 bits.
[[nodiscard]] std::string QuotientText(const Decimal& value, std::uint64_t factor, Uint128 divisor,
                                       int decimals);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_EXACT_H_
