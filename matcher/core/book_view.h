// The order book of the last cycle as plain values: every unit with its reservation price, and what
// it got (mechanism §3-§5).
//
// For questions such as why a bid runs. Units are part of the names; "reference" prices are in
// reference credits, the others in the pool's.
#ifndef QMARKET_MATCHER_CORE_BOOK_VIEW_H_
#define QMARKET_MATCHER_CORE_BOOK_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/int128.h"

namespace qmarket {

// Consecutive units of one bid: its block of min_chips, or single chips that follow one formula
// (§3, Units). What it says of the bid was so when the bid's team was planned.
struct UnitRunView {
  std::string bid;
  std::string team;
  std::string pool;
  std::string resource;
  std::int32_t priority = 0;
  std::uint64_t place = 0;  // of the bid, in the log
  bool first = false;       // it begins with the bid's first unit
  bool running = false;     // the bid paid for these chips before the cycle
  bool planned = false;     // by the team's plan; else passed over
  std::int64_t units = 0;   // units of
  std::int64_t chips = 0;   // so many chips each
  std::int64_t filled = 0;  // units that the market gave it: the first ones

  // rho of a unit is min(limit, 10^12, floor(power / (margin * F))): power is max(0, 100 * beta -
  // A), F the team's chips on the resource up to and including the unit, `chips_before` those up to
  // the first unit of the run (§3.4).
  Uint128 power = 0;
  std::uint32_t margin_percent = 0;  // m
  std::int64_t chips_before = 0;
  std::int64_t reservation_price_micros = 0;  // rho of the first unit

  std::int64_t first_reference_micros = 0;                // rho_ref of the first unit
  std::int64_t last_reference_micros = 0;                 // of the last
  std::optional<std::int64_t> lowest_filled_micros{};     // rho_ref of the last filled unit
  std::optional<std::int64_t> highest_unfilled_micros{};  // rho_ref of the first that is not
};

// A team's plan at the last cycle (§3).
struct QueueView {
  Uint128 enter_cap_micros_per_hour = 0;  // beta_enter
  Uint128 keep_cap_micros_per_hour = 0;   // beta_keep
  bool gave_up = false;                   // units at the budget check (§5.4)
  std::vector<UnitRunView> runs;          // in the order of §3.4
};

// What was stated for a bid's team and resource, and counts from the next tick on (§6).
struct StatedView {
  std::int64_t income_micros_per_hour = 0;
  std::uint32_t income_leverage_percent = 0;
  std::int64_t pool_incomes_micros_per_hour = 0;  // of all teams of its pool together
  std::int64_t shared_chips = 0;
  std::int64_t owned_chips = 0;  // by its pool
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_BOOK_VIEW_H_
