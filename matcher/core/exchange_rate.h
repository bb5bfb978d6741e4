// A pool's exchange rate between local and reference credits (mechanism §1, §2).
#ifndef QMARKET_MATCHER_CORE_EXCHANGE_RATE_H_
#define QMARKET_MATCHER_CORE_EXCHANGE_RATE_H_

#include <optional>

#include "events/int128.h"
#include "events/units.h"

namespace qmarket {

// Reservation prices, local and reference, are cut here (§2); a reference pool price above it has
// no local price (§4).
inline constexpr Price kMaxReservationPrice{1'000'000'000'000};

// Local prices are cut here (§4).
inline constexpr Price kMaxLocalPrice{1'000'000'000'000'000'000};

// R = N / D: the reference credits that a local credit is worth. Kept as a reduced fraction. A rate
// whose numerator or denominator is 0 is none.
class ExchangeRate {
 public:
  ExchangeRate() = default;  // none
  ExchangeRate(Uint128 numerator, Uint128 denominator);

  [[nodiscard]] bool exists() const { return numerator_ != 0; }

  [[nodiscard]] Uint128 numerator() const { return numerator_; }

  [[nodiscard]] Uint128 denominator() const { return denominator_; }

  // floor(local * R), cut at kMaxReservationPrice; 0 where there is no rate.
  [[nodiscard]] Price ToReservation(Price local) const;

  // The lowest local price that ToReservation takes to at least `reference`, itself at most
  // kMaxReservationPrice; none where no local price up to kMaxReservationPrice does.
  [[nodiscard]] std::optional<Price> LowestLocal(Price reference) const;

  // A reference pool price as the pool's teams pay it: never less than its share (§4).
  [[nodiscard]] std::optional<Price> ToLocalPrice(std::optional<Price> reference) const;

  friend bool operator==(const ExchangeRate&, const ExchangeRate&) = default;

 private:
  Uint128 numerator_ = 0;
  Uint128 denominator_ = 0;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_EXCHANGE_RATE_H_
