#include "connectors/simulate/scenario.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulate/testing.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> TeamNames(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const ScenarioTeam& team : scenario.teams) {
    names.push_back(scenario.pools[team.pool].name + ":" + team.name);
  }
  return names;
}

TEST(ScenarioTest, WeightsAndIncomesAreInProportionToChipHours) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 3, kHour), Job("b", "y", 0, 1, kHour),
                Job("c", "y", kHour, 1, kHour)};
  trace.supply = {Shared(0, 40)};
  ScenarioOptions options;
  options.until_ms = kStart + kHour;
  const Scenario scenario = BuildOrDie(trace, {}, options);
  ASSERT_EQ(scenario.pools.size(), 2U);
  // 40 chips at a credit each, 3 to 1: the job at the end of the window has no time in it.
  EXPECT_NEAR(static_cast<double>(scenario.pools[0].weight_micros_per_hour), 30e6, 10);
  EXPECT_NEAR(static_cast<double>(scenario.pools[1].weight_micros_per_hour), 10e6, 10);
  EXPECT_NEAR(static_cast<double>(scenario.teams[0].income_micros_per_hour), 30e6, 10);
  EXPECT_NEAR(static_cast<double>(scenario.teams[1].income_micros_per_hour), 10e6, 10);
}

TEST(ScenarioTest, TheFleetIsTheMostChipsAtOneTime) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 1, kHour)};
  trace.supply = {Shared(0, 10),
                  {kStart + kMinute, "x-pool", "h100", 10},
                  Shared(kMinute, 4),
                  Shared(2 * kMinute, 7)};
  ScenarioOptions options;
  options.until_ms = kStart + kHour;
  const Scenario scenario = BuildOrDie(trace, {}, options);
  EXPECT_EQ(scenario.pools[0].weight_micros_per_hour, 17'000'000);
}

TEST(ScenarioTest, StatedSharesAndWeightsGoFirst) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 1, kHour), Job("b", "y", 0, 1, kHour)};
  trace.supply = {Shared(0, 100)};
  trace.pools = {{"x-pool", 1'000'000, std::nullopt, false},
                 {"y-pool", 3'000'000, std::nullopt, std::nullopt},
                 {"z", std::nullopt, 5'000'000, std::nullopt}};
  MarketFile file;
  file.pools["y-pool"].market_weight_micros = 9;
  file.pools["z"].lend_idle = false;
  file.teams["x"] = {.income_micros = 4, .income_leverage_percent = 200, .grant_micros = 77};
  const Scenario scenario = BuildOrDie(trace, file);
  ASSERT_EQ(scenario.pools.size(), 3U);
  EXPECT_EQ(scenario.pools[0].weight_micros_per_hour, 25'000'000);
  EXPECT_FALSE(scenario.pools[0].lend_idle);
  EXPECT_EQ(scenario.pools[1].weight_micros_per_hour, 9);
  EXPECT_TRUE(scenario.pools[1].lend_idle);
  EXPECT_EQ(scenario.pools[2].weight_micros_per_hour, 5'000'000);
  EXPECT_FALSE(scenario.pools[2].lend_idle);
  EXPECT_EQ(scenario.teams[0].income_micros_per_hour, 4);
  EXPECT_EQ(scenario.teams[0].income_leverage_percent, 200U);
  const std::vector<Event> events = SetupEvents(scenario);
  ASSERT_EQ(events.size(), 7U);
  EXPECT_EQ(std::get<MarketConfigured>(events[0].payload), MarketConfigured());
  EXPECT_EQ(std::get<PoolConfigured>(events[1].payload).pool, "x-pool");
  EXPECT_EQ(std::get<TeamConfigured>(events[4].payload).team, "x");
  EXPECT_EQ(std::get<BudgetGranted>(events[5].payload).amount_micros, 77);
  EXPECT_EQ(std::get<TeamConfigured>(events[6].payload).team, "y");
}

