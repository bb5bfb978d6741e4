#include "matcher/core/settlement.h"

#include <algorithm>

#include "matcher/core/posting.h"

namespace qmarket {

namespace {

void SettleTeam(MarketState& state, TeamId id, TimeMs now) {
  Team& team = state.teams[id];
  const Credits income(ToInt64(team.accrued_income.TakeWhole(now)));
  if (income > Credits(0)) MintFor(state, PostingKind::kIncome, id, income, now);
  for (Holding& holding : team.holdings) {
    CollectCharge(state, id, holding.resource, holding.charge.TakeWhole(now), now);
  }
}

void SettlePurse(MarketState& state, PoolId id, TimeMs now) {
  Pool& pool = state.pools[id];
  const Credits before = state.book.SmallBalance(pool.purse);
  const Credits inflow(ToInt64(pool.inflow.TakeWhole(now)));
  Post(state,
       {.kind = PostingKind::kWeight, .from = state.issue, .to = pool.purse, .amount = inflow},
       now);
  for (const ResourceId resource : state.resources_by_name) {
    const Uint128 due = pool.resources[resource].outflow.TakeWhole(now);
    CollectChips(state, id, resource, due, now);
  }
  const Credits most_saved(
      ToInt64(CheckedMul(ToUint128(pool.weight.value()), state.settings.purse_hours)));
  const Credits kept = std::max(most_saved, before);
  const Credits purse = state.book.SmallBalance(pool.purse);
  if (purse > kept) {
    Post(state,
         {.kind = PostingKind::kLapse,
          .from = pool.purse,
          .to = state.issue,
          .amount = purse - kept},
         now);
  }
  if (purse != before) pool.rate_changed = true;
}

}  // namespace

bool SettlesAt(const MarketState& state, TimeMs now) {
  const std::int64_t length = state.settings.settlement_ms;
  const std::int64_t last_boundary = now.value() / length * length;
  return last_boundary > state.settled.value();
}

void Settle(MarketState& state, TimeMs now) {
  for (std::size_t i = 0; i < state.teams.size(); ++i) {
    SettleTeam(state, IdVector<TeamId, Team>::IdAt(i), now);
  }
  for (std::size_t k = 0; k < state.pools.size(); ++k) {
    SettlePurse(state, IdVector<PoolId, Pool>::IdAt(k), now);
  }
  state.settled = now;
}

}  // namespace qmarket
