// Why a bid lost its chips at a cycle (mechanism §5, preemption).
#ifndef QMARKET_MATCHER_CORE_PREEMPTION_H_
#define QMARKET_MATCHER_CORE_PREEMPTION_H_

#include "matcher/core/standing.h"

namespace qmarket {

enum class PreemptionReason { kReclaimed, kLimit, kOverBudget, kSupplyLost, kOutbid };

// The contract's word, e.g. "over_budget".
[[nodiscard]] const char* PreemptionReasonName(PreemptionReason reason);

// The first reason that applies to a bid that held chips and now holds none. Called before the new
// fills take the place of the old ones.
[[nodiscard]] PreemptionReason ReasonOfPreemption(const Standing& standing, const StandingBid& bid);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_PREEMPTION_H_
