// Prices found by search against those found by trying every tick, on small numbers.

#include "matcher/core/pricing.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/matcher/random_log.h"
#include "tests/matcher/random_runs.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMostTicks = 40;
constexpr int kRounds = 3'000;

// A resource with pools, their runs, and nothing else.
struct Bazaar {
  std::vector<std::vector<UnitRun>> runs;
  std::vector<ExchangeRate> rates;
  ResourceTable table;
};

Bazaar RandomBazaar(RandomRuns& random) {
  Bazaar market;
  const std::uint64_t pools = 1 + random.Below(4);
  market.runs.resize(pools);
  market.table.shared_supply = Chips(1 + static_cast<std::int64_t>(random.Below(20)));
  for (std::vector<UnitRun>& runs : market.runs) {
    const ExchangeRate rate(1 + random.Below(4), 1 + random.Below(4));
    market.rates.push_back(rate);
    runs.resize(random.Below(5));
    std::vector<UnitRun*> pointers;
    for (UnitRun& run : runs) {
      run = random.Run(rate, kMostTicks);
      pointers.push_back(&run);
    }
    Cell cell;
    cell.own = Chips(static_cast<std::int64_t>(random.Below(2) * random.Below(6)));
    cell.demand.Assign(pointers, rate);
    market.table.cells.Add(std::move(cell));
  }
  return market;
}

// §4, word for word.
std::int64_t SlowPoolPrice(const Demand& demand, std::int64_t own, std::int64_t p) {
  if (own == 0) return p;
  for (std::int64_t x = 0; x <= p; ++x) {
    if (demand.AtLeast(Price(x + 1)).value() * (p - x) <= own * p) return x;
  }
  return -1;
}

bool SlowClears(const ResourceTable& table, std::int64_t p) {
  std::int64_t bought = 0;
  for (const Cell& cell : table.cells) {
    const std::int64_t x = SlowPoolPrice(cell.demand, cell.own.value(), p);
    bought +=
        std::max<std::int64_t>(0, cell.demand.AtLeast(Price(x + 1)).value() - cell.own.value());
  }
  return bought <= table.shared_supply.value();
}

class PricingTest : public testing::Test {
 protected:
  std::uint64_t seed_ = TestSeed();
  RandomRuns random_{seed_};
};

TEST_F(PricingTest, PoolPriceIsTheLowestTickThatPaysForWhatIsBought) {
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed_));
  for (int i = 0; i < kRounds && !HasFailure(); ++i) {
    const Bazaar market = RandomBazaar(random_);
    for (const Cell& cell : market.table.cells) {
      const auto p = static_cast<std::int64_t>(random_.Below(6 * kMostTicks));
      EXPECT_EQ(PoolPrice(cell.demand, cell.own, Price(p)).value(),
                SlowPoolPrice(cell.demand, cell.own.value(), p))
          << "own " << cell.own.value() << ", p " << p;
    }
  }
}

TEST_F(PricingTest, OwnPriceIsTheLowestTickAtWhichOwnChipsSuffice) {
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed_));
  for (int i = 0; i < kRounds && !HasFailure(); ++i) {
    const Bazaar market = RandomBazaar(random_);
    for (const Cell& cell : market.table.cells) {
      const std::optional<Price> price = OwnPrice(cell.demand, cell.own);
      if (cell.own == Chips(0)) {
        EXPECT_EQ(price, std::nullopt);
        continue;
      }
      std::int64_t slow = 0;
      while (cell.demand.AtLeast(Price(slow + 1)) > cell.own)
        ++slow;
      EXPECT_EQ(price, Price(slow));
    }
  }
}

TEST_F(PricingTest, ReferencePriceIsTheLowestTickThatClears) {
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed_));
  int above_zero = 0;
  for (int i = 0; i < kRounds && !HasFailure(); ++i) {
    const Bazaar market = RandomBazaar(random_);
    std::int64_t slow = 0;
    while (!SlowClears(market.table, slow))
      ++slow;
    EXPECT_EQ(ReferencePrice(market.table, std::nullopt).value(), slow);
    above_zero += slow > 0 ? 1 : 0;
  }
  EXPECT_GT(above_zero, kRounds / 10);
}

TEST_F(PricingTest, NoHintChangesTheReferencePrice) {
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed_));
  for (int i = 0; i < kRounds && !HasFailure(); ++i) {
    const Bazaar market = RandomBazaar(random_);
    const Price price = ReferencePrice(market.table, std::nullopt);
    for (const std::int64_t hint : {std::int64_t{0}, price.value(), price.value() + 1,
                                    std::max<std::int64_t>(0, price.value() - 1),
                                    static_cast<std::int64_t>(random_.Below(4 * kMostTicks)),
                                    std::int64_t{1'000'000'000'000}}) {
      EXPECT_EQ(ReferencePrice(market.table, Price(hint)), price) << "hint " << hint;
    }
  }
}

// Single steps in a demand with large numbers, where trying every tick is out of the question: the
// tick found holds, the one below does not.
TEST_F(PricingTest, LargePricesHoldAndOneTickLessDoesNot) {
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed_));
  const ExchangeRate one(1, 1);
  for (int i = 0; i < kRounds && !HasFailure(); ++i) {
    std::vector<UnitRun> runs(1 + random_.Below(6));
    std::vector<UnitRun*> pointers;
    for (UnitRun& run : runs) {
      run = random_.Run(one, 1'000'000'000'000);
      pointers.push_back(&run);
    }
    Demand demand;
    demand.Assign(pointers, one);
    const Chips own(1 + static_cast<std::int64_t>(random_.Below(20)));
    const auto p = static_cast<std::int64_t>(random_.UpTo(Uint128{21} * 1'000'000'000'000));
    const auto covers = [&](Price x) {
      return ToUint128(demand.AtLeast(x + Price(1)).value()) * ToUint128(p - x.value()) <=
             ToUint128(own.value()) * ToUint128(p);
    };
    const Price price = PoolPrice(demand, own, Price(p));
    ASSERT_LE(price, Price(p));
    EXPECT_TRUE(covers(price)) << "p " << p << ", price " << price.value();
    if (price > Price(0)) {
      EXPECT_FALSE(covers(price - Price(1))) << "p " << p << ", price " << price.value();
    }
  }
}

}  // namespace
}  // namespace qmarket
