// Why a bid did or did not run (mechanism §3-§5), with counterfactuals that were cleared.
//
//   Explanation answer = ExplainBid(before, tick, "job-9181");
//   answer = AsOfNow(std::move(answer), *now.FindBid("job-9181"), loss);
//
// What happened is read from the market's views and outcomes; every "would have" is a clearing of
// the same market with one event more (trial.h). Pure functions; use them from any thread.
#ifndef QMARKET_REPLAY_EXPLAIN_H_
#define QMARKET_REPLAY_EXPLAIN_H_

#include <optional>
#include <string>

#include "matcher/core/input.h"
#include "matcher/core/market.h"
#include "replay/explanation.h"

namespace qmarket {

// `before` is the market just before the cycle, `tick` the record that made it. The answer is as of
// the end of that cycle. A bid that was not there yet is kPlacedSince, with an empty view.
//
// The marginal competitor of a bid that does not run is the filled unit with the lowest rho_ref
// among those whose chips it could get: those of its pool, and those of pools that buy shared
// chips. Of a bid that runs it is the unit with the highest rho_ref that was not filled. Ties: who
// comes last, first in the log.
[[nodiscard]] Explanation ExplainBid(const Market& before, const Input& tick,
                                     const std::string& bid);

// The answer as of a later moment before the next cycle: `now` is the bid then, `loss` what the
// fleet took of it since, last. Ended or without its chips, it has no counterfactuals.
[[nodiscard]] Explanation AsOfNow(Explanation explanation, const BidView& now,
                                  std::optional<Loss> loss);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_EXPLAIN_H_
