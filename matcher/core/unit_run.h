// Units of bids, in runs with one formula (mechanism §3, Units and Reservation price).
//
// A bid is a sequence of units: one block of min_chips, then single chips. Consecutive units of the
// same size and kind, planned alike, form a run. Their reservation prices follow one formula, so
// they are counted in closed form and never enumerated.
#ifndef QMARKET_MATCHER_CORE_UNIT_RUN_H_
#define QMARKET_MATCHER_CORE_UNIT_RUN_H_

#include <cstdint>

#include "events/int128.h"
#include "events/units.h"
#include "matcher/core/exchange_rate.h"

namespace qmarket {

struct UnitRun {
  BidId bid;
  ResourceId resource;
  bool running = false;  // the bid pays for these chips now
  bool planned = false;  // by the team's plan; else passed over
  std::int64_t units = 0;
  Chips unit_chips{};            // of each unit
  Chips bid_chips_before{};      // of the bid, in the units before the run
  Chips team_chips_before{};     // of the team on the resource, before the run: F of its first unit
                                 // is this and unit_chips
  std::uint32_t margin = 100;    // m, in percent
  Uint128 purchasing_power = 0;  // max(0, 100 * beta - A)
  Price cap{};                   // min(limit, 10^12)
  Price first{};                 // rho of the first unit, local
  Price first_reference{};       // rho_ref of the first unit
  Price last_reference{};        // rho_ref of the last unit: never above the first's
  std::int64_t filled = 0;       // units that the market gave it: the first ones

  [[nodiscard]] Chips chips() const { return Chips(units * unit_chips.value()); }

  [[nodiscard]] Chips filled_chips() const { return Chips(filled * unit_chips.value()); }
};

// rho of the unit at `place` (1 is the run's first), in local ticks.
[[nodiscard]] Price ReservationPrice(const UnitRun& run, std::int64_t place);

// Computes the prices kept in the run: first, first_reference, last_reference.
void SetPrices(UnitRun& run, const ExchangeRate& rate);

// How many of the run's units have rho_ref >= price: the first ones.
[[nodiscard]] std::int64_t UnitsWorth(const UnitRun& run, const ExchangeRate& rate, Price price);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_UNIT_RUN_H_
