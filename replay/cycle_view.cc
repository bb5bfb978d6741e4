#include "replay/cycle_view.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "events/check.h"
#include "events/int128.h"
#include "replay/cycle_view_turn.h"
#include "replay/trial.h"

namespace qmarket {
namespace {

using Units = std::vector<UnitRunView>;

// Reservation prices are cut here (mechanism §2).
constexpr Uint128 kMostOffered = 1'000'000'000'000;

template <typename View>
View Known(std::optional<View> view) {
  QM_CHECK(view.has_value(), "a name of a view is in no other");
  return *std::move(view);
}

ResourcePoolView CellOf(const ResourceView& resource, const std::string& pool) {
  const auto found = std::ranges::find(resource.pools, pool, &ResourcePoolView::pool);
  QM_CHECK(found != resource.pools.end(), "a resource without a pool");
  return *found;
}

std::int64_t LentOf(const ResourceView& resource) {
  std::int64_t lent = 0;
  for (const ResourcePoolView& pool : resource.pools)
    lent += pool.lent;
  return lent;
}

// Chips that the pools pay for, and what that takes of the shared ones.
class Sales {
 public:
  Sales(const Units& book, const ResourceView& resource) : free_(resource.shared) {
    std::map<std::string, std::int64_t> paid;
    for (const UnitRunView& run : book)
      paid[run.pool] += run.filled * run.chips;
    for (const ResourcePoolView& pool : resource.pools) {
      const std::int64_t own = pool.owned - pool.lent;
      const std::int64_t bought = std::max<std::int64_t>(0, paid[pool.pool] - own);
      own_free_[pool.pool] = std::max<std::int64_t>(0, own - paid[pool.pool]);
      bought_[pool.pool] = bought;
      free_ += pool.lent - bought;
    }
  }

  [[nodiscard]] std::int64_t FreeFor(const std::string& pool) const {
    return free_ + own_free_.at(pool);
  }

  [[nodiscard]] bool Buys(const std::string& pool) const { return bought_.at(pool) > 0; }

