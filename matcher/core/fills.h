// What bids hold, between cycles and at them: holdings, charges and quotas follow (mechanism §5,
// §6).
#ifndef QMARKET_MATCHER_CORE_FILLS_H_
#define QMARKET_MATCHER_CORE_FILLS_H_

#include "matcher/core/market_state.h"

namespace qmarket {

// The bid holds other chips than before, already written to it: tells the fill, and moves its
// team's and pool's sums and what they cost from `now` on.
void FillChanged(MarketState& state, BidId bid, Chips held_before, Chips paid_before, TimeMs now);

// Sets what a bid holds between cycles, at the price of the last one.
void SetFill(MarketState& state, BidId bid, Chips held, Chips paid, TimeMs now);

// From `now` on, the chips that teams and pools hold cost what the last cycle found, which cleared
// these resources anew.
void UpdateCosts(MarketState& state, const std::vector<ResourceId>& resources, TimeMs now);

// Tells the quotas that the step changed, by team and resource.
void PublishQuotas(MarketState& state, TimeMs now);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_FILLS_H_
