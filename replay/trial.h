// Clearing a market again with one event more: what the counterfactuals of `qmarket explain` rest
// on. The one core does it; nothing here knows the mechanism.
//
//   Trial trial(before, tick);
//   Market after = trial.Clear(BidAmended{.bid = "b", .limit_price_micros = 5});
#ifndef QMARKET_REPLAY_TRIAL_H_
#define QMARKET_REPLAY_TRIAL_H_

#include <cstdint>
#include <functional>
#include <string>

#include "events/event.h"
#include "matcher/core/input.h"
#include "matcher/core/market.h"
#include "replay/explanation.h"

namespace qmarket {

// `before` is the market just before the record `tick`. Both must outlive the trial, which changes
// neither.
class Trial {
 public:
  Trial(const Market& before, const Input& tick) : before_(before), tick_(tick) {}

  // The market after the tick, where `change` happens just before it, at the market's own time.
  // The change must be one that the market takes.
  [[nodiscard]] Market Clear(Payload change) const;

  // Whether the bid runs (explanation.h) in it.
  [[nodiscard]] bool Runs(const std::string& bid, Payload change) const;

 private:
  const Market& before_;
  const Input& tick_;
};

// Whether a bid in this state runs (explanation.h).
[[nodiscard]] bool Runs(const BidView& bid);

// A value to begin a search at, and how far off it may be.
struct Guess {
  std::int64_t value = 0;
  std::int64_t step = 1;
};

// Finds the value of a lever from which on the bid runs, by growing steps from the guess, then by
// bisection: between a value at which it runs and one at which it does not there always are two
// neighbours, even if more is not always better. `runs` clears. `recorded_runs` says what it is at
// `recorded`; the search goes up from there if it does not run, down if it does.
[[nodiscard]] Counterfactual Search(const Counterfactual& question, bool recorded_runs,
                                    const Guess& guess,
                                    const std::function<bool(std::int64_t value)>& runs);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_TRIAL_H_
