#include "matcher/core/pricing.h"

#include <algorithm>

namespace qmarket {

namespace {

Uint128 Times(Chips chips, Price price) {
  return CheckedMul(ToUint128(chips.value()), ToUint128(price.value()));
}

// The lowest tick in (fails, holds] for which a condition holds, given that it holds from some tick
// on, fails at `fails` and holds at `holds`.
template <typename Condition>
Price LowestTick(Price fails, Price holds, Condition condition) {
  while (holds.value() - fails.value() > 1) {
    const Price middle(fails.value() + (holds.value() - fails.value()) / 2);
    (condition(middle) ? holds : fails) = middle;
  }
  return holds;
}

// What the pool buys at reference price p: falls as p rises.
Chips Bought(const Cell& cell, Price p) {
  const Price x = PoolPrice(cell.demand, cell.own, p);
  return std::max(Chips(0), cell.demand.AtLeast(x + Price(1)) - cell.own);
}

bool Clears(const ResourceTable& table, Price p) {
  Chips bought;
  for (const Cell& cell : table.cells) {
    bought += Bought(cell, p);
    if (bought > table.shared_supply) return false;
  }
  return true;
}

}  // namespace

Price PoolPrice(const Demand& demand, Chips own, Price p) {
  if (own == Chips(0)) return p;
  const Uint128 own_worth = Times(own, p);
  const auto covers = [&](Price x) {
    return Times(demand.AtLeast(x + Price(1)), p - x) <= own_worth;
  };
  if (covers(Price(0))) return Price(0);
  Price fails(0);
  Price holds = std::min(p, demand.highest());
  // Between two steps demand does not change, so the search is over the steps first.
  const auto& steps = demand.steps();
  const auto first_failing = std::ranges::partition_point(
      steps, [&](const Demand::Step& step) { return step.price >= holds || covers(step.price); });
  if (first_failing != steps.begin()) {
    holds = std::min(holds, std::prev(first_failing)->price);
  }
  if (first_failing != steps.end()) fails = std::max(fails, first_failing->price);
  if (!demand.has_only_steps()) return LowestTick(fails, holds, covers);
  const Price lowest = fails + Price(1);
  if (lowest >= holds) return holds;
  const Chips wanted = demand.AtLeast(lowest + Price(1));
  const Uint128 discount = FloorDiv(own_worth, ToUint128(wanted.value()));
  const Uint128 ticks = ToUint128(p.value());
  const Price exact(discount >= ticks ? 0 : ToInt64(ticks - discount));
  return std::clamp(exact, lowest, holds);
}

std::optional<Price> OwnPrice(const Demand& demand, Chips own) {
  if (own == Chips(0)) return std::nullopt;
  const auto fits = [&](Price x) { return demand.AtLeast(x + Price(1)) <= own; };
  if (fits(Price(0))) return Price(0);
  return LowestTick(Price(0), demand.highest(), fits);
}

Price ReferencePrice(const ResourceTable& table, std::optional<Price> hint) {
  const auto clears = [&table](Price p) { return Clears(table, p); };
  if (clears(Price(0))) return Price(0);
  Chips most_own;
  Price highest;
  for (const Cell& cell : table.cells) {
    most_own = std::max(most_own, cell.own);
    highest = std::max(highest, cell.demand.highest());
  }
  Price fails(0);
  Price holds(ToInt64(Times(most_own + Chips(1), highest)));
  QM_CHECK(clears(holds), "no reference price clears the market");
  if (hint && *hint > fails && *hint < holds) {
    // From the last price outwards, in steps that double.
    const bool down = clears(*hint);
    (down ? holds : fails) = *hint;
    for (std::int64_t step = 1; holds.value() - fails.value() > step; step *= 2) {
      const Price probe = down ? holds - Price(step) : fails + Price(step);
      const bool clear = clears(probe);
      (clear ? holds : fails) = probe;
      if (clear != down) break;
    }
  }
  return LowestTick(fails, holds, clears);
}

void SetClearingPrices(const Standing& standing, ResourceTable& table) {
  const bool sells = table.shared_supply > Chips(0);
  const std::optional<Price> last = table.reference;
  table.reference = sells ? std::optional(ReferencePrice(table, last)) : std::nullopt;
  for (std::size_t k = 0; k < table.cells.size(); ++k) {
    const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
    Cell& cell = table.cells[pool];
    cell.reference = sells ? std::optional(PoolPrice(cell.demand, cell.own, *table.reference))
                           : OwnPrice(cell.demand, cell.own);
    cell.local = standing.pools[pool].rate.ToLocalPrice(cell.reference);
  }
}

}  // namespace qmarket
