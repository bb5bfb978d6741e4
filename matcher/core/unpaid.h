// Unpaid chips: what is left goes at price 0 to standby and opportunistic bids (mechanism §5.5).
#ifndef QMARKET_MATCHER_CORE_UNPAID_H_
#define QMARKET_MATCHER_CORE_UNPAID_H_

#include "matcher/core/standing.h"

namespace qmarket {

// Sets next_paid of all standing bids on the resource from the filled units, and next_held by
// giving away what is left (Cell::unpaid).
void GiveUnpaidChips(Standing& standing, ResourceId resource);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_UNPAID_H_
