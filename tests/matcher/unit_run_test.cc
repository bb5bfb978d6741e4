#include "matcher/core/unit_run.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "matcher/core/demand.h"
#include "tests/matcher/random_log.h"
#include "tests/matcher/random_runs.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMostTicks = 1'000'000'000'000;
constexpr int kRounds = 20'000;

std::int64_t CountAtLeast(const std::vector<std::int64_t>& prices, Price price) {
  return std::ranges::count_if(prices, [price](std::int64_t rho) { return rho >= price.value(); });
}

// Prices at which something may change, and some others.
std::vector<Price> Probes(const std::vector<std::int64_t>& prices, RandomRuns& random) {
  std::vector<Price> probes = {Price(0), Price(1), Price(kMostTicks), Price(kMostTicks + 1)};
  for (const std::int64_t rho : prices) {
    for (const std::int64_t probe : {rho - 1, rho, rho + 1}) {
      if (probe >= 0) probes.emplace_back(probe);
    }
  }
  probes.emplace_back(static_cast<std::int64_t>(random.UpTo(ToUint128(kMostTicks))));
  return probes;
}

TEST(UnitRunTest, PricesAreThoseOfTheFormula) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed));
  RandomRuns random(seed);
  for (int i = 0; i < kRounds && !HasFailure(); ++i) {
    const ExchangeRate rate = random.Rate();
    const UnitRun run = random.Run(rate, kMostTicks);
    const std::vector<std::int64_t> prices = ReferencePrices(run, rate);
    EXPECT_EQ(run.first_reference.value(), prices.front());
    EXPECT_EQ(run.last_reference.value(), prices.back());
    for (std::int64_t place = 1; place <= run.units; ++place) {
      EXPECT_EQ(rate.ToReservation(ReservationPrice(run, place)).value(),
                prices[static_cast<std::size_t>(place - 1)]);
    }
  }
}

TEST(UnitRunTest, UnitsWorthCountsAsALoopDoes) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed));
  RandomRuns random(seed);
  for (int i = 0; i < kRounds && !HasFailure(); ++i) {
    const ExchangeRate rate = random.Rate();
    const UnitRun run = random.Run(rate, random.Below(2) == 0 ? kMostTicks : 100);
    const std::vector<std::int64_t> prices = ReferencePrices(run, rate);
    for (const Price probe : Probes(prices, random)) {
      EXPECT_EQ(UnitsWorth(run, rate, probe), CountAtLeast(prices, probe))
          << "at price " << probe.value();
    }
  }
}

TEST(DemandTest, CountsAsALoopOverAllUnitsDoes) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed));
  RandomRuns random(seed);
  for (int i = 0; i < kRounds / 10 && !HasFailure(); ++i) {
    const ExchangeRate rate = random.Rate();
    std::vector<UnitRun> runs(random.Below(8));
    std::vector<std::int64_t> prices;  // of each chip
    for (UnitRun& run : runs) {
      run = random.Run(rate, random.Below(2) == 0 ? kMostTicks : 100);
      for (const std::int64_t rho : ReferencePrices(run, rate)) {
        prices.insert(prices.end(), static_cast<std::size_t>(run.unit_chips.value()), rho);
      }
    }
    std::vector<UnitRun*> pointers;
    pointers.reserve(runs.size());
    for (UnitRun& run : runs)
      pointers.push_back(&run);
    Demand demand;
    demand.Assign(pointers, rate);
    for (const Price probe : Probes(prices, random)) {
      EXPECT_EQ(demand.AtLeast(probe).value(), CountAtLeast(prices, probe))
          << "at price " << probe.value();
    }
    const std::int64_t highest = prices.empty() ? 0 : *std::ranges::max_element(prices);
    EXPECT_EQ(demand.highest().value(), highest);
  }
}

}  // namespace
}  // namespace qmarket
