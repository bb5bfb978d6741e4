// What a cycle looked like to one bid, and what kept it from running (explanation.h).
#ifndef QMARKET_REPLAY_CYCLE_VIEW_H_
#define QMARKET_REPLAY_CYCLE_VIEW_H_

#include <cstdint>

#include "matcher/core/market.h"
#include "replay/explanation.h"

namespace qmarket {

// `after` is `before` with the tick at `offset` applied. The bid is in both.
[[nodiscard]] CycleView LookAtCycle(const Market& before, const Market& after, std::uint64_t offset,
                                    const std::string& bid);

// The constraint that binds (mechanism §1, §3-§5).
[[nodiscard]] Binding BindingOf(const CycleView& cycle);

// The highest local price that the team can offer for a unit before the bid's limit counts (§3.4):
// with all that stands before it, and if nothing did.
[[nodiscard]] std::int64_t OfferOf(const UnitRunView& unit);
[[nodiscard]] std::int64_t OfferAlone(const UnitRunView& unit, const TeamView& team);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_CYCLE_VIEW_H_
