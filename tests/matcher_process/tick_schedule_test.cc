#include "matcher/process/tick_schedule.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>

#include "gtest/gtest.h"

#include "events/event.h"
#include "events/field_rules.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMinute = 60'000;

TEST(TickScheduleTest, TicksAtTheBoundariesAfterItsStart) {
  TickSchedule ticks(1000 * kMinute + 500, "run");
  EXPECT_EQ(ticks.NextMs(kMinute), 1001 * kMinute);
  EXPECT_EQ(ticks.Due(1001 * kMinute - 1, kMinute), std::nullopt);
  const std::optional<Event> tick = ticks.Due(1001 * kMinute + 7, kMinute);
  ASSERT_TRUE(tick.has_value());
  EXPECT_EQ(tick->event_id, "tick-60060000-run");
  EXPECT_EQ(tick->time_ms, 1001 * kMinute);
  EXPECT_TRUE(std::holds_alternative<ClockTicked>(tick->payload));
  EXPECT_EQ(CheckForm(*tick), std::nullopt);
  EXPECT_EQ(CheckRanges(*tick), std::nullopt);
  EXPECT_EQ(ticks.Due(1001 * kMinute + 8, kMinute), std::nullopt);
  EXPECT_EQ(ticks.NextMs(kMinute), 1002 * kMinute);
}

TEST(TickScheduleTest, AStartAtABoundaryWaitsForTheNext) {
  // The run before may have ticked at this very boundary.
  TickSchedule ticks(1000 * kMinute, "run");
  EXPECT_EQ(ticks.Due(1000 * kMinute, kMinute), std::nullopt);
  EXPECT_TRUE(ticks.Due(1001 * kMinute, kMinute).has_value());
}

TEST(TickScheduleTest, MissedBoundariesMakeOneTick) {
  TickSchedule ticks(1000 * kMinute, "run");
  const std::optional<Event> tick = ticks.Due(1005 * kMinute + 1, kMinute);
  ASSERT_TRUE(tick.has_value());
  EXPECT_EQ(tick->time_ms, 1005 * kMinute);
  EXPECT_EQ(ticks.Due(1005 * kMinute + 2, kMinute), std::nullopt);
}

TEST(TickScheduleTest, ANewCycleTakesEffectAtOnce) {
  TickSchedule ticks(1000 * kMinute, "run");
  ASSERT_TRUE(ticks.Due(1001 * kMinute, kMinute).has_value());
  EXPECT_EQ(ticks.NextMs(1000), 1001 * kMinute + 1000);
  EXPECT_TRUE(ticks.Due(1001 * kMinute + 1000, 1000).has_value());
  EXPECT_EQ(ticks.NextMs(3'600'000), 1020 * kMinute);
}

TEST(TickScheduleTest, AClockThatIsSetBackDoesNotStopTheMarket) {
  TickSchedule ticks(1000 * kMinute, "run");
  ASSERT_TRUE(ticks.Due(1001 * kMinute, kMinute).has_value());
  EXPECT_EQ(ticks.Due(1001 * kMinute - 10, kMinute), std::nullopt);
  EXPECT_EQ(ticks.Due(500 * kMinute + 10, kMinute), std::nullopt);
  const std::optional<Event> tick = ticks.Due(501 * kMinute, kMinute);
  ASSERT_TRUE(tick.has_value());
  EXPECT_EQ(tick->time_ms, 501 * kMinute);
}

TEST(TickScheduleTest, RunsHaveDifferentNames) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i)
    names.insert(RandomRunId());
  EXPECT_EQ(names.size(), 100U);
}

}  // namespace
}  // namespace qmarket
