// What must hold of every market after every event, whatever the events were (mechanism §1, §5,
// §6). It looks at the public views alone, so it is a check from outside.
#ifndef QMARKET_TESTS_MATCHER_INVARIANTS_H_
#define QMARKET_TESTS_MATCHER_INVARIANTS_H_

#include <string>
#include <vector>

#include "matcher/core/market.h"

namespace qmarket {

// What does not hold, in words; nothing where all is well. Some holds only right after a tick: what
// is spent, limits, blended prices, idle chips.
[[nodiscard]] std::vector<std::string> BrokenInvariants(const Market& market,
                                                        bool right_after_tick);

}  // namespace qmarket

#endif  // QMARKET_TESTS_MATCHER_INVARIANTS_H_
