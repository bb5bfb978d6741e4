// Movements of credits, with their outcomes (mechanism §6, double entry).
#ifndef QMARKET_MATCHER_CORE_POSTING_H_
#define QMARKET_MATCHER_CORE_POSTING_H_

#include "matcher/core/market_state.h"

namespace qmarket {

// Posts a movement and tells it as an outcome. A movement of 0 is told too where `tell_zero`, or
// where something could not be collected. `uncollected` is told as at most 2^63 - 1; the state has
// it exactly.
struct Movement {
  PostingKind kind = PostingKind::kIncome;
  AccountId from;
  AccountId to;
  Credits amount;
  Uint128 uncollected = 0;
  bool tell_zero = false;
};

void Post(MarketState& state, const Movement& movement, TimeMs now);

// mint -> team and back; keeps what depends on the team's balance.
void MintFor(MarketState& state, PostingKind kind, TeamId team, Credits amount, TimeMs now);
void TakeBackFrom(MarketState& state, TeamId team, Credits amount, TimeMs now);

// team -> team of the same pool.
void Transfer(MarketState& state, TeamId from, TeamId to, Credits amount, TimeMs now);

// Collects what accrued from a team or a purse, as far as its balance goes; the rest is recorded as
// uncollected.
void CollectCharge(MarketState& state, TeamId team, ResourceId resource, Uint128 due, TimeMs now);
void CollectChips(MarketState& state, PoolId pool, ResourceId resource, Uint128 due, TimeMs now);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_POSTING_H_
