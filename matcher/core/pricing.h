// Prices of one resource: each pool's, and the reference price (mechanism §4).
#ifndef QMARKET_MATCHER_CORE_PRICING_H_
#define QMARKET_MATCHER_CORE_PRICING_H_

#include "matcher/core/standing.h"

namespace qmarket {

// x_k(p): the lowest tick x in [0, p] at which a pool with `own` chips of its own, that buys the
// rest of its demand at p, does not pay less than it spends: D(x + 1) * (p - x) <= own * p.
[[nodiscard]] Price PoolPrice(const Demand& demand, Chips own, Price p);

// The lowest tick with D(x + 1) <= own: how a pool clears where nothing is shared; none where it
// has no chips.
[[nodiscard]] std::optional<Price> OwnPrice(const Demand& demand, Chips own);

// The lowest p at which what all pools buy is at most the shared supply Z' > 0. `hint` (the last
// price) makes the search short where little has changed; it never changes the result.
[[nodiscard]] Price ReferencePrice(const ResourceTable& table, std::optional<Price> hint);

// Sets the resource's reference price and each pool's x_k and local price from its demand.
void SetClearingPrices(const Standing& standing, ResourceTable& table);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_PRICING_H_
