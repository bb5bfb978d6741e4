// How long a cycle takes with elastic bids of any size: the times must be alike (mechanism §3,
// Units).

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"

#include "matcher/core/market.h"
#include "tests/matcher/inputs.h"
#include "tests/matcher/values.h"

namespace qmarket {
namespace {

Input At(std::uint64_t offset, Payload payload) {
  Event event;
  event.event_id = absl::StrCat("event-", offset);
  event.time_ms = kDayStartMs + static_cast<std::int64_t>(offset) * 1000;
  event.payload = std::move(payload);
  return InputOf(std::move(event), offset);
}

constexpr int kTeams = 20;

// One cycle in which all of kTeams elastic bids of so many chips compete for half of what they
// want.
void BM_CycleWithElasticBids(benchmark::State& state) {
  const auto chips = static_cast<std::uint32_t>(state.range(0));
  Market market;
  std::uint64_t offset = 0;
  const auto apply = [&](Payload payload) { market.Apply(At(offset++, std::move(payload))); };
  apply(PoolConfigured{.pool = "p", .market_weight_micros_per_hour = 100'000'000'000});
  apply(SupplyChanged{.resource = "r", .owner = "", .chips = chips * 2, .reason = ""});
  for (int i = 0; i < kTeams; ++i) {
    apply(TeamConfigured{.team = absl::StrCat("team-", i),
                         .pool = "p",
                         .income_micros_per_hour = 5'000'000'000 + std::int64_t{i} * 1'000'003});
    apply(BidPlaced{.bid = absl::StrCat("bid-", i),
                    .team = absl::StrCat("team-", i),
                    .resource = "r",
                    .chips = chips,
                    .min_chips = 1});
  }
  std::int64_t limit = 900'000'000'000;
  for (auto _ : state) {
    BidAmended change;
    change.bid = "bid-0";
    change.limit_price_micros = --limit;
    apply(change);
    apply(ClockTicked{});
  }
}

BENCHMARK(BM_CycleWithElasticBids)->Arg(8)->Arg(1'000)->Arg(1'000'000);

}  // namespace
}  // namespace qmarket
