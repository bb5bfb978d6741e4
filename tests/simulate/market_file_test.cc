#include "connectors/simulate/market_file.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qmarket {
namespace {

using ::testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const auto file = ParseMarketFile("m.toml", text);
  return file.ok() ? "no error" : std::string(file.status().message());
}

TEST(MarketFileTest, AnEmptyFileHasTheDefaults) {
  const auto file = ParseMarketFile("m.toml", "");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->market, MarketConfigured());
  EXPECT_EQ(file->overlay, Overlay());
  EXPECT_TRUE(file->pools.empty() && file->teams.empty() && file->bids.empty());
}

TEST(MarketFileTest, ReadsEverything) {
  const auto file = ParseMarketFile("m.toml", R"(
[market]
cycle_ms = 30_000
settlement_ms = 60_000
keep_affordable_ms = 600_000
min_affordable_ms = 1_200_000
entry_margin_percent = 10
purse_hours = 24

[overlay]
credits_per_chip_hour = 2.5
seed = 7
limits = "seeded"
elastic_percent = 25
opportunistic_percent = 5

[pools.search]
market_weight = 120
lend_idle = false

[pools."vc-1"]

[teams."u1@vc-1"]
income = 0.000001
income_leverage_percent = 300
grant = 1e3

[[bids]]
pool = "search"
at_least_chips = 8
limit_price = 3.5
priority = -2

[[bids]]
team = "u1"
resource = "h100"
at_most_chips = 4
limit_price = "none"
opportunistic = true
standby = false
min_chips_percent = 50
)");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->market, (MarketConfigured{30'000, 60'000, 1'200'000, 600'000, 10, 24}));
  EXPECT_EQ(file->overlay, (Overlay{2'500'000, 7, true, 25, 5}));
  EXPECT_EQ(file->pools.at("search"), (PoolRule{120'000'000, false}));
  EXPECT_EQ(file->pools.at("vc-1"), PoolRule());
  EXPECT_EQ(file->teams.at("u1@vc-1"), (TeamRule{1, 300, 1'000'000'000}));
  ASSERT_EQ(file->bids.size(), 2U);
  BidRule first;
  first.pool = "search";
  first.at_least_chips = 8;
  first.limit_price_micros = 3'500'000;
  first.priority = -2;
  EXPECT_EQ(file->bids[0], first);
  BidRule second;
  second.team = "u1";
  second.resource = "h100";
  second.at_most_chips = 4;
  second.limit_price_micros = -1;
  second.opportunistic = true;
  second.standby = false;
  second.min_chips_percent = 50;
  EXPECT_EQ(file->bids[1], second);
}

TEST(MarketFileTest, NamesFileLineKeyValueAndWhatWasExpected) {
  EXPECT_EQ(ErrorOf("[market]\ncycle_ms = 999\n"),
            "m.toml:2: market.cycle_ms: \"999\": expected a whole number from 1000 to 3600000");
  EXPECT_THAT(ErrorOf("[market]\ncycle_ms = 60.0\n"), HasSubstr("market.cycle_ms"));
  EXPECT_THAT(ErrorOf("[market]\ncycle_ms = \"60\"\n"), HasSubstr("market.cycle_ms"));
  EXPECT_THAT(ErrorOf("[market]\ncycle = 60\n"),
              HasSubstr("m.toml:2: market: no key cycle; did you mean cycle_ms?"));
  EXPECT_THAT(ErrorOf("[markets]\n"), HasSubstr("no key markets; did you mean market?"));
  EXPECT_THAT(ErrorOf("market = 3\n"), HasSubstr("m.toml:1: market: \"3\": expected a table"));
  EXPECT_THAT(ErrorOf("[overlay]\nlimits = \"some\"\n"),
              HasSubstr("m.toml:2: overlay.limits: \"some\": expected \"none\" or \"seeded\""));
  EXPECT_THAT(ErrorOf("[overlay]\nelastic_percent = 101\n"), HasSubstr("from 0 to 100"));
  EXPECT_THAT(ErrorOf("[pools.\"a b\"]\n"), HasSubstr("pools: \"a b\": expected a name"));
  EXPECT_THAT(ErrorOf("[pools]\na = 1\n"), HasSubstr("m.toml:2: pools.a: expected a table"));
  EXPECT_THAT(ErrorOf("[pools.a]\nlend_idle = 1\n"), HasSubstr("expected true or false"));
  EXPECT_THAT(ErrorOf("[teams.a]\nincome = -1\n"), HasSubstr("teams.a.income: \"-1\""));
  EXPECT_THAT(ErrorOf("[teams.a]\nincome = 1e300\n"), HasSubstr("teams.a.income"));
  EXPECT_THAT(ErrorOf("[teams.a]\nincome = nan\n"), HasSubstr("teams.a.income"));
  EXPECT_THAT(ErrorOf("[teams.a]\nincome = 0.0000001\n"), HasSubstr("at most six decimals"));
  EXPECT_THAT(ErrorOf("[bids]\n"), HasSubstr("expected a list of tables, [[bids]]"));
  EXPECT_THAT(ErrorOf("bids = [1]\n"), HasSubstr("expected a list of tables"));
  EXPECT_THAT(ErrorOf("[[bids]]\nlimit_price = \"all\"\n"), HasSubstr("bids.limit_price"));
  EXPECT_THAT(ErrorOf("[[bids]]\nmin_chips_percent = 0\n"), HasSubstr("bids.min_chips_percent"));
}

TEST(MarketFileTest, SettlementMustComeOftenEnough) {
  EXPECT_THAT(ErrorOf("[market]\nsettlement_ms = 3_600_000\n"),
              HasSubstr("expected at least 2 x (settlement_ms + cycle_ms) = 7320000"));
  EXPECT_THAT(ErrorOf("[market]\nkeep_affordable_ms = 7_300_000\n"), HasSubstr("not below"));
  EXPECT_THAT(
      ErrorOf("[market]\nkeep_affordable_ms = 1000\n"),
      HasSubstr("market.keep_affordable_ms: \"1000\": expected a whole number from 720000"));
}

TEST(MarketFileTest, BrokenTextIsAnErrorWithItsPlace) {
  EXPECT_THAT(ErrorOf("[market\n"), HasSubstr("m.toml:1:"));
  EXPECT_THAT(ErrorOf("a = \"\xFF\"\n"), HasSubstr("m.toml:1:"));
  EXPECT_THAT(ErrorOf(std::string(5'000, '[')), HasSubstr("m.toml:1:"));
  EXPECT_THAT(ErrorOf("a = " + std::string(5'000, '[')), HasSubstr("m.toml:1:"));
}

}  // namespace
}  // namespace qmarket
