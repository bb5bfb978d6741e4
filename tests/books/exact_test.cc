// Decimal numbers and rates of the exports: exact, or cut where it is said.
#include "connectors/books/exact.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "connectors/books/rates.h"
#include "connectors/cli/exit_status.h"

namespace qmarket {
namespace {

TEST(DecimalTest, ReadsWhatIsOne) {
  for (const auto& [text, same] :
       {std::pair("1", "1"), std::pair("1.25", "1.25"), std::pair("0.000000001", "0.000000001"),
        std::pair("0", "0"), std::pair("0.500", "0.5"), std::pair("007.10", "7.1"),
        std::pair("999999999.999999999", "999999999.999999999")}) {
    const std::optional<Decimal> value = ParseDecimal(text);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_EQ(DecimalText(*value), same);
  }
}

TEST(DecimalTest, RefusesWhatIsNone) {
  for (const char* const text : {"", ".", "1.", ".5", "-1", "+1", "1e3", "1,5", "0x1", " 1", "1 ",
                                 "1.2.3", "1234567890", "0.1234567890", "nan", "inf"}) {
    EXPECT_FALSE(ParseDecimal(text).has_value()) << text;
  }
}

TEST(DecimalTest, ProductsAreExact) {
  const Decimal most{.digits = 1'000'000'000'000'000'000, .scale = 6};
  const Decimal rate = ParseDecimal("999999999.999999999").value();
  EXPECT_EQ(DecimalText(Product(most, rate)), "999999999999999999000");
  EXPECT_EQ(DecimalText(Product({.digits = 1, .scale = 6}, ParseDecimal("0.000000001").value())),
            "0.000000000000001");
}

TEST(QuotientTest, IsCutNotRounded) {
  EXPECT_EQ(QuotientText({.digits = 2, .scale = 0}, 1, 3, 4), "0.6666");
  EXPECT_EQ(QuotientText({.digits = 1, .scale = 0}, 3'600'000, 3'600'000, 12), "1");
  EXPECT_EQ(QuotientText({.digits = 1, .scale = 6}, 3'600'000, 7, 9), "0.514285714");
  EXPECT_EQ(QuotientText({.digits = 0, .scale = 6}, 5, 7, 9), "0");
}

TEST(QuotientTest, TheLargestOnesFit) {
  // All chips of the world at the highest price and rate for a century.
  const Decimal cost = Product({.digits = 1'000'000'000'000'000'000, .scale = 6},
                               ParseDecimal("999999999.999999999").value());
  EXPECT_FALSE(
      QuotientText(cost, 3'600'000, static_cast<Uint128>(4'000'000) * 4'102'444'800'000, 18)
          .empty());
  EXPECT_FALSE(QuotientText(cost, 3'600'000, 3'600'000, 18).empty());
}

TEST(QuotientTest, AgreesWithPlainDivisionWhereThatFits) {
  constexpr std::uint32_t kSeed = 11;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t value = random() % 1'000'000'000'000;
    const std::uint64_t factor = 1 + random() % 4'000'000;
    const std::uint64_t divisor = 1 + random() % 1'000'000'000;
    const Uint128 nine = ToUint128(1'000'000'000) * value * factor / divisor;
    EXPECT_EQ(QuotientText({.digits = value, .scale = 0}, factor, divisor, 9),
              DecimalText({.digits = nine, .scale = 9}))
        << "seed " << kSeed << ", round " << i;
  }
}

TEST(RatesTest, OfAllPoolsAndOfOne) {
  const absl::StatusOr<ChargebackRates> none = ChargebackRates::Parse({});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(DecimalText(*none->Of("search")), "1");
  const absl::StatusOr<ChargebackRates> rates = ChargebackRates::Parse({"2", "search=1.25"});
  ASSERT_TRUE(rates.ok()) << rates.status();
  EXPECT_EQ(DecimalText(*rates->Of("search")), "1.25");
  EXPECT_EQ(DecimalText(*rates->Of("ads")), "2");
  const absl::StatusOr<ChargebackRates> one = ChargebackRates::Parse({"search=1.25"});
  ASSERT_TRUE(one.ok());
  EXPECT_EQ(ExitStatusOf(one->Of("ads").status()), ExitStatus::kUsage);
}

TEST(RatesTest, RefusesNonsense) {
  for (const char* const option : {"", "x", "=1", "search=", "search=-1", "search=1=2x"}) {
    EXPECT_EQ(ExitStatusOf(ChargebackRates::Parse({option}).status()), ExitStatus::kUsage)
        << option;
  }
  EXPECT_FALSE(ChargebackRates::Parse({"1", "2"}).ok());
  EXPECT_FALSE(ChargebackRates::Parse({"a=1", "a=1"}).ok());
}

}  // namespace
}  // namespace qmarket
