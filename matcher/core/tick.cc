#include "matcher/core/tick.h"

#include <algorithm>

#include "matcher/core/bidder.h"
#include "matcher/core/cycle.h"
#include "matcher/core/fills.h"
#include "matcher/core/settlement.h"

namespace qmarket {

namespace {

// --- Stated values come into force ---

void EnforcePool(MarketState& state, PoolId id, TimeMs now) {
  Pool& pool = state.pools[id];
  if (pool.weight != pool.stated_weight) {
    pool.weight = pool.stated_weight;
    pool.inflow.SetRate(now, ToUint128(pool.weight.value()));
    pool.rate_changed = true;
  }
  PoolTerms& terms = state.standing.pools[id];
  if (terms.lend_idle != pool.stated_lend_idle) {
    terms.lend_idle = pool.stated_lend_idle;
    for (ResourceTable& table : state.standing.resources)
      table.reconsider = true;
  }
}

void EnforceTeam(MarketState& state, TeamId id, TimeMs now) {
  Team& team = state.teams[id];
  if (team.income != team.stated_income) {
    Pool& pool = state.pools[team.pool];
    pool.incomes += team.stated_income - team.income;
    pool.rate_changed = true;
    team.income = team.stated_income;
    team.accrued_income.SetRate(now, ToUint128(team.income.value()));
    team.caps_changed = true;
  }
  if (team.leverage_percent != team.stated_leverage_percent) {
    team.leverage_percent = team.stated_leverage_percent;
    team.caps_changed = true;
  }
}

void EnforceSupply(MarketState& state, ResourceId id) {
  const Resource& resource = state.resources[id];
  ResourceTable& table = state.standing.resources[id];
  bool changed = table.shared != resource.stated_shared;
  table.shared = resource.stated_shared;
  table.supply = table.shared;
  for (std::size_t k = 0; k < table.cells.size(); ++k) {
    const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
    Cell& cell = table.cells[pool];
    changed = changed || cell.owned != resource.stated_owned[pool];
    cell.owned = resource.stated_owned[pool];
    table.supply += cell.owned;
  }
  if (changed) table.reconsider = true;
}

void EnforceSettings(MarketState& state) {
  if (state.settings == state.stated_settings) return;
  const MarketConfigured before = state.settings;
  state.settings = state.stated_settings;
  state.standing.entry_margin_percent = state.settings.entry_margin_percent;
  const bool margin = before.entry_margin_percent != state.settings.entry_margin_percent;
  for (TeamQueue& team : state.standing.teams)
    team.replan = team.replan || margin;
  for (Team& team : state.teams)
    team.caps_changed = true;
  for (Pool& pool : state.pools)
    pool.rate_changed = true;
}

void EnforceStated(MarketState& state, TimeMs now) {
  if (!state.stated_changed) return;
  state.stated_changed = false;
  EnforceSettings(state);
  for (std::size_t k = 0; k < state.pools.size(); ++k) {
    EnforcePool(state, IdVector<PoolId, Pool>::IdAt(k), now);
  }
  for (std::size_t i = 0; i < state.teams.size(); ++i) {
    EnforceTeam(state, IdVector<TeamId, Team>::IdAt(i), now);
  }
  for (const ResourceId resource : state.resources_by_name)
    EnforceSupply(state, resource);
}

// --- Exchange rates and caps (§1, §2, §3.1) ---

ExchangeRate RateOf(const MarketState& state, const Pool& pool) {
  const Uint128 keep = ToUint128(state.settings.keep_affordable_ms);
  const Uint128 hour = ToUint128(kMsPerHour);
  const Uint128 purse = ToUint128(state.book.Balance(pool.purse));
  const Uint128 numerator =
      CheckedAdd(CheckedMul(ToUint128(pool.weight.value()), keep), CheckedMul(purse, hour));
  const Uint128 denominator = CheckedAdd(CheckedMul(ToUint128(pool.incomes.value()), keep),
                                         CheckedMul(ToUint128(pool.balances.value()), hour));
  return ExchangeRate(numerator, denominator);
}

void UpdateRates(MarketState& state) {
  for (std::size_t k = 0; k < state.pools.size(); ++k) {
    const PoolId id = IdVector<PoolId, Pool>::IdAt(k);
    Pool& pool = state.pools[id];
    if (!pool.rate_changed) continue;
    pool.rate_changed = false;
    const ExchangeRate rate = RateOf(state, pool);
    if (rate == state.standing.pools[id].rate) continue;
    state.standing.pools[id].rate = rate;
    for (const TeamId team : pool.teams)
      state.standing.teams[team].replan = true;
    for (ResourceTable& table : state.standing.resources)
      table.reclear = true;
  }
}

void UpdateCaps(MarketState& state) {
  for (std::size_t i = 0; i < state.teams.size(); ++i) {
    const TeamId id = IdVector<TeamId, Team>::IdAt(i);
    Team& team = state.teams[id];
    if (!team.caps_changed) continue;
    team.caps_changed = false;
    const BurnCaps caps = CapsOf(team.income, state.BalanceOf(id), team.leverage_percent,
                                 DurationMs(state.settings.min_affordable_ms),
                                 DurationMs(state.settings.keep_affordable_ms));
    TeamQueue& queue = state.standing.teams[id];
    if (caps == BurnCaps{.enter = queue.enter_cap, .keep = queue.keep_cap}) continue;
    queue.enter_cap = caps.enter;
    queue.keep_cap = caps.keep;
    queue.replan = true;
  }
}

// --- What a cycle tells ---

bool IsInCycle(const ResourceTable& table) {
  return table.supply > Chips(0) || !table.bids.empty();
}

std::optional<std::int64_t> Ticks(std::optional<Price> price) {
  return price ? std::optional(price->value()) : std::nullopt;
}

void TellCleared(MarketState& state, ResourceId id, TimeMs now) {
  const ResourceTable& table = state.standing.resources[id];
  MarketCleared cleared{.resource = state.resource_names[id],
                        .cycle = state.cycles,
                        .time_ms = now.value(),
                        .reference_price_micros = Ticks(table.reference),
                        .supply = table.supply.value(),
                        .shared_supply = table.shared_supply.value(),
                        .allocated = state.resources[id].allocated.value(),
                        .pools = {}};
  for (std::size_t k = 0; k < table.cells.size(); ++k) {
    const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
    const Cell& cell = table.cells[pool];
    if (cell.owned == Chips(0) && cell.runs.empty() && cell.unpaid == Chips(0)) continue;
    cleared.pools.push_back({.pool = state.pool_names[pool],
                             .price_micros = Ticks(cell.local),
                             .reference_price_micros = Ticks(cell.reference),
                             .owned = cell.owned.value(),
                             .lent = cell.lent.value(),
                             .paid = cell.paid.value(),
                             .allocated = (cell.paid + cell.unpaid).value()});
  }
  std::ranges::sort(cleared.pools, {}, &PoolCleared::pool);
  state.step.outcomes.emplace_back(std::move(cleared));
}

void TellPreempted(MarketState& state, const FillChange& change, TimeMs now) {
  const StandingBid& bid = state.standing.bids[change.bid];
  state.step.outcomes.emplace_back(BidPreempted{.bid = state.bid_names[change.bid],
                                                .team = state.team_names[bid.team],
                                                .resource = state.resource_names[bid.resource],
                                                .lost = change.held_before.value(),
                                                .chips = 0,
                                                .reason = PreemptionReasonName(*change.preempted),
                                                .time_ms = now.value()});
}

void ClearAll(MarketState& state, TimeMs now) {
  const std::vector<ResourceId> cleared = ClearMarket(state.standing);
  const std::vector<FillChange> changes = TakeEffect(state.standing, cleared);
  const std::size_t first_fill = state.step.outcomes.size();
  for (const FillChange& change : changes) {
    FillChanged(state, change.bid, change.held_before, change.paid_before, now);
    if (change.preempted) TellPreempted(state, change, now);
  }
  UpdateCosts(state, cleared, now);
  const std::size_t first_cleared = state.step.outcomes.size();
  for (const ResourceId resource : state.resources_by_name) {
    const bool in_cycle = IsInCycle(state.standing.resources[resource]);
    state.resources[resource].in_last_cycle = in_cycle;
    if (in_cycle) TellCleared(state, resource, now);
  }
  // Prices are told before the fills that follow from them.
  auto& outcomes = state.step.outcomes;
  const auto at = [&outcomes](std::size_t index) {
    return outcomes.begin() + static_cast<std::ptrdiff_t>(index);
  };
  std::rotate(at(first_fill), at(first_cleared), outcomes.end());
  EndCycle(state.standing);
}

}  // namespace

void Tick(MarketState& state, TimeMs now) {
  if (SettlesAt(state, now)) Settle(state, now);
  EnforceStated(state, now);
  // Which rules a cycle follows is a setting. There is one version of them so far.
  QM_CHECK(state.settings.rules_version == 1, "rules that admission does not let through");
  UpdateRates(state);
  UpdateCaps(state);
  ++state.cycles;
  ClearAll(state, now);
}

}  // namespace qmarket
