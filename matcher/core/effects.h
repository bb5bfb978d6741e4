// What each event does once it is admitted (mechanism §6). Nothing here can fail.
#ifndef QMARKET_MATCHER_CORE_EFFECTS_H_
#define QMARKET_MATCHER_CORE_EFFECTS_H_

#include "matcher/core/market_state.h"

namespace qmarket {

// Applies an admitted event that stands at `offset` and takes effect at `now`.
void Take(MarketState& state, const Event& event, std::uint64_t offset, TimeMs now);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_EFFECTS_H_
