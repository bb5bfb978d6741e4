// One cycle of the market over all resources (mechanism §3-§5), in the order of the sections:
//
//   set aside and lend -> plan each team -> demand -> prices -> filling -> large gangs
//   -> budget check over all resources -> unpaid chips
//
// Only teams and resources whose flags are set are worked on; the result is the same as if all
// were. This is the place for a finer incremental structure: it may only skip work whose inputs are
// unchanged.
#ifndef QMARKET_MATCHER_CORE_CYCLE_H_
#define QMARKET_MATCHER_CORE_CYCLE_H_

#include <vector>

#include "matcher/core/preemption.h"
#include "matcher/core/standing.h"

namespace qmarket {

// Clears the market: prices, UnitRun::filled, and next_held and next_paid of the bids. Returns the
// resources whose fills were computed anew, in id order. Nothing of what bids hold changes yet.
std::vector<ResourceId> ClearMarket(Standing& standing);

struct FillChange {
  BidId bid;
  Chips held_before;
  Chips paid_before;
  std::optional<PreemptionReason> preempted = std::nullopt;  // it held chips and now holds none
};

// Lets the fills of `resources` take effect: held and paid become what the cycle gave. Returns what
// changed, by place in the log, and marks what the next cycle has to work on for it.
std::vector<FillChange> TakeEffect(Standing& standing, const std::vector<ResourceId>& resources);

// Brings the runs of all teams to the cells of all resources, for tables that were copied or read:
// the cells of the original point into its own runs.
void LinkRuns(Standing& standing);

// Moves the planning prices of §3.3 on and keeps what the next cycle compares with.
void EndCycle(Standing& standing);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_CYCLE_H_
