// Strong types for the quantities and ids of the market (mechanism §1, §2).
//
// They do not convert to each other by accident. Sums and differences are checked: an overflow is a
// broken invariant. Products leave the types through value() and are made in 128 bits (int128.h).
#ifndef QMARKET_EVENTS_UNITS_H_
#define QMARKET_EVENTS_UNITS_H_

#include <compare>
#include <cstdint>

#include "events/check.h"

namespace qmarket {

// A signed 64-bit amount of one unit.
template <typename Tag>
class Quantity {
 public:
  constexpr Quantity() = default;

  constexpr explicit Quantity(std::int64_t value) : value_(value) {}

  [[nodiscard]] constexpr std::int64_t value() const { return value_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 takes a defaulted comparison for a 0.
  friend constexpr auto operator<=>(Quantity, Quantity) = default;

  constexpr Quantity& operator+=(Quantity other) {
    QM_CHECK(!__builtin_add_overflow(value_, other.value_, &value_), "a sum overflows");
    return *this;
  }

  constexpr Quantity& operator-=(Quantity other) {
    QM_CHECK(!__builtin_sub_overflow(value_, other.value_, &value_), "a difference overflows");
    return *this;
  }

  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }

  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }

 private:
  std::int64_t value_ = 0;
};

// A dense index into the table of one kind of thing, given in the order of first appearance.
template <typename Tag>
class Id {
 public:
  constexpr Id() = default;

  constexpr explicit Id(std::uint32_t index) : index_(index) {}

  [[nodiscard]] constexpr std::uint32_t index() const { return index_; }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang 14 takes a defaulted comparison for a 0.
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t index_ = UINT32_MAX;
};

using Credits = Quantity<struct CreditsTag>;      // micro-credits, 10^-6 of a credit
using Price = Quantity<struct PriceTag>;          // ticks: micro-credits per chip-hour
using Chips = Quantity<struct ChipsTag>;          // accelerators
using TimeMs = Quantity<struct TimeTag>;          // milliseconds since the Unix epoch, UTC
using DurationMs = Quantity<struct DurationTag>;  // milliseconds

using PoolId = Id<struct PoolIdTag>;
using TeamId = Id<struct TeamIdTag>;
using ResourceId = Id<struct ResourceIdTag>;
using BidId = Id<struct BidIdTag>;
using AccountId = Id<struct AccountIdTag>;
using CurrencyId = Id<struct CurrencyIdTag>;

inline constexpr std::int64_t kMsPerHour = 3'600'000;

}  // namespace qmarket

#endif  // QMARKET_EVENTS_UNITS_H_
