#include "matcher/core/cycle.h"

#include <algorithm>

#include "matcher/core/bidder.h"
#include "matcher/core/budget_check.h"
#include "matcher/core/filling.h"
#include "matcher/core/large_gangs.h"
#include "matcher/core/lending.h"
#include "matcher/core/pricing.h"
#include "matcher/core/unpaid.h"

namespace qmarket {

namespace {

void SetAsideAndLend(Standing& standing) {
  for (std::size_t r = 0; r < standing.resources.size(); ++r) {
    const ResourceId id = IdVector<ResourceId, ResourceTable>::IdAt(r);
    ResourceTable& table = standing.resources[id];
    if (!table.reconsider) continue;
    LendAndSetAside(standing, id);
    table.reconsider = false;
    table.reclear = true;
  }
}

// Brings the runs of all teams to the cells of the resources that `takes` says.
template <typename Takes>
void CollectDemand(Standing& standing, const Takes& takes) {
  for (ResourceTable& table : standing.resources) {
    if (!takes(table)) continue;
    for (Cell& cell : table.cells)
      cell.runs.clear();
  }
  for (TeamQueue& team : standing.teams) {
    for (UnitRun& run : team.runs) {
      ResourceTable& table = standing.resources[run.resource];
      if (takes(table)) table.cells[team.pool].runs.push_back(&run);
    }
  }
  for (ResourceTable& table : standing.resources) {
    if (!takes(table)) continue;
    for (std::size_t k = 0; k < table.cells.size(); ++k) {
      const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
      Cell& cell = table.cells[pool];
      cell.demand.Assign(cell.runs, standing.pools[pool].rate);
    }
  }
}

void PriceAndFill(Standing& standing) {
  for (ResourceTable& table : standing.resources) {
    if (!table.reclear) continue;
    SetClearingPrices(standing, table);
    FillAbovePrice(standing, table);
    const std::vector<MarginalRun> marginal = FillMarginal(standing, table);
    PlaceLargeGangs(standing, table, marginal);
  }
}

// A resource that was not cleared anew has the fills of the last cycle, which no team cut then:
// that is marked for clearing below. So they are those of §5.3, too.
void CheckBudgets(Standing& standing) {
  if (std::ranges::none_of(standing.resources, &ResourceTable::reclear)) return;
  for (std::size_t i = 0; i < standing.teams.size(); ++i) {
    const TeamId id = IdVector<TeamId, TeamQueue>::IdAt(i);
    const std::vector<ResourceId> given_up = CheckBudget(standing, id);
    standing.teams[id].gave_up = !given_up.empty();
    for (const ResourceId resource : given_up)
      standing.resources[resource].reclear = true;
  }
}

}  // namespace

std::vector<ResourceId> ClearMarket(Standing& standing) {
  SetAsideAndLend(standing);
  for (TeamQueue& team : standing.teams) {
    if (team.gave_up) standing.MarkForClearing(team);
  }
  PlanTeams(standing);
  CollectDemand(standing, [](const ResourceTable& table) { return table.reclear; });
  PriceAndFill(standing);
  CheckBudgets(standing);
  std::vector<ResourceId> cleared;
  for (std::size_t r = 0; r < standing.resources.size(); ++r) {
    const ResourceId id = IdVector<ResourceId, ResourceTable>::IdAt(r);
    ResourceTable& table = standing.resources[id];
    if (!table.reclear) continue;
    GiveUnpaidChips(standing, id);
    table.reclear = false;
    cleared.push_back(id);
  }
  return cleared;
}

void LinkRuns(Standing& standing) {
  CollectDemand(standing, [](const ResourceTable& /*table*/) { return true; });
}

std::vector<FillChange> TakeEffect(Standing& standing, const std::vector<ResourceId>& resources) {
  std::vector<FillChange> changes;
  for (const ResourceId resource : resources) {
    ResourceTable& table = standing.resources[resource];
    for (const BidId id : table.bids) {
      const StandingBid& bid = standing.bids[id];
      if (bid.held == bid.next_held && bid.paid == bid.next_paid) continue;
      FillChange change{.bid = id, .held_before = bid.held, .paid_before = bid.paid};
      if (bid.held > Chips(0) && bid.next_held == Chips(0)) {
        change.preempted = ReasonOfPreemption(standing, bid);
      }
      changes.push_back(change);
      // What runs, and what held chips, decides about the next cycle.
      table.reclear = true;
      if (bid.paid != bid.next_paid) standing.teams[bid.team].replan = true;
    }
  }
  for (const FillChange& change : changes) {
    StandingBid& bid = standing.bids[change.bid];
    bid.held = bid.next_held;
    bid.paid = bid.next_paid;
  }
  std::ranges::sort(changes, {},
                    [&standing](const FillChange& c) { return standing.bids[c.bid].place; });
  return changes;
}

void EndCycle(Standing& standing) {
  for (ResourceTable& table : standing.resources) {
    table.lent_before = table.lent;
    table.supply_before = table.supply;
    for (std::size_t k = 0; k < table.cells.size(); ++k) {
      const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
      Cell& cell = table.cells[pool];
      cell.local_before = cell.local;
      if (!cell.local) continue;
      const std::optional<Price> last = cell.planning;
      cell.planning = last ? Price((3 * last->value() + cell.local->value()) / 4) : *cell.local;
      const bool moved = std::max(cell.planning->value(), std::int64_t{1}) !=
                         std::max(last.value_or(Price(1)).value(), std::int64_t{1});
      if (!moved) continue;
      for (const UnitRun* run : cell.runs) {
        standing.teams[standing.bids[run->bid].team].replan = true;
      }
    }
  }
}

}  // namespace qmarket