TEST(ScenarioTest, ATeamSeenInSeveralPoolsIsATeamInEach) {
  Trace trace;
  trace.jobs = {Job("a", "u1", 0, 1, kHour), Job("b", "u1", 0, 1, kHour),
                Job("c", "u2", 0, 1, kHour)};
  trace.jobs[0].pool = "p";
  trace.jobs[1].pool = "q";
  trace.jobs[2].pool = "p";
  trace.supply = {Shared(0, 1)};
  const Scenario scenario = BuildOrDie(trace);
  EXPECT_THAT(TeamNames(scenario), ElementsAre("p:u1@p", "p:u2", "q:u1@q"));
  EXPECT_EQ(scenario.jobs[1].team, 2U);

  trace.jobs[2].team = "u1@q";
  EXPECT_THAT(BuildScenario(trace, {}, {}).status().message(),
              HasSubstr("or the name of another team"));
}

TEST(ScenarioTest, EarlyJobsHaveTheRestStillToDo) {
  Trace trace;
  trace.jobs = {Job("over", "x", -2 * kHour, 2, kHour), Job("half", "x", -kHour, 2, 2 * kHour),
                Job("new", "x", 0, 2, kHour)};
  trace.supply = {Shared(0, 1)};
  Scenario scenario = BuildOrDie(trace);
  ASSERT_EQ(scenario.jobs.size(), 2U);
  EXPECT_EQ(scenario.start_ms, kStart);
  EXPECT_EQ(scenario.jobs_left_out, 1);
  EXPECT_EQ(scenario.jobs[0].id, "half");
  EXPECT_TRUE(scenario.jobs[0].early());
  EXPECT_EQ(scenario.jobs[0].arrival_ms, kStart);
  EXPECT_EQ(scenario.jobs[0].work_chip_ms, 2 * kHour);
  EXPECT_FALSE(scenario.jobs[1].early());

  ScenarioOptions options;
  options.early = EarlyJobs::kWhole;
  scenario = BuildOrDie(trace, {}, options);
  ASSERT_EQ(scenario.jobs.size(), 3U);
  EXPECT_EQ(scenario.jobs[1].work_chip_ms, 4 * kHour);

  options.early = EarlyJobs::kSkip;
  scenario = BuildOrDie(trace, {}, options);
  EXPECT_EQ(scenario.jobs.size(), 1U);
}

TEST(ScenarioTest, TheWindowCutsJobsAndSupply) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 1, kHour), Job("b", "x", kHour, 1, kHour),
                Job("c", "x", 2 * kHour, 1, kHour)};
  trace.supply = {Shared(-kHour, 1), Shared(-kMinute, 2), Shared(kHour, 3), Shared(2 * kHour, 4)};
  ScenarioOptions options;
  options.start_ms = kStart - kMinute / 2;
  options.until_ms = kStart + kHour;
  Scenario scenario = BuildOrDie(trace, {}, options);
  EXPECT_EQ(scenario.jobs.size(), 2U);
  EXPECT_EQ(scenario.jobs_left_out, 1);
  ASSERT_EQ(scenario.supply.size(), 2U);
  EXPECT_EQ(scenario.supply[0].chips, 2U);
  EXPECT_EQ(scenario.supply[0].time_ms, scenario.start_ms);
  EXPECT_EQ(scenario.supply[1].chips, 3U);

  options.drain = true;
  EXPECT_EQ(BuildOrDie(trace, {}, options).supply.size(), 3U);

  options.start_ms = kStart + 2 * kHour;
  EXPECT_THAT(BuildScenario(trace, {}, options).status().message(),
              HasSubstr("nothing to simulate: the window begins at 2023-11-15T00:14:00Z"));
  options.until_ms = kStart - kHour;
  options.start_ms = kStart - 2 * kHour;
  EXPECT_THAT(BuildScenario(trace, {}, options).status().message(), HasSubstr("no job"));
}

