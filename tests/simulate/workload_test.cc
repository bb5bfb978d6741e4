#include "connectors/simulate/workload.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/simulate/market_file.h"
#include "connectors/simulate/random.h"
#include "events/fingerprint.h"
#include "tests/simulate/testing.h"

namespace qmarket {
namespace {

TEST(SeededRandomTest, GivesTheNumbersOfSplitMix64) {
  // The first outputs for the seed 1234567, as published with the generator.
  SeededRandom random(1'234'567);
  EXPECT_EQ(random.Next(), 6'457'827'717'110'365'317U);
  EXPECT_EQ(random.Next(), 3'203'168'211'198'807'973U);
  EXPECT_EQ(random.Next(), 9'817'491'932'198'370'423U);
}

TEST(SeededRandomTest, StaysBelowItsBound) {
  SeededRandom random(1, 2);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1'000; ++i) {
    seen.insert(random.Below(7));
  }
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_LT(*seen.rbegin(), 7U);
}

TEST(WorkloadTest, IsTheSameToTheByteOnAnyMachine) {
  const Trace trace = GenerateWorkload(1);
  const std::string text = JobsCsv(trace.jobs) + SupplyCsv(trace.supply);
  EXPECT_EQ(ToHex(FingerprintOf(text)), "d48d429d5835320ca6e63940ba65db1f");
  EXPECT_NE(JobsCsv(GenerateWorkload(2).jobs), JobsCsv(trace.jobs));
}

TEST(WorkloadTest, LooksLikeThePublishedFigures) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    SCOPED_TRACE(seed);
    const Trace trace = GenerateWorkload(seed);
    std::set<std::string> teams;
    std::set<std::string> pools;
    std::vector<std::int64_t> durations;
    std::map<std::uint32_t, int> sizes;
    int in_window = 0;
    for (const TraceJob& job : trace.jobs) {
      teams.insert(job.team);
      pools.insert(job.pool);
      durations.push_back(job.duration_ms / 1'000);
      ++sizes[job.chips];
      in_window += job.submit_ms >= kWorkloadStartMs ? 1 : 0;
    }
    const auto count = static_cast<double>(trace.jobs.size());
    EXPECT_EQ(pools.size(), 11U);
    EXPECT_GT(teams.size(), 120U);
    EXPECT_NEAR(in_window, 14'400, 1'000);
    EXPECT_NEAR(sizes[1], 0.8 * count, 0.02 * count);
    EXPECT_GT(sizes[8], sizes[4]);
    EXPECT_GT(sizes[4], sizes[2]);
    EXPECT_GT(sizes[2], sizes[16]);
    EXPECT_GT(sizes[16], sizes[32]);
    EXPECT_GT(sizes[32], 0);
    std::sort(durations.begin(), durations.end());
    EXPECT_NEAR(static_cast<double>(durations[durations.size() / 2]), 350, 100);
    EXPECT_NEAR(static_cast<double>(durations[durations.size() * 9 / 10]), 30 * 3'600, 10 * 3'600);
  }
}

TEST(WorkloadTest, ItsFilesReadBack) {
  const Trace trace = GenerateWorkload(9);
  const auto jobs = ParseJobs("jobs.csv", JobsCsv(trace.jobs));
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  EXPECT_EQ(*jobs, trace.jobs);
  const auto supply = ParseSupply("supply.csv", SupplyCsv(trace.supply));
  ASSERT_TRUE(supply.ok()) << supply.status();
  EXPECT_EQ(*supply, trace.supply);
  const auto file = ParseMarketFile("market.toml", WorkloadMarketFile(9));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->overlay, (Overlay{1'000'000, 9, true, 25, 5}));
  EXPECT_TRUE(BuildScenario(trace, *file, {}).ok());
}

TEST(WorkloadTest, ADayOfItRunsCleanly) {
  const Trace trace = GenerateWorkload(1);
  const auto file = ParseMarketFile("market.toml", WorkloadMarketFile(1));
  ASSERT_TRUE(file.ok()) << file.status();
  ScenarioOptions options;
  options.until_ms = kWorkloadStartMs + 24 * kHour;
  const SimulationReport report = RunInMemory(BuildOrDie(trace, *file, options));
  EXPECT_THAT(report.violation_examples, ::testing::IsEmpty());
  EXPECT_EQ(report.cycles, 1'441U);
  EXPECT_EQ(UsedOfUsablePpm(report), 1'000'000);
  EXPECT_GT(report.work.jobs_done, 500);
}

}  // namespace
}  // namespace qmarket
