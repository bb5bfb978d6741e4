// Settlement: what accrued is posted (mechanism §6).
#ifndef QMARKET_MATCHER_CORE_SETTLEMENT_H_
#define QMARKET_MATCHER_CORE_SETTLEMENT_H_

#include "matcher/core/market_state.h"

namespace qmarket {

// Whether a tick at `now` settles: a boundary lies after the last tick that settled, and not after
// this one.
[[nodiscard]] bool SettlesAt(const MarketState& state, TimeMs now);

// Posts all that accrued up to `now`: per team income, then charges by resource name; per pool the
// purse's inflow, outflow by resource name, and what lapses.
void Settle(MarketState& state, TimeMs now);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_SETTLEMENT_H_
