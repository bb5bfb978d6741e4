#include "matcher/core/book_view.h"

#include <algorithm>
#include <tuple>

#include "matcher/core/market.h"
#include "matcher/core/market_state.h"

namespace qmarket {

namespace {

UnitRunView ViewOf(const MarketState& state, const UnitRun& run) {
  const StandingBid& bid = state.standing.bids[run.bid];
  const PoolId pool = state.teams[bid.team].pool;
  const ExchangeRate& rate = state.standing.pools[pool].rate;
  UnitRunView view{.bid = state.bid_names[run.bid],
                   .team = state.team_names[bid.team],
                   .pool = state.pool_names[pool],
                   .resource = state.resource_names[run.resource],
                   .priority = bid.priority,
                   .place = bid.place,
                   .first = run.bid_chips_before == Chips(0),
                   .running = run.running,
                   .planned = run.planned,
                   .units = run.units,
                   .chips = run.unit_chips.value(),
                   .filled = run.filled,
                   .power = run.purchasing_power,
                   .margin_percent = run.margin,
                   .chips_before = run.team_chips_before.value(),
                   .reservation_price_micros = run.first.value(),
                   .first_reference_micros = run.first_reference.value(),
                   .last_reference_micros = run.last_reference.value()};
  const auto reference = [&](std::int64_t place) {
    return rate.ToReservation(ReservationPrice(run, place)).value();
  };
  if (run.filled > 0) view.lowest_filled_micros = reference(run.filled);
  if (run.filled < run.units) view.highest_unfilled_micros = reference(run.filled + 1);
  return view;
}

}  // namespace

QueueView Market::QueueOf(const std::string& team) const {
  const std::optional<TeamId> id = state_->team_names.Find(team);
  if (!id) return {};
  const TeamQueue& queue = state_->standing.teams[*id];
  QueueView view{.enter_cap_micros_per_hour = queue.enter_cap,
                 .keep_cap_micros_per_hour = queue.keep_cap,
                 .gave_up = queue.gave_up,
                 .runs = {}};
  for (const UnitRun& run : queue.runs)
    view.runs.push_back(ViewOf(*state_, run));
  return view;
}

std::vector<UnitRunView> Market::OrderBook(const std::string& resource) const {
  const std::optional<ResourceId> id = state_->resource_names.Find(resource);
  if (!id) return {};
  std::vector<UnitRunView> book;
  for (const TeamQueue& team : state_->standing.teams) {
    for (const UnitRun& run : team.runs) {
      if (run.resource == *id) book.push_back(ViewOf(*state_, run));
    }
  }
  std::ranges::stable_sort(book, [](const UnitRunView& a, const UnitRunView& b) {
    return std::tuple(-a.first_reference_micros, !a.running, a.place) <
           std::tuple(-b.first_reference_micros, !b.running, b.place);
  });
  return book;
}

std::optional<StatedView> Market::StatedFor(const std::string& bid) const {
  const std::optional<BidId> id = state_->bid_names.Find(bid);
  if (!id) return std::nullopt;
  const StandingBid& standing = state_->standing.bids[*id];
  const Team& team = state_->teams[standing.team];
  const Resource& resource = state_->resources[standing.resource];
  return StatedView{.income_micros_per_hour = team.stated_income.value(),
                    .income_leverage_percent = team.stated_leverage_percent,
                    .pool_incomes_micros_per_hour = state_->pools[team.pool].stated_incomes.value(),
                    .shared_chips = resource.stated_shared.value(),
                    .owned_chips = resource.stated_owned[team.pool].value()};
}

}  // namespace qmarket
