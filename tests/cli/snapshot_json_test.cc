#include "connectors/cli/commands/snapshot_json.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace qmarket {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

Json Example() {
  return Json::parse(R"({"resource": "h100", "shared": 40, "pools": [
      {"pool": "search", "owned": 16, "teams": [
        {"team": "ranking", "budget_micros_per_hour": 90, "bids": [
          {"bid": "a", "chips": 8}, {"bid": "b", "chips": 4, "held": 3}]}]},
      {"pool": "ads", "owned": 0, "teams": []}]})");
}

TEST(ParseSnapshot, TakesTheContractsDefaults) {
  const auto snapshot = ParseSnapshot(Example().dump());
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(snapshot->entry_margin_percent, 25U);
  ASSERT_EQ(snapshot->pools.size(), 2U);
  const SnapshotPool& pool = snapshot->pools[0];
  EXPECT_TRUE(pool.lend_idle);
  EXPECT_FALSE(pool.plan_price_micros.has_value());
  const SnapshotTeam& team = pool.teams[0];
  EXPECT_EQ(team.keep_budget_micros_per_hour, 90);
  const SnapshotBid& bid = team.bids[1];
  EXPECT_EQ(bid.min_chips, 4U);
  EXPECT_EQ(bid.limit_price_micros, -1);
  EXPECT_EQ(bid.priority, 0);
  EXPECT_EQ(bid.held, 3U);
  EXPECT_EQ(bid.paid, 3U);
  EXPECT_FALSE(bid.opportunistic);
  EXPECT_TRUE(bid.standby);
  EXPECT_EQ(team.bids[0].order, 0U);
  EXPECT_EQ(bid.order, 1U);
}

struct BadCase {
  const char* pointer;  // what is replaced
  const char* value;    // by this
  const char* path;     // what the error names
};

class BadSnapshot : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadSnapshot, IsRefusedWithItsPath) {
  Json tree = Example();
  tree[Json::json_pointer(GetParam().pointer)] = Json::parse(GetParam().value);
  const auto snapshot = ParseSnapshot(tree.dump());
  EXPECT_THAT(std::string(snapshot.status().message()),
              ::testing::StartsWith(std::string(GetParam().path) + " is "));
}

constexpr BadCase kBadCases[] = {
    {"/resource", R"("a b")", "resource"},
    {"/resource", R"("")", "resource"},
    {"/resource", "7", "resource"},
    {"/shared", "4000001", "shared"},
    {"/shared", "-1", "shared"},
    {"/entry_margin_percent", "1001", "entry_margin_percent"},
    {"/pools", "{}", "pools"},
    {"/pools/1/pool", R"("search")", "pools[1].pool"},
    {"/pools/1/owned", "4000001", "pools[1].owned"},
    {"/pools/1/lend_idle", "1", "pools[1].lend_idle"},
    {"/pools/1/plan_price_micros", "-1", "pools[1].plan_price_micros"},
    {"/pools/1/plan_price_micros", "1000000000000000001", "pools[1].plan_price_micros"},
    {"/pools/1/more", "1", "pools[1].more"},
    {"/pools/1/teams", R"([{"team": "ranking", "budget_micros_per_hour": 1, "bids": []}])",
     "pools[1].teams[0].team"},
    {"/pools/1/teams",
     R"([{"team": "x", "budget_micros_per_hour": 1, "bids": [{"bid": "a", "chips": 1}]}])",
     "pools[1].teams[0].bids[0].bid"},
    {"/pools/0/teams/0/budget_micros_per_hour", "1000000000000000001",
     "pools[0].teams[0].budget_micros_per_hour"},
    {"/pools/0/teams/0/keep_budget_micros_per_hour", "89",
     "pools[0].teams[0].keep_budget_micros_per_hour"},
    {"/pools/0/teams/0/bids/1/chips", "0", "pools[0].teams[0].bids[1].chips"},
    {"/pools/0/teams/0/bids/0/chips", "1000001", "pools[0].teams[0].bids[0].chips"},
    {"/pools/0/teams/0/bids/1/min_chips", "0", "pools[0].teams[0].bids[1].min_chips"},
    {"/pools/0/teams/0/bids/1/min_chips", "5", "pools[0].teams[0].bids[1].min_chips"},
    {"/pools/0/teams/0/bids/1/held", "5", "pools[0].teams[0].bids[1].held"},
    {"/pools/0/teams/0/bids/1/paid", "4", "pools[0].teams[0].bids[1].paid"},
    {"/pools/0/teams/0/bids/1/limit_price_micros", "-2",
     "pools[0].teams[0].bids[1].limit_price_micros"},
    {"/pools/0/teams/0/bids/1/limit_price_micros", "1000000000001",
     "pools[0].teams[0].bids[1].limit_price_micros"},
    {"/pools/0/teams/0/bids/1/priority", "2147483648", "pools[0].teams[0].bids[1].priority"},
    {"/pools/0/teams/0/bids/1/opportunistic", "null", "pools[0].teams[0].bids[1].opportunistic"},
    {"/pools/0/teams/0/bids/1/order", "1", "pools[0].teams[0].bids[1].order"},
    {"/pools/0/teams/0/bids/1", "5", "pools[0].teams[0].bids[1]"},
};

INSTANTIATE_TEST_SUITE_P(Snapshot, BadSnapshot, ::testing::ValuesIn(kBadCases));

TEST(ParseSnapshot, RefusesAFieldLeftOut) {
  Json tree = Example();
  tree["pools"][0]["teams"][0].erase("budget_micros_per_hour");
  EXPECT_THAT(std::string(ParseSnapshot(tree.dump()).status().message()),
              HasSubstr("pools[0].teams[0].budget_micros_per_hour is missing"));
}

TEST(ParseSnapshot, TakesPlacesForAllBidsOrForNone) {
  Json tree = Example();
  Json& bids = tree["pools"][0]["teams"][0]["bids"];
  bids[0]["order"] = 9;
  EXPECT_THAT(std::string(ParseSnapshot(tree.dump()).status().message()),
              HasSubstr("pools[0].teams[0].bids[1].order is missing, expected given for all bids"));
  bids[1]["order"] = 9;
  EXPECT_THAT(std::string(ParseSnapshot(tree.dump()).status().message()),
              HasSubstr("pools[0].teams[0].bids[1].order is 9, expected a number that no other"));
  bids[1]["order"] = 4;
  const auto snapshot = ParseSnapshot(tree.dump());
  ASSERT_TRUE(snapshot.ok()) << snapshot.status();
  EXPECT_EQ(snapshot->pools[0].teams[0].bids[0].order, 9U);
}

}  // namespace
}  // namespace qmarket
