#include "connectors/cli/text.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CreditsText, IsExact) {
  EXPECT_EQ(CreditsText(12'500'000), "12.5 cr");
  EXPECT_EQ(CreditsText(0), "0 cr");
  EXPECT_EQ(CreditsText(1), "0.000001 cr");
  EXPECT_EQ(CreditsText(-1), "-0.000001 cr");
  EXPECT_EQ(CreditsText(-1'234'000'001), "-1,234.000001 cr");
  EXPECT_EQ(CreditsText(Int128{std::numeric_limits<std::int64_t>::min()}),
            "-9,223,372,036,854.775808 cr");
}

TEST(CreditsText, HoldsSumsBeyond64Bits) {
  EXPECT_EQ(CreditsText(Int128{std::numeric_limits<std::int64_t>::max()} * 1'000'000),
            "9,223,372,036,854,775,807 cr");
}

TEST(CreditsNumber, ShowsThatThereIsNone) {
  EXPECT_EQ(CreditsNumber(std::optional<std::int64_t>()), "-");
  EXPECT_EQ(CreditsNumber(std::optional<std::int64_t>(2'000'000)), "2");
}

TEST(DecimalText, IsCutAfterNineDigits) {
  EXPECT_EQ(DecimalText(3, 2), "1.5");
  EXPECT_EQ(DecimalText(0, 7), "0");
  EXPECT_EQ(DecimalText(12, 4), "3");
  EXPECT_EQ(DecimalText(2, 3), "0.666666666");
  EXPECT_EQ(DecimalText(1, 8'100), "0.00012345679");
  EXPECT_EQ(DecimalText(1'000'001, 1'000), "1000.001");
  EXPECT_EQ(DecimalText(12'345'678'901, 10), "1234567890");
  EXPECT_EQ(FractionText(3, 2), "3/2");
}

TEST(DecimalText, HoldsFractionsOf128Bits) {
  const Uint128 most = ~Uint128{0};
  EXPECT_EQ(DecimalText(most, most), "1");
  EXPECT_EQ(DecimalText(most - 1, most), "0.999999999");
  EXPECT_EQ(DecimalText(most / 2, most), "0.499999999");
  EXPECT_EQ(DecimalText(1, most), "0");
}

TEST(CountText, GroupsByThousands) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1'000), "1,000");
  EXPECT_EQ(CountText(-1'234'567), "-1,234,567");
}

TEST(TimeText, IsIso8601InUtc) {
  EXPECT_EQ(TimeText(1'767'225'600'000), "2026-01-01T00:00:00Z");
  EXPECT_EQ(TimeText(1'767'225'600'007), "2026-01-01T00:00:00.007Z");
  EXPECT_EQ(TimeText(0), "1970-01-01T00:00:00Z");
}

TEST(Wrapped, BreaksAtSpaces) {
  EXPECT_EQ(Wrapped("one two three", 7), "one two\nthree");
  EXPECT_EQ(Wrapped("one two three", 13), "one two three");
  EXPECT_EQ(Wrapped("unbreakable is", 3), "unbreakable\nis");
}

TEST(NearNames, FindsMisspellings) {
  const std::vector<std::string> names = {"vision", "search", "speech", "vision-lab"};
  EXPECT_THAT(NearNames("visoin", names), ElementsAre("vision"));
  EXPECT_THAT(NearNames("VISION", names), ElementsAre("vision"));
  EXPECT_THAT(NearNames("ision", names), ElementsAre("vision", "vision-lab"));
  EXPECT_THAT(NearNames("quite-another", names), IsEmpty());
}

TEST(UnknownName, SaysWhatThereIs) {
  const std::vector<std::string> names = {"vision", "search"};
  EXPECT_EQ(UnknownName("team", "visoin", names), "no team visoin; did you mean vision?");
  EXPECT_EQ(UnknownName("team", "quite-another", names),
            "no team quite-another; there are vision, search");
  EXPECT_THAT(UnknownName("team", "x", {}), HasSubstr("there is none yet"));
}

TEST(UnknownName, ListsAFewNamesOnly) {
  std::vector<std::string> names;
  for (int i = 100; i < 200; ++i)
    names.push_back("team-" + std::to_string(i));
  const std::string message = UnknownName("team", "no-such-name-here", names);
  EXPECT_THAT(message, HasSubstr("team-100"));
  EXPECT_THAT(message, HasSubstr(", ..."));
  EXPECT_LT(message.size(), 200U);
}

}  // namespace
}  // namespace qmarket
