#include "matcher/core/unit_run.h"

#include <algorithm>
#include <optional>

namespace qmarket {

Price ReservationPrice(const UnitRun& run, std::int64_t place) {
  const std::int64_t chips = run.team_chips_before.value() + place * run.unit_chips.value();
  const Uint128 affordable =
      FloorDiv(run.purchasing_power, CheckedMul(run.margin, ToUint128(chips)));
  return Price(ToInt64(std::min(affordable, ToUint128(run.cap.value()))));
}

void SetPrices(UnitRun& run, const ExchangeRate& rate) {
  run.first = ReservationPrice(run, 1);
  run.first_reference = rate.ToReservation(run.first);
  run.last_reference =
      run.units == 1 ? run.first_reference : rate.ToReservation(ReservationPrice(run, run.units));
}

std::int64_t UnitsWorth(const UnitRun& run, const ExchangeRate& rate, Price price) {
  if (price <= run.last_reference) return run.units;
  if (price > run.first_reference) return 0;
  const std::optional<Price> local = rate.LowestLocal(price);
  QM_CHECK(local.has_value() && *local > Price(0), "a unit is worth what no local price is");
  // The run's reservation price is not the cap's here for its last unit, so the formula decides.
  const Uint128 most_chips =
      FloorDiv(run.purchasing_power, CheckedMul(run.margin, ToUint128(local->value())));
  const Uint128 before = ToUint128(run.team_chips_before.value());
  if (most_chips <= before) return 0;
  const Uint128 units = (most_chips - before) / ToUint128(run.unit_chips.value());
  return ToInt64(std::min(units, ToUint128(run.units)));
}

}  // namespace qmarket
