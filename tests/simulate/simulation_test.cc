#include "connectors/simulate/simulation.h"

#include <algorithm>
#include <random>
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
using ::testing::IsEmpty;
using ::testing::Pair;

// A market in memory that remembers the events it was given.
class RecordingHost : public MemoryHost {
 public:
  absl::StatusOr<std::vector<Outcome>> Apply(const Event& event) override {
    events.push_back(event);
    return MemoryHost::Apply(event);
  }

  std::vector<Event> events;
};

TEST(SimulationTest, OneJobRunsAtOnceAndIsWithdrawnWhenItIsDone) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 8, kHour + 1), Job("late", "x", 2 * kHour, 1, kHour)};
  trace.supply = {Shared(0, 8)};
  const Scenario scenario = BuildOrDie(trace);
  RecordingHost host;
  const auto report = Simulation(scenario, host).Run(nullptr);
  ASSERT_TRUE(report.ok()) << report.status();

  std::vector<std::string> withdrawn;
  for (const Event& event : host.events) {
    const auto* of = std::get_if<BidWithdrawn>(&event.payload);
    if (of != nullptr) withdrawn.push_back(of->bid + " " + std::to_string(event.time_ms - kStart));
  }
  EXPECT_THAT(withdrawn, ElementsAre("a 3600001"));
  EXPECT_EQ(report->cycles, 121U);
  EXPECT_EQ(report->work.jobs, 2);
  EXPECT_EQ(report->work.jobs_done, 1);
  EXPECT_EQ(report->work.done, 8 * (kHour + 1));
  EXPECT_EQ(report->work.demand, 8 * (kHour + 1));
  EXPECT_EQ(report->work.brought, 8 * (kHour + 1) + kHour);
  EXPECT_EQ(report->resources[0].supplied, 2 * kHour * 8);
  EXPECT_EQ(report->resources[0].freed_idle, 8 * (kMinute - 1));
  EXPECT_EQ(report->violations, 0U);
  EXPECT_EQ(report->checked_cycles, 121U);
}

TEST(SimulationTest, BidsWaitForTheNextTick) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 1, kMinute), Job("b", "x", kMinute + 1'000, 1, kMinute),
                Job("c", "x", 10 * kMinute, 1, kMinute)};
  trace.supply = {Shared(0, 8)};
  const SimulationReport report = RunInMemory(BuildOrDie(trace));
  EXPECT_EQ(report.wait.jobs, 3);
  EXPECT_EQ(report.wait.jobs_not_started, 0);
  EXPECT_EQ(report.wait.p50_ms, 0);
  EXPECT_EQ(report.wait.p95_ms, kMinute - 1'000);
}

TEST(SimulationTest, SupplyThatGoesAwayPreemptsAndLosesWhatFollowsTheCheckpoint) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 4, 4 * kHour)};
  trace.supply = {Shared(0, 4), Shared(75 * kMinute, 0), Shared(2 * kHour, 4)};
  ScenarioOptions options;
  options.drain = true;
  const SimulationReport report = RunInMemory(BuildOrDie(trace, {}, options));
  EXPECT_THAT(report.preemptions, ElementsAre(Pair("supply_lost", 1)));
  EXPECT_EQ(report.work.lost, 15 * kMinute * 4);
  EXPECT_EQ(report.work.done, 16 * kHour);
  EXPECT_EQ(report.work.held, 16 * kHour + 15 * kMinute * 4);
  EXPECT_EQ(report.work.jobs_done, 1);
  // An hour is kept; three are left when the chips are back.
  EXPECT_EQ(report.end_ms, kStart + 5 * kHour);
  EXPECT_EQ(report.violations, 0U);
}

TEST(SimulationTest, AnElasticJobRunsOnWhatThereIs) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 8, kHour)};
  trace.supply = {Shared(0, 4)};
  MarketFile file;
  BidRule rule;
  rule.min_chips_percent = 25;
  file.bids = {rule};
  ScenarioOptions options;
  options.drain = true;
  const SimulationReport report = RunInMemory(BuildOrDie(trace, file, options));
  EXPECT_EQ(report.end_ms, kStart + 2 * kHour);
  EXPECT_EQ(report.work.jobs_done, 1);
  EXPECT_EQ(UsedOfUsablePpm(report), 1'000'000);
}

TEST(SimulationTest, ADrainGivesUpOnWhatCanNeverRun) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 1, kHour), Job("too-large", "x", 0, 9, kHour)};
  trace.supply = {Shared(0, 8)};
  ScenarioOptions options;
  options.drain = true;
  const SimulationReport report = RunInMemory(BuildOrDie(trace, {}, options));
  EXPECT_EQ(report.work.jobs_done, 1);
  EXPECT_EQ(report.wait.jobs_not_started, 1);
  EXPECT_GT(report.end_ms, kStart + 24 * kHour);
  EXPECT_LT(report.end_ms, kStart + 26 * kHour);
}

TEST(SimulationTest, TheSameScenarioGivesTheSameReport) {
  Trace trace;
  for (int i = 0; i < 60; ++i) {
    trace.jobs.push_back(Job("j" + std::to_string(i), i % 3 == 0 ? "x" : "y", i * kMinute,
                             static_cast<std::uint32_t>(1 + i % 5), 15 * kMinute));
  }
  trace.supply = {Shared(0, 16)};
  MarketFile file;
  file.overlay = {.seed = 5, .seeded_limits = true, .elastic_percent = 50};
  const SimulationReport first = RunInMemory(BuildOrDie(trace, file));
  const SimulationReport second = RunInMemory(BuildOrDie(trace, file));
  EXPECT_EQ(first.digest, second.digest);
  EXPECT_EQ(first.work.held, second.work.held);
  EXPECT_EQ(first.digest.size(), 64U);
  file.overlay.seed = 6;
  EXPECT_NE(RunInMemory(BuildOrDie(trace, file)).digest, first.digest);
}

