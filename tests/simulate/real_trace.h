// A fixture that plays real traces in memory, where the data folder is there.
#ifndef QMARKET_TESTS_SIMULATE_REAL_TRACE_H_
#define QMARKET_TESTS_SIMULATE_REAL_TRACE_H_

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulate/testing.h"

namespace qmarket {

class RealTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* dir = std::getenv("QMARKET_DATA_DIR");
    folder_ = dir == nullptr ? "../shared/data" : dir;
    if (!std::filesystem::exists(folder_ + "/philly-10d")) {
      GTEST_SKIP() << "no data folder at " << folder_ << " (QMARKET_DATA_DIR)";
    }
  }

  // The first `hours` of a trace, or all of it for 0.
  SimulationReport Run(const std::string& jobs, const std::string& supply, const std::string& pools,
                       std::int64_t hours) {
    const auto trace = ReadTrace(folder_ + "/" + jobs, folder_ + "/" + supply,
                                 pools.empty() ? "" : folder_ + "/" + pools);
    EXPECT_TRUE(trace.ok()) << trace.status();
    if (!trace.ok()) return {};
    ScenarioOptions options;
    if (hours > 0) options.until_ms = trace->supply.front().time_ms + hours * kHour;
    return RunInMemory(BuildOrDie(*trace, {}, options));
  }

  // What must hold on every trace.
  static void ExpectSound(const SimulationReport& report) {
    EXPECT_THAT(report.violation_examples, ::testing::IsEmpty());
    EXPECT_EQ(report.violations, 0U);
    EXPECT_EQ(report.checked_cycles, report.cycles);
    EXPECT_GE(UsedOfUsablePpm(report), 999'000);
    EXPECT_LE(LostPpm(report.work), 10'000);
    EXPECT_GE(report.work.held, report.work.done + report.work.lost);
  }

  std::string folder_;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_SIMULATE_REAL_TRACE_H_
