// Why a bid did or did not run (mechanism §3-§5), with counterfactuals that were cleared.
//
//   Explanation answer = ExplainBid(before, tick, "job-9181");
//
// What happened is read from the market's views and outcomes; every "would have" is a clearing of
// the same market with one event more (trial.h). Functions without state; use them from any thread.
#ifndef QMARKET_REPLAY_EXPLAIN_H_
#define QMARKET_REPLAY_EXPLAIN_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"

#include "matcher/core/input.h"
#include "matcher/core/market.h"
#include "matcher/process/replica.h"
#include "replay/explanation.h"
#include "replay/input_source.h"

namespace qmarket {

// `before` is the market just before the cycle, `tick` the record that made it. The answer is as of
// the end of that cycle. A bid that was not there yet is kPlacedSince, with an empty view.
//
// The marginal competitor of a bid that does not run is the filled unit with the lowest rho_ref
// among those whose chips it could get: those of its pool, and those of pools that buy shared
// chips, but not what its own team puts before it. Of a bid that runs it is the unit with the
// highest rho_ref that was not filled. Ties: who comes last, first in the log.
[[nodiscard]] Explanation ExplainBid(const Market& before, const Input& tick,
                                     const std::string& bid);

// Applies the records to the replica, and explains the bid as of the last of them. The first one is
// the last tick that cleared; where there was none, `records` is empty and nothing is applied. None
// where its market does not know the bid then. A bid that has ended or lost its chips to the fleet
// since has no counterfactuals. Errors: those of the source.
[[nodiscard]] absl::StatusOr<std::optional<Explanation>> ExplainAt(Replica& replica,
                                                                   InputSource& records,
                                                                   const std::string& bid);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_EXPLAIN_H_
