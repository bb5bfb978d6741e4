#include "matcher/core/filling.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "absl/container/flat_hash_set.h"

namespace qmarket {

namespace {

// More chips than any market has.
constexpr Chips kNoBound{INT64_MAX / 4};

void Fill(UnitRun& run, Cell& cell, std::int64_t units) {
  run.filled += units;
  cell.paid += Chips(units * run.unit_chips.value());
}

std::vector<MarginalRun> MarginalRuns(const Standing& standing, ResourceTable& table) {
  std::vector<MarginalRun> marginal;
  for (std::size_t k = 0; k < table.cells.size(); ++k) {
    const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
    Cell& cell = table.cells[pool];
    if (!cell.reference) continue;
    for (UnitRun* run : cell.runs) {
      if (run->first_reference < *cell.reference) continue;
      const std::int64_t worth = UnitsWorth(*run, standing.pools[pool].rate, *cell.reference);
      if (worth == run->filled) continue;
      marginal.push_back({.run = run, .cell = &cell, .units = worth - run->filled});
    }
  }
  std::ranges::sort(marginal, {}, [&standing](const MarginalRun& item) {
    return std::tuple(!item.run->running, standing.bids[item.run->bid].place,
                      item.run->bid_chips_before);
  });
  return marginal;
}

}  // namespace

Chips RoomAtPrice(const ResourceTable& table, const Cell& cell) {
  if (!table.reference) return cell.own - cell.paid;
  if (*cell.reference >= *table.reference) return kNoBound;
  // n * (p - x) <= own * p
  const Uint128 own_worth =
      CheckedMul(ToUint128(cell.own.value()), ToUint128(table.reference->value()));
  const Uint128 most = FloorDiv(own_worth, ToUint128((*table.reference - *cell.reference).value()));
  return Chips(ToInt64(std::min(most, ToUint128(kNoBound.value())))) - cell.paid;
}

void FillAbovePrice(const Standing& standing, ResourceTable& table) {
  for (std::size_t k = 0; k < table.cells.size(); ++k) {
    const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
    Cell& cell = table.cells[pool];
    cell.paid = Chips(0);
    for (UnitRun* run : cell.runs) {
      run->filled = 0;
      if (!cell.reference) continue;
      Fill(*run, cell, UnitsWorth(*run, standing.pools[pool].rate, *cell.reference + Price(1)));
    }
  }
}

std::vector<MarginalRun> FillMarginal(const Standing& standing, ResourceTable& table) {
  std::vector<MarginalRun> marginal = MarginalRuns(standing, table);
  Chips shared_free = table.shared_free();
  absl::flat_hash_set<std::uint32_t> passed_over;  // looked up only
  for (const MarginalRun& item : marginal) {
    if (passed_over.contains(item.run->bid.index())) continue;
    Cell& cell = *item.cell;
    const Chips room = std::min(cell.own_free() + shared_free, RoomAtPrice(table, cell));
    const std::int64_t fits =
        std::clamp<std::int64_t>(room.value() / item.run->unit_chips.value(), 0, item.units);
    const Chips bought_before = cell.bought();
    Fill(*item.run, cell, fits);
    shared_free -= cell.bought() - bought_before;
    if (fits < item.units) passed_over.insert(item.run->bid.index());
  }
  return marginal;
}

}  // namespace qmarket
