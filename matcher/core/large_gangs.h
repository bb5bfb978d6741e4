// Large gangs take the place of smaller, dearer units (mechanism §5.3).
#ifndef QMARKET_MATCHER_CORE_LARGE_GANGS_H_
#define QMARKET_MATCHER_CORE_LARGE_GANGS_H_

#include "absl/types/span.h"

#include "matcher/core/filling.h"
#include "matcher/core/standing.h"

namespace qmarket {

// Gives each marginal first unit that is a large gang and was not filled its turn, in the order of
// `marginal`. Works on UnitRun::filled and Cell::paid. Prices stay.
void PlaceLargeGangs(const Standing& standing, ResourceTable& table,
                     absl::Span<const MarginalRun> marginal);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_LARGE_GANGS_H_
