// The standing bids, and all that one cycle of the market works on (mechanism §3-§5).
//
// The event machine (market_state.h) keeps these tables up to date between cycles; the pure
// clearing function (snapshot.h) fills them from a snapshot. The steps of a cycle read and write
// them in the order of cycle.h. What a cycle found is kept: a cycle works only on teams and
// resources whose `replan` or `reclear` flag was set since.
#ifndef QMARKET_MATCHER_CORE_STANDING_H_
#define QMARKET_MATCHER_CORE_STANDING_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "events/int128.h"
#include "events/units.h"
#include "matcher/core/demand.h"
#include "matcher/core/exchange_rate.h"
#include "matcher/core/id_vector.h"
#include "matcher/core/unit_run.h"

namespace qmarket {

struct StandingBid {
  TeamId team;
  ResourceId resource;
  Chips chips;
  Chips min_chips;
  std::optional<Price> limit;
  std::int32_t priority = 0;
  bool opportunistic = false;
  bool standby = true;
  std::uint64_t place = 0;  // in the log
  Chips held;               // what it has now
  Chips paid;               // of it at the price
  bool ended = false;
  bool set_aside = false;  // needs more than there is (§4)

  // Of the last cycle:
  Price reservation;                    // rho of its first unit, local
  Chips next_held;                      // what the cycle gives it
  Chips next_paid;                      // of it at the price
  std::optional<Price> first_unfilled;  // rho_ref of its first unfilled unit
  bool last_filled_is_marginal = false;

  [[nodiscard]] bool in_queue() const { return !ended && !opportunistic && !set_aside; }
};

struct TeamQueue {
  PoolId pool;
  Uint128 enter_cap = 0;      // beta_enter
  Uint128 keep_cap = 0;       // beta_keep
  std::vector<BidId> bids;    // standing ones
  std::vector<UnitRun> runs;  // in the order of §3.4
  bool replan = true;
  bool gave_up = false;  // units at the last budget check
};

struct PoolTerms {
  ExchangeRate rate;
  bool lend_idle = true;
};

// One pool's part of one resource.
struct Cell {
  Chips owned;                        // s_k
  Chips lent;                         // L_k
  Chips own;                          // o_k = s_k - L_k
  std::optional<Price> reference;     // x_k
  std::optional<Price> local;         // what its teams pay
  std::optional<Price> local_before;  // at the cycle before
  std::optional<Price> planning;      // the running mean of local prices
  Chips paid;                         // chips filled at the price
  Chips unpaid;                       // chips filled beyond them
  std::vector<UnitRun*> runs;         // of its teams' bids, each team's in the order of §3.4
  Demand demand;                      // D_k

  // What the pool buys of the shared chips.
  [[nodiscard]] Chips bought() const { return paid > own ? paid - own : Chips(0); }

  // Own chips that were not lent and are not paid for.
  [[nodiscard]] Chips own_free() const { return own > paid ? own - paid : Chips(0); }
};

struct ResourceTable {
  Chips shared;                    // Z
  Chips shared_supply;             // Z'
  Chips lent;                      // all pools together
  Chips lent_before;               // at the cycle before
  Chips supply;                    // of all owners together
  Chips supply_before;             // at the cycle before
  std::optional<Price> reference;  // p
  std::vector<BidId> bids;         // standing ones, in no order that matters
  IdVector<PoolId, Cell> cells;
  bool reconsider = true;  // supply, lending or standing bids changed: who is set aside may have
  bool reclear = true;     // something that its prices and fills depend on changed

  // Z' less what the pools have bought.
  [[nodiscard]] Chips shared_free() const {
    Chips sold;
    for (const Cell& cell : cells)
      sold += cell.bought();
    return shared_supply - sold;
  }
};

struct Standing {
  std::uint32_t entry_margin_percent = 25;
  IdVector<PoolId, PoolTerms> pools;
  IdVector<TeamId, TeamQueue> teams;
  IdVector<ResourceId, ResourceTable> resources;
  IdVector<BidId, StandingBid> bids;

  // The resources that the team's runs are on have to be cleared anew.
  void MarkForClearing(const TeamQueue& team) {
    for (const UnitRun& run : team.runs)
      resources[run.resource].reclear = true;
  }

  [[nodiscard]] Cell& CellOf(const StandingBid& bid) {
    return resources[bid.resource].cells[teams[bid.team].pool];
  }

  [[nodiscard]] const Cell& CellOf(const StandingBid& bid) const {
    return resources[bid.resource].cells[teams[bid.team].pool];
  }
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_STANDING_H_
