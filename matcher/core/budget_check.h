// The budget check: no team spends more than its cap at the new prices (mechanism §5.4).
#ifndef QMARKET_MATCHER_CORE_BUDGET_CHECK_H_
#define QMARKET_MATCHER_CORE_BUDGET_CHECK_H_

#include "matcher/core/standing.h"

namespace qmarket {

// What the team's filled units cost an hour at the local prices, in local micro-credits.
[[nodiscard]] Uint128 BurnRate(const Standing& standing, const TeamQueue& team);

// Lets the team give up units from the end of its order until it can pay the others. Returns the
// resources it gave up units on (UnitRun::filled and Cell::paid are lowered).
std::vector<ResourceId> CheckBudget(Standing& standing, TeamId team);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_BUDGET_CHECK_H_