TEST(ScenarioTest, RulesSetBidsInTheirOrder) {
  Trace trace;
  trace.jobs = {Job("small", "x", 0, 2, kHour), Job("large", "x", 0, 10, kHour)};
  trace.supply = {Shared(0, 1)};
  MarketFile file;
  BidRule all;
  all.limit_price_micros = 5;
  all.priority = 1;
  BidRule large;
  large.at_least_chips = 10;
  large.priority = 7;
  large.min_chips_percent = 25;
  large.standby = false;
  BidRule other;
  other.team = "y";
  other.opportunistic = true;
  file.bids = {all, large, other};
  const Scenario scenario = BuildOrDie(trace, file);
  EXPECT_EQ(scenario.jobs[0].priority, 1);
  EXPECT_EQ(scenario.jobs[0].min_chips, 2U);
  EXPECT_EQ(scenario.jobs[1].limit_price_micros, 5);
  EXPECT_EQ(scenario.jobs[1].priority, 7);
  EXPECT_EQ(scenario.jobs[1].min_chips, 3U);
  EXPECT_FALSE(scenario.jobs[1].standby);
  EXPECT_FALSE(scenario.jobs[1].opportunistic);
}

// What one option draws does not change what another one does, and the shares are about right.
TEST(ScenarioTest, TheOverlayDrawsFromItsSeed) {
  Trace trace;
  for (int i = 0; i < 4'000; ++i) {
    trace.jobs.push_back(Job("j" + std::to_string(i), "x", 0, 8, kHour));
  }
  trace.supply = {Shared(0, 1)};
  MarketFile file;
  file.overlay = {.seed = 3, .seeded_limits = true};
  const Scenario limits = BuildOrDie(trace, file);
  file.overlay.elastic_percent = 25;
  file.overlay.opportunistic_percent = 5;
  const Scenario all = BuildOrDie(trace, file);
  file.overlay.seed = 4;
  const Scenario other = BuildOrDie(trace, file);
  int limited = 0;
  int elastic = 0;
  int opportunistic = 0;
  int changed = 0;
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    EXPECT_EQ(limits.jobs[i].limit_price_micros, all.jobs[i].limit_price_micros);
    limited += all.jobs[i].limit_price_micros >= 0 ? 1 : 0;
    elastic += all.jobs[i].min_chips == 2 ? 1 : 0;
    opportunistic += all.jobs[i].opportunistic ? 1 : 0;
    changed += all.jobs[i].limit_price_micros != other.jobs[i].limit_price_micros ? 1 : 0;
  }
  EXPECT_NEAR(limited, 2'000, 150);
  EXPECT_NEAR(elastic, 1'000, 120);
  EXPECT_NEAR(opportunistic, 200, 60);
  EXPECT_GT(changed, 2'000);
}

TEST(ScenarioTest, RefusesWhatTheTraceDoesNotHave) {
  Trace trace;
  trace.jobs = {Job("a", "vision", 0, 1, kHour)};
  trace.supply = {Shared(0, 1)};
  MarketFile file;
  file.teams["visoin"] = {};
  EXPECT_THAT(BuildScenario(trace, file, {}).status().message(),
              HasSubstr("market file: no team visoin; did you mean vision?"));
  file.teams.clear();
  file.pools["y"] = {};
  EXPECT_THAT(BuildScenario(trace, file, {}).status().message(),
              HasSubstr("market file: no pool y"));
  file.pools.clear();
  file.teams["vision"].income_micros = 1'000'000'000'000;
  EXPECT_TRUE(BuildScenario(trace, file, {}).ok());
  trace.jobs.push_back(Job("b", "other", 0, 1, kHour));
  trace.jobs.back().pool = "vision-pool";
  EXPECT_THAT(BuildScenario(trace, file, {}).status().message(),
              HasSubstr("add up to more than 1,000,000 credits an hour"));
}

}  // namespace
}  // namespace qmarket
