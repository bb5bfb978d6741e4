// What a marginal bid found when the market came to it: filling up to its turn (mechanism §5.1,
// §5.2), told from the order book of the cycle.
#ifndef QMARKET_REPLAY_CYCLE_VIEW_TURN_H_
#define QMARKET_REPLAY_CYCLE_VIEW_TURN_H_

#include <optional>
#include <string>

#include "matcher/core/market.h"
#include "replay/explanation.h"

namespace qmarket {

// `after` is the market after the cycle. None where the bid's first unit was not marginal: it does
// not offer just what its pool pays, or is not in the queue.
[[nodiscard]] std::optional<TurnView> TurnOf(const Market& after, const std::string& bid,
                                             const ResourceView& resource);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_CYCLE_VIEW_TURN_H_
