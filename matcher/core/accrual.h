// What accrues over time at a rate, exactly (mechanism §6, Accrual).
#ifndef QMARKET_MATCHER_CORE_ACCRUAL_H_
#define QMARKET_MATCHER_CORE_ACCRUAL_H_

#include "events/check.h"
#include "events/int128.h"
#include "events/units.h"

namespace qmarket {

// A rate in micro-credits per hour, and what it has brought since the last settlement in
// micro-credits times milliseconds per hour. The part of a micro-credit that is left is carried,
// never lost.
class Accrual {
 public:
  Accrual() = default;

  explicit Accrual(TimeMs start) : since_(start) {}

  [[nodiscard]] Uint128 rate() const { return rate_; }

  // All it knows, for writing it down and reading it again.
  template <typename Archive>
  void Fields(Archive& archive) {
    archive(rate_, accrued_, since_);
  }

  template <typename Archive>
  void Fields(Archive& archive) const {
    archive(rate_, accrued_, since_);
  }

  // Accrued up to `now`, in micro-credits * ms per hour.
  [[nodiscard]] Uint128 At(TimeMs now) const {
    QM_CHECK(now >= since_, "time runs backwards");
    return CheckedAdd(accrued_, CheckedMul(rate_, ToUint128((now - since_).value())));
  }

  // From `now` on another rate.
  void SetRate(TimeMs now, Uint128 rate) {
    accrued_ = At(now);
    since_ = now;
    rate_ = rate;
  }

  // Takes the whole micro-credits that have accrued up to `now`.
  [[nodiscard]] Uint128 TakeWhole(TimeMs now) {
    const Uint128 accrued = At(now);
    const Uint128 whole = FloorDiv(accrued, ToUint128(kMsPerHour));
    accrued_ = accrued - whole * ToUint128(kMsPerHour);
    since_ = now;
    return whole;
  }

 private:
  Uint128 rate_ = 0;
  Uint128 accrued_ = 0;
  TimeMs since_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_ACCRUAL_H_
