// Idle owned chips, and bids that need more than there is (mechanism §4, first part).
#ifndef QMARKET_MATCHER_CORE_LENDING_H_
#define QMARKET_MATCHER_CORE_LENDING_H_

#include "matcher/core/standing.h"

namespace qmarket {

// Decides which bids on the resource are set aside, what each pool lends (Cell::lent, own) and the
// shared supply Z'. A team whose queue changed by it is marked to be planned again.
void LendAndSetAside(Standing& standing, ResourceId resource);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_LENDING_H_
