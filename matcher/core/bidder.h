// The automated bidder: from a team's queue to the reservation price of each unit (mechanism §3).
//
// It looks at one team alone: its queue over all resources, its burn-rate caps, the planning prices
// of its pool. What comes out is an order book entry per run of units.
#ifndef QMARKET_MATCHER_CORE_BIDDER_H_
#define QMARKET_MATCHER_CORE_BIDDER_H_

#include "matcher/core/standing.h"

namespace qmarket {

// The two burn-rate caps of a team, in local micro-credits per hour (§3.1).
struct BurnCaps {
  Uint128 enter = 0;
  Uint128 keep = 0;

  friend bool operator==(const BurnCaps&, const BurnCaps&) = default;
};

// Income, balance and leverage (percent, 0: none) of a team; both durations in milliseconds.
[[nodiscard]] BurnCaps CapsOf(Credits income_per_hour, Credits balance,
                              std::uint32_t leverage_percent, DurationMs min_affordable,
                              DurationMs keep_affordable);

// Plans the queue of every team that is marked (TeamQueue::replan): writes its runs, in the order
// of §3.4, and the reservation price of the first unit of each of its bids. The resources that the
// team bids on are marked to be cleared.
void PlanTeams(Standing& standing);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_BIDDER_H_
