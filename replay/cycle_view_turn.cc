#include "replay/cycle_view_turn.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "events/int128.h"
#include "matcher/core/exchange_rate.h"
#include "matcher/core/unit_run.h"

namespace qmarket {
namespace {

// More chips than any market has.
constexpr std::int64_t kNoBound = INT64_MAX / 4;

// A pool's part of the resource while it is filled.
struct Part {
  ExchangeRate rate;
  std::optional<std::int64_t> price;  // x_k
  std::int64_t own = 0;               // unlent chips of its own
  std::int64_t paid = 0;

  [[nodiscard]] std::int64_t bought() const { return std::max<std::int64_t>(0, paid - own); }
};

std::int64_t UnitsWorthAtLeast(const UnitRunView& view, const ExchangeRate& rate,
                               std::int64_t price) {
  const UnitRun run{.bid = {},
                    .resource = {},
                    .units = view.units,
                    .unit_chips = Chips(view.chips),
                    .team_chips_before = Chips(view.chips_before),
                    .margin = view.margin_percent,
                    .purchasing_power = view.power,
                    .first_reference = Price(view.first_reference_micros),
                    .last_reference = Price(view.last_reference_micros)};
  return UnitsWorth(run, rate, Price(price));
}

class Filler {
 public:
  Filler(const Market& after, const ResourceView& resource)
      : reference_(resource.reference_price_micros), shared_free_(resource.shared) {
    for (const ResourcePoolView& pool : resource.pools) {
      Part& part = parts_[pool.pool];
      const std::optional<PoolView> view = after.FindPool(pool.pool);
      if (view.has_value() && view->exchange_rate.has_value()) {
        part.rate = ExchangeRate(view->exchange_rate->numerator, view->exchange_rate->denominator);
      }
      part.price = pool.reference_price_micros;
      part.own = pool.owned - pool.lent;
      shared_free_ += pool.lent;
    }
  }

  // Every unit above its pool's price (§5.1). Who is left at the price is given back.
  std::vector<UnitRunView> FillAbove(const std::vector<UnitRunView>& book) {
    std::vector<UnitRunView> marginal;
    for (const UnitRunView& run : book) {
      Part& part = parts_.at(run.pool);
      if (!part.price.has_value()) continue;
      const std::int64_t above = UnitsWorthAtLeast(run, part.rate, *part.price + 1);
      const std::int64_t worth = UnitsWorthAtLeast(run, part.rate, *part.price);
      part.paid += above * run.chips;
      if (worth == above) continue;
      marginal.push_back(run);
      marginal.back().units = worth - above;
      marginal.back().first = run.first && above == 0;
    }
    for (const auto& [name, part] : parts_)
      shared_free_ -= part.bought();
    // The units of a bid stay in their order.
    std::ranges::stable_sort(
        marginal, {}, [](const UnitRunView& run) { return std::tuple(!run.running, run.place); });
    return marginal;
  }

  [[nodiscard]] TurnView Turn(const UnitRunView& run) const {
    const Part& part = parts_.at(run.pool);
    return {.left = shared_free_ + std::max<std::int64_t>(0, part.own - part.paid),
            .room = RoomAtPrice(part)};
  }

  // One run at the price (§5.2): whether all of it fits.
  bool Fill(const UnitRunView& run) {
    const TurnView turn = Turn(run);
    const std::int64_t fits =
        std::clamp<std::int64_t>(std::min(turn.left, turn.room) / run.chips, 0, run.units);
    Part& part = parts_.at(run.pool);
    shared_free_ += part.bought();
    part.paid += fits * run.chips;
    shared_free_ -= part.bought();
    return fits == run.units;
  }

 private:
  // Chips that the pool may still add without paying more than its price.
  [[nodiscard]] std::int64_t RoomAtPrice(const Part& part) const {
    if (!reference_.has_value()) return part.own - part.paid;
    if (*part.price >= *reference_) return kNoBound;
    const Uint128 most = FloorDiv(CheckedMul(ToUint128(part.own), ToUint128(*reference_)),
                                  ToUint128(*reference_ - *part.price));
    return ToInt64(std::min(most, ToUint128(kNoBound))) - part.paid;
  }

  std::optional<std::int64_t> reference_;
  std::int64_t shared_free_;
  std::map<std::string, Part> parts_;
};

}  // namespace

std::optional<TurnView> TurnOf(const Market& after, const std::string& bid,
                               const ResourceView& resource) {
  Filler filler(after, resource);
  std::set<std::string> passed_over;
  for (const UnitRunView& run : filler.FillAbove(after.OrderBook(resource.resource))) {
    if (run.bid == bid && run.first) return filler.Turn(run);
    if (passed_over.contains(run.bid)) continue;
    if (!filler.Fill(run)) passed_over.insert(run.bid);
  }
  return std::nullopt;
}

}  // namespace qmarket
