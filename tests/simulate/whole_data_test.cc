// Whole real traces.
#include "tests/simulate/real_trace.h"

namespace qmarket {
namespace {

using LongRealTrace = RealTrace;

TEST_F(LongRealTrace, PhillyTenDays) {
  const SimulationReport report =
      Run("philly-10d/jobs_quick.csv", "philly-10d/supply_tight.csv", "", 0);
  ExpectSound(report);
  EXPECT_EQ(report.work.jobs, 11'086);
  EXPECT_GT(PartsPerMillion(report.work.held, report.resources[0].supplied), 950'000);
}

TEST_F(LongRealTrace, PhillyWithStatedShares) {
  ExpectSound(Run("philly-10d/jobs.csv", "philly-10d/supply_tight.csv", "philly-10d/pools.csv", 0));
}

TEST_F(LongRealTrace, HeliosOneMonth) {
  const SimulationReport report =
      Run("helios-earth-2020/jobs_reconstructed.csv", "helios-earth-2020/supply_may.csv", "", 0);
  ExpectSound(report);
  EXPECT_EQ(report.work.jobs, 38'512);
}

}  // namespace
}  // namespace qmarket
