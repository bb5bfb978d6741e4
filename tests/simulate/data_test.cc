// The first days of real traces.
#include "tests/simulate/real_trace.h"

namespace qmarket {
namespace {

TEST_F(RealTrace, PhillyThreeDays) {
  const SimulationReport report =
      Run("philly-10d/jobs_quick.csv", "philly-10d/supply_tight.csv", "", 72);
  ExpectSound(report);
  EXPECT_EQ(report.cycles, 72U * 60 + 1);
  EXPECT_EQ(report.pools.size(), 12U);   // 11 virtual clusters and `unmapped`
  EXPECT_EQ(report.teams.size(), 143U);  // 131 users, some of them in several clusters
}

TEST_F(RealTrace, HeliosThroughTheFirstOutage) {
  const SimulationReport report =
      Run("helios-earth-2020/jobs_reconstructed.csv", "helios-earth-2020/supply_may.csv", "", 264);
  ExpectSound(report);
  EXPECT_EQ(report.pools.size(), 16U);
}

}  // namespace
}  // namespace qmarket
