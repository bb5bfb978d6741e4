// Filling one resource at its prices: units above the price, then marginal ones (mechanism §5.1-2).
#ifndef QMARKET_MATCHER_CORE_FILLING_H_
#define QMARKET_MATCHER_CORE_FILLING_H_

#include <vector>

#include "matcher/core/standing.h"

namespace qmarket {

// Units whose reservation price is exactly their pool's price.
struct MarginalRun {
  UnitRun* run = nullptr;
  Cell* cell = nullptr;
  std::int64_t units = 0;  // the marginal ones of the run, after those already filled
};

// Fills every unit with rho_ref > x_k (UnitRun::filled, Cell::paid).
void FillAbovePrice(const Standing& standing, ResourceTable& table);

// Fills the marginal units that fit. Returns them all, in their order: running ones, then by place
// in the log.
std::vector<MarginalRun> FillMarginal(const Standing& standing, ResourceTable& table);

// How many more chips the pool may pay for without pulling its blended price above what it pays
// (§5.2); less than 0 where it has more.
[[nodiscard]] Chips RoomAtPrice(const ResourceTable& table, const Cell& cell);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_FILLING_H_
