#include "matcher/core/budget_check.h"

#include <algorithm>
#include <ranges>

namespace qmarket {

namespace {

// What a filled unit of the run costs an hour.
Uint128 UnitCost(const Standing& standing, const TeamQueue& team, const UnitRun& run) {
  const std::optional<Price> price = standing.resources[run.resource].cells[team.pool].local;
  QM_CHECK(price.has_value(), "chips were sold where there is no price");
  return CheckedMul(ToUint128(price->value()), ToUint128(run.unit_chips.value()));
}

}  // namespace

Uint128 BurnRate(const Standing& standing, const TeamQueue& team) {
  Uint128 burn = 0;
  for (const UnitRun& run : team.runs) {
    if (run.filled == 0) continue;
    const Uint128 cost = UnitCost(standing, team, run);
    burn = CheckedAdd(burn, CheckedMul(cost, ToUint128(run.filled)));
  }
  return burn;
}

std::vector<ResourceId> CheckBudget(Standing& standing, TeamId id) {
  TeamQueue& team = standing.teams[id];
  std::vector<ResourceId> given_up;
  Uint128 burn = BurnRate(standing, team);
  // A bid's units stand in their order, so from the end each filled one is the last of its bid.
  for (auto run = team.runs.rbegin(); run != team.runs.rend() && burn > team.keep_cap; ++run) {
    if (run->filled == 0) continue;
    const Uint128 cost = UnitCost(standing, team, *run);
    if (cost == 0) continue;
    const Uint128 units = std::min(ToUint128(run->filled), CeilDiv(burn - team.keep_cap, cost));
    burn -= units * cost;
    run->filled -= ToInt64(units);
    standing.resources[run->resource].cells[team.pool].paid -=
        Chips(ToInt64(units) * run->unit_chips.value());
    given_up.push_back(run->resource);
  }
  return given_up;
}

}  // namespace qmarket
