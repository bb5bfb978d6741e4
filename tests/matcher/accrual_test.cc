#include "matcher/core/accrual.h"

#include <cstdint>
#include <random>
#include <string>

#include "gtest/gtest.h"

#include "matcher/core/bidder.h"
#include "tests/matcher/random_log.h"

namespace qmarket {
namespace {

TEST(AccrualTest, TakesWholeMicroCreditsAndCarriesTheRest) {
  Accrual accrual(TimeMs(0));
  accrual.SetRate(TimeMs(0), 1'000'000);  // a credit an hour
  EXPECT_TRUE(accrual.TakeWhole(TimeMs(300'000)) == 83'333);
  EXPECT_TRUE(accrual.TakeWhole(TimeMs(600'000)) == 83'333);
  EXPECT_TRUE(accrual.TakeWhole(TimeMs(900'000)) == 83'334);
  EXPECT_TRUE(accrual.TakeWhole(TimeMs(900'000)) == 0);
}

// Whenever it is taken, and however often the rate is set: nothing is lost.
TEST(AccrualTest, LosesNothing) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  Accrual accrual(TimeMs(1000));
  std::int64_t now = 1000;
  Uint128 rate = 0;
  Uint128 exact = 0;  // micro-credits * ms per hour
  Uint128 taken = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto step = static_cast<std::int64_t>(random() % 100'000);
    exact += rate * static_cast<Uint128>(step);
    now += step;
    if (random() % 2 == 0) {
      rate = random() % 1'000'000'000;
      accrual.SetRate(TimeMs(now), rate);
    }
    if (random() % 4 == 0) taken += accrual.TakeWhole(TimeMs(now));
    ASSERT_TRUE(accrual.At(TimeMs(now)) + taken * 3'600'000 == exact);
  }
  taken += accrual.TakeWhole(TimeMs(now));
  EXPECT_TRUE(taken == exact / 3'600'000);
}

TEST(BurnCapsTest, SpreadTheBalanceOverTheTwoTimes) {
  const DurationMs two_hours(7'200'000);
  const DurationMs half_an_hour(1'800'000);
  const BurnCaps caps = CapsOf(Credits(10), Credits(61), 0, two_hours, half_an_hour);
  EXPECT_TRUE(caps.enter == 10 + 30);
  EXPECT_TRUE(caps.keep == 10 + 122);
  // 333 % of 10, rounded down.
  const BurnCaps bounded = CapsOf(Credits(10), Credits(61), 333, two_hours, half_an_hour);
  EXPECT_TRUE(bounded.enter == 33);
  EXPECT_TRUE(bounded.keep == 33);
  const BurnCaps no_income = CapsOf(Credits(0), Credits(61), 1, two_hours, half_an_hour);
  EXPECT_TRUE(no_income.enter == 0);
  const BurnCaps most = CapsOf(Credits(1'000'000'000'000), Credits(1'000'000'000'000'000'000), 0,
                               DurationMs(22'000), DurationMs(22'000));
  EXPECT_TRUE(most.enter == 1'000'000'000'000 + Uint128{1'000'000'000'000'000'000} * 3'600 / 22);
}

}  // namespace
}  // namespace qmarket