 private:
  std::int64_t free_;  // of the shared ones
  std::map<std::string, std::int64_t> own_free_;
  std::map<std::string, std::int64_t> bought_;
};

void FindOutbid(const Units& book, const Sales& sales, CycleView& cycle) {
  for (const UnitRunView& run : book) {
    if (run.bid == cycle.bid.bid || !run.lowest_filled_micros) continue;
    if (run.pool != cycle.pool.pool && !sales.Buys(run.pool)) continue;
    const bool before = run.team == cycle.team.team &&
                        std::ranges::find(cycle.queue.before, run.bid, &QueuedBefore::bid) !=
                            cycle.queue.before.end();
    if (before) continue;
    const bool lower = !cycle.competitor ||
                       std::tuple(-*run.lowest_filled_micros, run.place) >
                           std::tuple(-cycle.competitor_reference_micros, cycle.competitor->place);
    if (!lower) continue;
    cycle.competitor = run;
    cycle.competitor_reference_micros = *run.lowest_filled_micros;
  }
}

void FindNext(const Units& book, CycleView& cycle) {
  for (const UnitRunView& run : book) {
    if (run.bid == cycle.bid.bid || !run.highest_unfilled_micros) continue;
    const bool higher = !cycle.competitor ||
                        std::tuple(-*run.highest_unfilled_micros, run.place) <
                            std::tuple(-cycle.competitor_reference_micros, cycle.competitor->place);
    if (!higher) continue;
    cycle.competitor = run;
    cycle.competitor_reference_micros = *run.highest_unfilled_micros;
  }
}

QueuePlace PlaceIn(const QueueView& queue, const std::string& bid) {
  QueuePlace place;
  const auto key = [](const UnitRunView& run) {
    return std::tuple(-static_cast<std::int64_t>(run.priority), !run.running, run.place);
  };
  const auto is_own = [&bid](const UnitRunView& run) { return run.first && run.bid == bid; };
  const auto own = std::ranges::find_if(queue.runs, is_own);
  if (own == queue.runs.end()) return place;
  place.place = 1;
  for (const UnitRunView& run : queue.runs) {
    if (!run.first) continue;
    ++place.bids;
    if (key(run) < key(*own)) ++place.place;
  }
  for (auto run = queue.runs.begin(); run != own; ++run) {
    auto before = std::ranges::find(place.before, run->bid, &QueuedBefore::bid);
    if (before == place.before.end()) {
      place.before.push_back({.bid = run->bid, .resource = run->resource, .chips = 0, .filled = 0});
      before = std::prev(place.before.end());
    }
    before->chips += run->units * run->chips;
    before->filled += run->filled * run->chips;
  }
  return place;
}

std::int64_t Offer(Uint128 power, std::uint32_t margin_percent, std::int64_t chips) {
  const Uint128 offer = FloorDiv(power, CheckedMul(margin_percent, ToUint128(chips)));
  return ToInt64(std::min(offer, kMostOffered));
}

// What binds a unit that was offered for less than the pool's price.
Binding BindingBelowPrice(const CycleView& cycle) {
  const std::optional<std::int64_t>& limit = cycle.bid.limit_price_micros;
  if (limit.has_value() && *limit < OfferOf(*cycle.unit)) return Binding::kLimit;
  const std::optional<std::int64_t>& price = cycle.cell.price_micros;
  const bool alone = price.has_value() && OfferAlone(*cycle.unit, cycle.team) >= *price;
  return alone ? Binding::kQueue : Binding::kBudget;
}

// Whether a marginal unit was filled when its turn came, whatever took its chips after that.
bool FitsAtItsTurn(const CycleView& cycle) {
  return cycle.turn.has_value() &&
         std::min(cycle.turn->left, cycle.turn->room) >= cycle.unit->chips;
}

}  // namespace

std::int64_t OfferOf(const UnitRunView& unit) {
  return Offer(unit.power, unit.margin_percent, unit.chips_before + unit.chips);
}

std::int64_t OfferAlone(const UnitRunView& unit, const TeamView& team) {
  const Uint128 cap = unit.running ? team.keep_cap_micros_per_hour : team.enter_cap_micros_per_hour;
  return Offer(CheckedMul(100, cap), unit.margin_percent, unit.chips);
}

CycleView LookAtCycle(const Market& before, const Market& after, std::uint64_t offset,
                      const std::string& bid) {
  CycleView cycle;
  cycle.offset = offset;
  cycle.time_ms = after.time_ms().value_or(0);
  cycle.before = Known(before.FindBid(bid));
  cycle.bid = Known(after.FindBid(bid));
  cycle.team = Known(after.FindTeam(cycle.bid.team));
  cycle.pool = Known(after.FindPool(cycle.team.pool));
  cycle.resource = Known(after.FindResource(cycle.bid.resource));
  cycle.cell = CellOf(cycle.resource, cycle.pool.pool);
  const ResourceView resource_before = Known(before.FindResource(cycle.bid.resource));
  cycle.price_before = CellOf(resource_before, cycle.pool.pool).price_micros;
  cycle.supply_before = resource_before.supply;
  cycle.lent_before = LentOf(resource_before);
  cycle.lent = LentOf(cycle.resource);
  cycle.shared_supply = cycle.resource.shared + cycle.lent;
  const QueueView queue = after.QueueOf(cycle.bid.team);
  const auto unit = std::ranges::find_if(
      queue.runs, [&bid](const UnitRunView& run) { return run.first && run.bid == bid; });
  if (unit != queue.runs.end()) cycle.unit = *unit;
  cycle.queue = PlaceIn(queue, bid);
  cycle.gave_up = queue.gave_up;
  const Units book = after.OrderBook(cycle.bid.resource);
  const Sales sales(book, cycle.resource);
  cycle.turn = TurnOf(after, bid, cycle.resource);
  cycle.free_chips = sales.FreeFor(cycle.pool.pool);
  if (cycle.bid.opportunistic) return cycle;
  Runs(cycle.bid) ? FindNext(book, cycle) : FindOutbid(book, sales, cycle);
  if (cycle.competitor) cycle.competitor_cell = CellOf(cycle.resource, cycle.competitor->pool);
  return cycle;
}

Binding BindingOf(const CycleView& cycle) {
  if (Runs(cycle.bid)) return Binding::kNothing;
  if (cycle.resource.supply == 0) return Binding::kNoSupply;
  if (cycle.bid.opportunistic) return Binding::kNothingUnpaid;
  if (cycle.bid.set_aside || !cycle.unit.has_value()) return Binding::kTooLarge;
  if (OfferAlone(*cycle.unit, cycle.team) == 0) return Binding::kNoBudget;
  if (!cycle.pool.exchange_rate.has_value()) return Binding::kNoRate;
  const std::optional<std::int64_t>& price = cycle.cell.reference_price_micros;
  if (!price.has_value()) return Binding::kNoSupply;
  const std::int64_t offered = cycle.unit->first_reference_micros;
  if (offered < *price) return BindingBelowPrice(cycle);
  if (offered == *price && !FitsAtItsTurn(cycle)) return Binding::kTie;
  return cycle.gave_up ? Binding::kGaveUp : Binding::kDisplaced;
}

}  // namespace qmarket
