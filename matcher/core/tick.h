// What a ClockTicked does: settle if it is time, let stated values count, clear (mechanism §6).
#ifndef QMARKET_MATCHER_CORE_TICK_H_
#define QMARKET_MATCHER_CORE_TICK_H_

#include "matcher/core/market_state.h"

namespace qmarket {

void Tick(MarketState& state, TimeMs now);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_TICK_H_