TEST(SimulationTest, ARejectedEventStopsTheRunAndIsNamed) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 1, kHour), Job("b", "x", kMinute, 1, kHour)};
  trace.supply = {Shared(0, 8)};
  Scenario scenario = BuildOrDie(trace);
  scenario.jobs[1].id = "a";
  MemoryHost host;
  const auto report = Simulation(scenario, host).Run(nullptr);
  EXPECT_THAT(report.status().message(), HasSubstr("the market rejects event bid-1"));
  EXPECT_THAT(report.status().message(), HasSubstr("bid_exists"));
}

TEST(SimulationTest, TellsHowFarItIs) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 1, kHour), Job("b", "x", 3 * kMinute, 1, kHour)};
  trace.supply = {Shared(0, 8)};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> calls;
  const Scenario scenario = BuildOrDie(trace);
  MemoryHost host;
  Simulation simulation(scenario, host);
  ASSERT_TRUE(
      simulation
          .Run([&](std::uint64_t done, std::uint64_t total) { calls.emplace_back(done, total); })
          .ok());
  EXPECT_THAT(calls, ElementsAre(Pair(1, 4), Pair(2, 4), Pair(3, 4), Pair(4, 4)));
}

// A random scenario: several pools with and without chips of their own, gangs, elastic and
// opportunistic bids, bids without standby, limits, and supply that comes and goes.
Trace RandomTrace(std::mt19937_64& random, MarketFile& file) {
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  Trace trace;
  const std::int64_t teams = 1 + below(5);
  const std::int64_t jobs = 1 + below(80);
  for (std::int64_t i = 0; i < jobs; ++i) {
    TraceJob job =
        Job("j" + std::to_string(i), "t" + std::to_string(below(teams)), below(600) * kMinute / 7,
            static_cast<std::uint32_t>(1 + below(12)), 1 + below(3 * kHour));
    job.pool = "p" + std::string(1, job.team.back() % 2 == 0 ? 'a' : 'b');
    job.resource = below(3) == 0 ? "a100" : "h100";
    trace.jobs.push_back(job);
  }
  std::stable_sort(trace.jobs.begin(), trace.jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_ms < b.submit_ms; });
  for (std::int64_t i = 0; i < 12; ++i) {
    TraceSupply supply =
        Shared(i < 4 ? 0 : below(600 * kMinute / 7), static_cast<std::uint32_t>(below(16)));
    supply.resource = i % 2 == 0 ? "a100" : "h100";
    if (i % 4 >= 2) supply.owner = below(2) == 0 ? "pa" : "pb";
    trace.supply.push_back(supply);
  }
  std::stable_sort(
      trace.supply.begin(), trace.supply.end(),
      [](const TraceSupply& a, const TraceSupply& b) { return a.time_ms < b.time_ms; });
  file.overlay = {.seed = random() % 1'000,
                  .seeded_limits = below(2) == 0,
                  .elastic_percent = static_cast<std::uint32_t>(below(101)),
                  .opportunistic_percent = static_cast<std::uint32_t>(below(40))};
  if (below(3) == 0) file.pools["pa"].lend_idle = false;
  BidRule rule;
  rule.at_least_chips = 1 + below(12);
  rule.standby = below(2) == 0;
  rule.priority = static_cast<std::int32_t>(below(3) - 1);
  file.bids.push_back(rule);
  return trace;
}

TEST(SimulationTest, WorkIsConservedAndNoCheckFails) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  std::int64_t preemptions = 0;
  Int128 lost = 0;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    MarketFile file;
    Trace trace = RandomTrace(random, file);
    ScenarioOptions options;
    options.drain = round % 4 == 0;
    options.checkpoint_ms = round % 3 == 0 ? 7 * kMinute : 30 * kMinute;
    const auto scenario = BuildScenario(trace, file, options);
    if (!scenario.ok()) continue;
    const SimulationReport report = RunInMemory(*scenario);
    EXPECT_THAT(report.violation_examples, IsEmpty());
    Int128 brought = 0;
    for (const ScenarioJob& job : scenario->jobs) {
      brought += job.work_chip_ms;
    }
    EXPECT_EQ(report.work.brought, brought);
    EXPECT_LE(report.work.done, report.work.brought);
    EXPECT_EQ(report.work.jobs_done == report.work.jobs, report.work.done == brought);
    // What is held is done or lost, but for the last part of a millisecond of each job.
    const Int128 rounding = report.work.held - report.work.done - report.work.lost;
    EXPECT_GE(rounding, 0);
    EXPECT_LE(rounding, Int128{12} * report.work.jobs);
    Int128 held = 0;
    for (const ResourceReport& resource : report.resources) {
      held += resource.held;
      EXPECT_LE(resource.held_paid, resource.held);
      EXPECT_GE(resource.freed_idle, 0);
      EXPECT_EQ(resource.usable_idle, 0);
    }
    EXPECT_EQ(held, report.work.held);
    Int128 by_team = 0;
    for (const TeamReport& team : report.teams) {
      by_team += team.work.held;
      EXPECT_EQ(team.minted_micros - team.spent_micros, team.left_micros);
    }
    EXPECT_EQ(by_team, held);
    preemptions += PreemptionCount(report);
    lost += report.work.lost;
  }
  // The rounds are of use only if something happens in them.
  EXPECT_GT(preemptions, 0);
  EXPECT_GT(lost, 0);
}

}  // namespace
}  // namespace qmarket
