#include "matcher/core/exchange_rate.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "gtest/gtest.h"

#include "tests/matcher/random_log.h"
#include "tests/matcher/random_runs.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMostTicks = 1'000'000'000'000;

TEST(ExchangeRateTest, IsNoneWhereNumeratorOrDenominatorIsZero) {
  for (const ExchangeRate& rate : {ExchangeRate(), ExchangeRate(0, 5), ExchangeRate(5, 0)}) {
    EXPECT_FALSE(rate.exists());
    EXPECT_EQ(rate.ToReservation(Price(1000)), Price(0));
    EXPECT_EQ(rate.ToLocalPrice(Price(0)), Price(0));
    EXPECT_EQ(rate.ToLocalPrice(Price(1)), std::nullopt);
    EXPECT_EQ(rate.ToLocalPrice(std::nullopt), std::nullopt);
  }
}

TEST(ExchangeRateTest, IsReduced) {
  const ExchangeRate rate(60, 90);
  EXPECT_TRUE(rate.numerator() == 2);
  EXPECT_TRUE(rate.denominator() == 3);
  EXPECT_EQ(rate, ExchangeRate(2, 3));
}

TEST(ExchangeRateTest, RoundsReservationPricesDownAndPricesUp) {
  const ExchangeRate rate(2, 3);
  EXPECT_EQ(rate.ToReservation(Price(5)), Price(3));  // 3.33
  EXPECT_EQ(rate.ToLocalPrice(Price(3)), Price(5));   // 4.5
  EXPECT_EQ(rate.ToReservation(Price(6)), Price(4));
  EXPECT_EQ(rate.ToLocalPrice(Price(4)), Price(6));
}

TEST(ExchangeRateTest, CutsAtItsBounds) {
  const ExchangeRate strong(1'000'000, 1);
  EXPECT_EQ(strong.ToReservation(Price(1'000'001)), Price(kMostTicks));
  const ExchangeRate weak(1, 1'000'000'000);
  EXPECT_EQ(weak.ToLocalPrice(Price(999'999'999)), Price(999'999'999'000'000'000));
  EXPECT_EQ(weak.ToLocalPrice(Price(1'000'000'001)), Price(1'000'000'000'000'000'000));
  EXPECT_EQ(weak.ToLocalPrice(Price(kMostTicks)), Price(1'000'000'000'000'000'000));
  EXPECT_EQ(strong.ToLocalPrice(Price(kMostTicks + 1)), std::nullopt);
}

TEST(ExchangeRateTest, WhoOffersThePriceCanPayIt) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed));
  RandomRuns random(seed);
  for (int i = 0; i < 100'000 && !HasFailure(); ++i) {
    const ExchangeRate rate = random.Rate();
    const Price local(static_cast<std::int64_t>(random.UpTo(ToUint128(kMostTicks))));
    const Price reference = rate.ToReservation(local);
    if (!rate.exists()) {
      EXPECT_EQ(reference, Price(0));
      continue;
    }
    const Uint128 exact = ToUint128(local.value()) * rate.numerator() / rate.denominator();
    EXPECT_TRUE(ToUint128(reference.value()) == std::min(exact, Uint128{kMostTicks}));
    const std::optional<Price> pays = rate.ToLocalPrice(reference);
    ASSERT_TRUE(pays.has_value());
    EXPECT_LE(*pays, local);
    // One tick more of the reference price is more than it offered.
    const std::optional<Price> more = rate.ToLocalPrice(reference + Price(1));
    if (reference < Price(kMostTicks)) {
      ASSERT_TRUE(more.has_value());
      EXPECT_TRUE(*more > local || *more == kMaxLocalPrice);
    }
  }
}

TEST(ExchangeRateTest, LowestLocalIsTheLowestThatIsWorthIt) {
  const std::uint64_t seed = TestSeed();
  SCOPED_TRACE("QMARKET_SEED=" + std::to_string(seed));
  RandomRuns random(seed);
  for (int i = 0; i < 100'000 && !HasFailure(); ++i) {
    const ExchangeRate rate = random.Rate();
    const Price reference(static_cast<std::int64_t>(random.UpTo(ToUint128(kMostTicks))));
    const std::optional<Price> lowest = rate.LowestLocal(reference);
    if (!lowest) {
      EXPECT_LT(rate.ToReservation(Price(kMostTicks)), reference);
      continue;
    }
    EXPECT_GE(rate.ToReservation(*lowest), reference);
    if (*lowest == Price(0)) continue;
    EXPECT_LT(rate.ToReservation(*lowest - Price(1)), reference);
  }
}

}  // namespace
}  // namespace qmarket
