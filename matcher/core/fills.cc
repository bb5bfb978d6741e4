#include "matcher/core/fills.h"

#include <algorithm>

namespace qmarket {

namespace {

// A quota is stale when this many cycles went by without a MarketCleared of its resource.
constexpr std::int64_t kQuotaCycles = 3;

Uint128 RateOf(Chips paid, std::optional<Price> price) {
  if (paid == Chips(0)) return 0;
  QM_CHECK(price.has_value(), "chips are paid for where there is no price");
  return CheckedMul(ToUint128(paid.value()), ToUint128(price->value()));
}

void UpdateHoldingCost(const MarketState& state, PoolId pool, Holding& holding, TimeMs now) {
  const Cell& cell = state.standing.resources[holding.resource].cells[pool];
  holding.charge.SetRate(now, RateOf(holding.paid, cell.local));
}

void UpdatePoolCost(MarketState& state, PoolId id, ResourceId resource, TimeMs now) {
  PoolResource& pool = state.pools[id].resources[resource];
  const Cell& cell = state.standing.resources[resource].cells[id];
  pool.outflow.SetRate(now, RateOf(pool.paid, cell.reference));
}

}  // namespace

void FillChanged(MarketState& state, BidId id, Chips held_before, Chips paid_before, TimeMs now) {
  const StandingBid& bid = state.standing.bids[id];
  const PoolId pool = state.teams[bid.team].pool;
  Holding& holding = state.HoldingOf(bid.team, bid.resource);
  holding.held += bid.held - held_before;
  holding.paid += bid.paid - paid_before;
  state.pools[pool].resources[bid.resource].paid += bid.paid - paid_before;
  state.resources[bid.resource].allocated += bid.held - held_before;
  state.touched.emplace_back(bid.team, bid.resource);
  state.step.outcomes.emplace_back(BidFilled{.bid = state.bid_names[id],
                                             .team = state.team_names[bid.team],
                                             .resource = state.resource_names[bid.resource],
                                             .chips = bid.held.value(),
                                             .paid = bid.paid.value(),
                                             .time_ms = now.value()});
}

void SetFill(MarketState& state, BidId id, Chips held, Chips paid, TimeMs now) {
  StandingBid& bid = state.standing.bids[id];
  if (bid.held == held && bid.paid == paid) return;
  const Chips held_before = bid.held;
  const Chips paid_before = bid.paid;
  bid.held = held;
  bid.paid = paid;
  FillChanged(state, id, held_before, paid_before, now);
  const PoolId pool = state.teams[bid.team].pool;
  UpdateHoldingCost(state, pool, state.HoldingOf(bid.team, bid.resource), now);
  UpdatePoolCost(state, pool, bid.resource, now);
}

void UpdateCosts(MarketState& state, const std::vector<ResourceId>& resources, TimeMs now) {
  if (resources.empty()) return;
  for (Team& team : state.teams) {
    // One whose resource was not cleared anew is set to what it is.
    for (Holding& holding : team.holdings) {
      if (holding.paid > Chips(0) || holding.charge.rate() != 0) {
        UpdateHoldingCost(state, team.pool, holding, now);
      }
    }
  }
  for (std::size_t k = 0; k < state.pools.size(); ++k) {
    for (const ResourceId resource : resources) {
      UpdatePoolCost(state, IdVector<PoolId, Pool>::IdAt(k), resource, now);
    }
  }
}

void PublishQuotas(MarketState& state, TimeMs now) {
  std::ranges::sort(state.touched);
  for (const auto& [team, resource] : state.touched) {
    Holding& holding = state.HoldingOf(team, resource);
    if (holding.held == holding.published) continue;
    holding.published = holding.held;
    state.step.outcomes.emplace_back(
        QuotaChanged{.team = state.team_names[team],
                     .resource = state.resource_names[resource],
                     .chips = holding.held.value(),
                     .cycle = state.cycles,
                     .time_ms = now.value(),
                     .valid_until_ms = now.value() + kQuotaCycles * state.settings.cycle_ms});
  }
  state.touched.clear();
}

}  // namespace qmarket
