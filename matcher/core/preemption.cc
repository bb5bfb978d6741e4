#include "matcher/core/preemption.h"

namespace qmarket {

const char* PreemptionReasonName(PreemptionReason reason) {
  switch (reason) {
    case PreemptionReason::kReclaimed:
      return "reclaimed";
    case PreemptionReason::kLimit:
      return "limit";
    case PreemptionReason::kOverBudget:
      return "over_budget";
    case PreemptionReason::kSupplyLost:
      return "supply_lost";
    case PreemptionReason::kOutbid:
      return "outbid";
  }
  QM_CHECK(false, "an unknown reason of preemption");
}

PreemptionReason ReasonOfPreemption(const Standing& standing, const StandingBid& bid) {
  const ResourceTable& table = standing.resources[bid.resource];
  const Cell& cell = standing.CellOf(bid);
  if (bid.paid == Chips(0)) return PreemptionReason::kReclaimed;
  if (cell.local && bid.limit && *cell.local > *bid.limit) return PreemptionReason::kLimit;
  if (!bid.set_aside && cell.local_before && bid.reservation < *cell.local_before) {
    return PreemptionReason::kOverBudget;
  }
  if (table.supply < table.supply_before) return PreemptionReason::kSupplyLost;
  if (table.lent < table.lent_before) return PreemptionReason::kReclaimed;
  return PreemptionReason::kOutbid;
}

}  // namespace qmarket
