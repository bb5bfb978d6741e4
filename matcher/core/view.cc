#include "matcher/core/view.h"

#include <algorithm>

#include "matcher/core/budget_check.h"
#include "matcher/core/market_state.h"

namespace qmarket {

namespace {

std::optional<std::int64_t> Ticks(std::optional<Price> price) {
  return price ? std::optional(price->value()) : std::nullopt;
}

BidState StateOf(const StandingBid& bid) {
  if (bid.ended) return BidState::kEnded;
  if (bid.paid > Chips(0)) return BidState::kRunning;
  return bid.held > Chips(0) ? BidState::kUnpaid : BidState::kWaiting;
}

ResourcePoolView CellView(const MarketState& state, ResourceId resource, PoolId pool) {
  const Cell& cell = state.standing.resources[resource].cells[pool];
  return {.pool = state.pool_names[pool],
          .owned = cell.owned.value(),
          .price_micros = Ticks(cell.local),
          .reference_price_micros = Ticks(cell.reference),
          .lent = cell.lent.value(),
          .demand = 0};
}

TeamView ViewOf(const MarketState& state, TeamId id) {
  const Team& team = state.teams[id];
  const TeamQueue& queue = state.standing.teams[id];
  Uint128 burn = 0;
  for (const Holding& holding : team.holdings)
    burn = CheckedAdd(burn, holding.charge.rate());
  return {.team = state.team_names[id],
          .pool = state.pool_names[team.pool],
          .income_micros_per_hour = team.income.value(),
          .income_leverage_percent = team.leverage_percent,
          .balance_micros = state.BalanceOf(id).value(),
          .charged_micros = static_cast<Int128>(team.charged),
          .minted_micros = team.minted,
          .uncollected_micros = static_cast<Int128>(team.uncollected),
          .enter_cap_micros_per_hour = queue.enter_cap,
          .keep_cap_micros_per_hour = queue.keep_cap,
          .burn_micros_per_hour = burn};
}

PoolView ViewOf(const MarketState& state, PoolId id) {
  const Pool& pool = state.pools[id];
  const PoolTerms& terms = state.standing.pools[id];
  PoolView view{.pool = state.pool_names[id],
                .market_weight_micros_per_hour = pool.weight.value(),
                .lend_idle = terms.lend_idle,
                .purse_micros = state.book.SmallBalance(pool.purse).value(),
                .uncollected_micros = static_cast<Int128>(pool.uncollected),
                .exchange_rate = std::nullopt};
  if (terms.rate.exists()) {
    view.exchange_rate = ExchangeRateView{.numerator = terms.rate.numerator(),
                                          .denominator = terms.rate.denominator()};
  }
  return view;
}

ResourceView ViewOf(const MarketState& state, ResourceId id) {
  const ResourceTable& table = state.standing.resources[id];
  ResourceView view{.resource = state.resource_names[id],
                    .cleared = state.resources[id].in_last_cycle,
                    .reference_price_micros = Ticks(table.reference),
                    .supply = table.supply.value(),
                    .shared = table.shared.value(),
                    .allocated = state.resources[id].allocated.value(),
                    .pools = {}};
  for (std::size_t k = 0; k < state.pools.size(); ++k) {
    view.pools.push_back(CellView(state, id, IdVector<PoolId, Pool>::IdAt(k)));
  }
  for (const BidId bid : table.bids) {
    const PoolId pool = state.teams[state.standing.bids[bid].team].pool;
    view.pools[pool.index()].demand += state.standing.bids[bid].chips.value();
  }
  std::ranges::sort(view.pools, {}, &ResourcePoolView::pool);
  return view;
}

BidView ViewOf(const MarketState& state, BidId id) {
  const StandingBid& bid = state.standing.bids[id];
  BidView view{.bid = state.bid_names[id],
               .team = state.team_names[bid.team],
               .resource = state.resource_names[bid.resource],
               .state = StateOf(bid),
               .chips = bid.held.value(),
               .paid = bid.paid.value(),
               .wanted = bid.chips.value(),
               .min_chips = bid.min_chips.value(),
               .limit_price_micros = Ticks(bid.limit),
               .priority = bid.priority,
               .opportunistic = bid.opportunistic,
               .standby = bid.standby,
               .set_aside = bid.set_aside,
               .place = bid.place,
               .reservation_price_micros = std::nullopt};
  if (bid.in_queue()) view.reservation_price_micros = bid.reservation.value();
  return view;
}

// The view of the thing of that name, where there is one.
template <typename View, typename IdType>
std::optional<View> Find(const MarketState& state, const Names<IdType>& names,
                         const std::string& name) {
  const std::optional<IdType> id = names.Find(name);
  if (!id) return std::nullopt;
  return ViewOf(state, *id);
}

}  // namespace

const char* BidStateName(BidState state) {
  switch (state) {
    case BidState::kRunning:
      return "running";
    case BidState::kUnpaid:
      return "unpaid";
    case BidState::kWaiting:
      return "waiting";
    case BidState::kEnded:
      return "ended";
  }
  QM_CHECK(false, "an unknown state of a bid");
}

std::vector<TeamView> Market::Teams() const {
  const MarketState& state = *state_;
  std::vector<TeamView> views;
  for (std::size_t i = 0; i < state.teams.size(); ++i)
    views.push_back(ViewOf(state, IdVector<TeamId, Team>::IdAt(i)));
  std::ranges::sort(views, {}, &TeamView::team);
  return views;
}

std::vector<PoolView> Market::Pools() const {
  const MarketState& state = *state_;
  std::vector<PoolView> views;
  for (std::size_t k = 0; k < state.pools.size(); ++k)
    views.push_back(ViewOf(state, IdVector<PoolId, Pool>::IdAt(k)));
  std::ranges::sort(views, {}, &PoolView::pool);
  return views;
}

std::vector<ResourceView> Market::Resources() const {
  const MarketState& state = *state_;
  std::vector<ResourceView> views;
  for (const ResourceId id : state.resources_by_name)
    views.push_back(ViewOf(state, id));
  return views;
}

std::vector<BidView> Market::Bids() const {
  const MarketState& state = *state_;
  std::vector<BidView> views;
  views.reserve(state.bid_names.size());
  for (std::size_t i = 0; i < state.bid_names.size(); ++i)
    views.push_back(ViewOf(state, IdVector<BidId, StandingBid>::IdAt(i)));
  std::ranges::sort(views, {}, &BidView::bid);
  return views;
}

std::optional<TeamView> Market::FindTeam(const std::string& name) const {
  return Find<TeamView>(*state_, state_->team_names, name);
}

std::optional<PoolView> Market::FindPool(const std::string& name) const {
  return Find<PoolView>(*state_, state_->pool_names, name);
}

std::optional<ResourceView> Market::FindResource(const std::string& name) const {
  return Find<ResourceView>(*state_, state_->resource_names, name);
}

std::optional<BidView> Market::FindBid(const std::string& name) const {
  return Find<BidView>(*state_, state_->bid_names, name);
}

}  // namespace qmarket
