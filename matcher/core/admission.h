// Whether an event may be applied (mechanism §6, §7; the contract's rejection codes).
//
// Everything is checked here and nothing is changed: past this point applying an event cannot fail.
#ifndef QMARKET_MATCHER_CORE_ADMISSION_H_
#define QMARKET_MATCHER_CORE_ADMISSION_H_

#include <optional>
#include <string>

#include "matcher/core/known_events.h"
#include "matcher/core/market_state.h"

namespace qmarket {

struct Rejection {
  RejectionCode code = RejectionCode::kMalformed;
  std::string message;
};

// The first code that applies, in the order of the contract; none where the event may be applied.
[[nodiscard]] std::optional<Rejection> Reject(const MarketState& state,
                                              const KnownEvents& known_events, const Input& input);

// What a team can give away or lose at `now`: its balance less twice what it has run up and not yet
// paid and will within a cycle (§6); never below zero.
[[nodiscard]] Credits Withdrawable(const MarketState& state, TeamId team, TimeMs now);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_ADMISSION_H_
