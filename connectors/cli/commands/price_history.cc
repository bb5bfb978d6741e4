#include "connectors/cli/commands/price_history.h"

#include <algorithm>

namespace qmarket {

RecordPrinter PriceHistory::Printer(Output& out, Format format) {
  return RecordPrinter(out, format, "prices",
                       {{"offset", "offset", Kind::kOffset},
                        {"time_ms", "time", Kind::kTimeMs},
                        {"resource", "resource"},
                        {"pool", "pool"},
                        {"price_micros", "price cr/chip-h", Kind::kMicros},
                        {"reference_price_micros", "reference cr/chip-h", Kind::kMicros},
                        {"supply", "supply", Kind::kCount},
                        {"allocated", "allocated", Kind::kCount}});
}

bool PriceHistory::Add(std::uint64_t offset, const MarketCleared& cleared) {
  if (!cycle_.has_value() || cycle_->offset != offset) {
    PrintEnded();
    cycle_ = Cycle{.offset = offset, .time_ms = cleared.time_ms, .resources = {}};
  }
  cycle_->resources.emplace(cleared.resource, cleared);
  return Print(offset, cleared);
}

bool PriceHistory::Print(std::uint64_t offset, const MarketCleared& cleared) {
  return std::ranges::all_of(cleared.pools, [&](const PoolCleared& pool) {
    if (!wanted_(cleared.resource, pool.pool)) return true;
    const Prices prices = {pool.price_micros, cleared.reference_price_micros};
    const auto [last, first] = last_.try_emplace({cleared.resource, pool.pool}, prices);
    if (!first && std::exchange(last->second, prices) == prices && !every_) return true;
    return printer_.Add({Int128{offset}, Int128{cleared.time_ms}, cleared.resource, pool.pool,
                         OptionalCell(pool.price_micros),
                         OptionalCell(cleared.reference_price_micros), Int128{cleared.supply},
                         Int128{cleared.allocated}});
  });
}

// What had a price and has none after the cycle: a resource that has neither supply nor bids any
// more, or a pool that has neither chips nor bids of it.
void PriceHistory::PrintEnded() {
  if (!cycle_.has_value()) return;
  std::erase_if(last_, [&](const auto& entry) {
    const auto& [resource, pool] = entry.first;
    const auto cleared = cycle_->resources.find(resource);
    const bool has_resource = cleared != cycle_->resources.end();
    if (has_resource && std::ranges::find(cleared->second.pools, pool, &PoolCleared::pool) !=
                            cleared->second.pools.end()) {
      return false;
    }
    printer_.Add({Int128{cycle_->offset}, Int128{cycle_->time_ms}, resource, pool, Cell(),
                  has_resource ? OptionalCell(cleared->second.reference_price_micros) : Cell(),
                  Int128{has_resource ? cleared->second.supply : 0},
                  Int128{has_resource ? cleared->second.allocated : 0}});
    return true;
  });
}

void PriceHistory::Finish() {
  PrintEnded();
  printer_.Finish("No prices in that time.");
}

}  // namespace qmarket
