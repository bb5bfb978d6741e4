#include "matcher/core/exchange_rate.h"

#include <algorithm>

namespace qmarket {

namespace {

Uint128 GreatestCommonDivisor(Uint128 a, Uint128 b) {
  while (b != 0) {
    const Uint128 rest = a - FloorDiv(a, b) * b;
    a = b;
    b = rest;
  }
  return a;
}

Uint128 Ticks(Price price) {
  return ToUint128(price.value());
}

}  // namespace

ExchangeRate::ExchangeRate(Uint128 numerator, Uint128 denominator) {
  if (numerator == 0 || denominator == 0) return;
  const Uint128 divisor = GreatestCommonDivisor(numerator, denominator);
  numerator_ = numerator / divisor;
  denominator_ = denominator / divisor;
}

Price ExchangeRate::ToReservation(Price local) const {
  if (!exists()) return Price(0);
  const Uint128 reference = FloorDiv(CheckedMul(Ticks(local), numerator_), denominator_);
  return Price(ToInt64(std::min(reference, Ticks(kMaxReservationPrice))));
}

std::optional<Price> ExchangeRate::LowestLocal(Price reference) const {
  if (reference <= Price(0)) return Price(0);
  if (!exists() || reference > kMaxReservationPrice) return std::nullopt;
  const Uint128 local = CeilDiv(CheckedMul(Ticks(reference), denominator_), numerator_);
  if (local > Ticks(kMaxReservationPrice)) return std::nullopt;
  return Price(ToInt64(local));
}

std::optional<Price> ExchangeRate::ToLocalPrice(std::optional<Price> reference) const {
  if (reference == Price(0)) return Price(0);
  if (!reference || *reference > kMaxReservationPrice || !exists()) return std::nullopt;
  const Uint128 local = CeilDiv(CheckedMul(Ticks(*reference), denominator_), numerator_);
  return Price(ToInt64(std::min(local, Ticks(kMaxLocalPrice))));
}

}  // namespace qmarket
