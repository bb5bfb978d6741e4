#include "matcher/process/cycle_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/outcome.h"

namespace qmarket {
namespace {

MarketCleared Cleared(const std::string& resource, std::uint64_t cycle,
                      std::optional<std::int64_t> price, std::int64_t allocated) {
  MarketCleared cleared;
  cleared.resource = resource;
  cleared.cycle = cycle;
  cleared.time_ms = 1'767'225'600'000 + static_cast<std::int64_t>(cycle) * 1000;
  cleared.reference_price_micros = price;
  cleared.supply = 96;
  cleared.allocated = allocated;
  return cleared;
}

TEST(CycleReportTest, OneLineACycle) {
  CycleReport report;
  EXPECT_EQ(report.Add({}), "");
  EXPECT_EQ(report.Add({EventRejected()}), "");
  EXPECT_EQ(report.Add({Cleared("a100", 12, std::nullopt, 7), Cleared("h100", 12, 2'500'000, 96)}),
            "cycle 12 at 2026-01-01T00:00:12Z: 3 events (1 rejected), a100 no price, 7 of 96 "
            "chips, h100 2.5 cr/h, 96 of 96 chips");
  EXPECT_EQ(report.Add({Cleared("h100", 13, 0, 1)}),
            "cycle 13 at 2026-01-01T00:00:13Z: 1 event, h100 0 cr/h, 1 of 96 chips");
}

TEST(CycleReportTest, AMarketOfManyResourcesStaysOneLine) {
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 20; ++i)
    outcomes.emplace_back(Cleared(absl::StrCat("r", i), 1, 1, 1));
  const std::string line = CycleReport().Add(outcomes);
  EXPECT_THAT(line, testing::HasSubstr("r5 "));
  EXPECT_THAT(line, testing::Not(testing::HasSubstr("r6 ")));
  EXPECT_THAT(line, testing::EndsWith(", and 14 resources more"));
}

}  // namespace
}  // namespace qmarket
