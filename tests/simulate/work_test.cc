#include "connectors/simulate/work.h"

#include <optional>

#include <gtest/gtest.h>

namespace qmarket {
namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kHour = 60 * kMinute;

TEST(WorkTest, FinishesWhenItsChipTimeIsDone) {
  Work work(8 * kHour, 30 * kMinute);
  EXPECT_EQ(work.FinishTime(), std::nullopt);
  EXPECT_EQ(work.SetChips(kHour, 8), 0);
  EXPECT_EQ(work.FinishTime(), 2 * kHour);
  work.AdvanceTo(2 * kHour);
  EXPECT_TRUE(work.finished());
  EXPECT_EQ(work.SetChips(2 * kHour, 0), 0);
  EXPECT_EQ(work.done(), 8 * kHour);
}

TEST(WorkTest, LosesWhatFollowsItsLastCheckpoint) {
  Work work(100 * kHour, 30 * kMinute);
  work.SetChips(0, 4);
  work.AdvanceTo(50 * kMinute);
  EXPECT_EQ(work.SetChips(75 * kMinute, 0), 15 * kMinute * 4);
  EXPECT_EQ(work.done(), 4 * kHour);
  // The clock of the checkpoints starts again when it gets chips again.
  work.SetChips(80 * kMinute, 2);
  EXPECT_EQ(work.SetChips(109 * kMinute, 0), 29 * kMinute * 2);
  work.SetChips(200 * kMinute, 2);
  EXPECT_EQ(work.SetChips(230 * kMinute, 0), 0);
  EXPECT_EQ(work.done(), 5 * kHour);
}

TEST(WorkTest, ChangesOfSizeKeepTheWorkAndItsCheckpoints) {
  Work work(100 * kHour, 30 * kMinute);
  work.SetChips(0, 8);
  EXPECT_EQ(work.SetChips(20 * kMinute, 2), 0);
  work.AdvanceTo(29 * kMinute);
  EXPECT_EQ(work.kept(), 0);
  EXPECT_EQ(work.SetChips(45 * kMinute, 4), 0);
  EXPECT_EQ(work.kept(), 20 * kMinute * 8 + 10 * kMinute * 2);
  EXPECT_EQ(work.SetChips(50 * kMinute, 0), 15 * kMinute * 2 + 5 * kMinute * 4);
}

TEST(WorkTest, WithoutCheckpointTimeNothingIsLost) {
  Work work(100 * kHour, 0);
  work.SetChips(0, 3);
  EXPECT_EQ(work.SetChips(kMinute + 1, 0), 0);
  EXPECT_EQ(work.done(), 3 * (kMinute + 1));
}

TEST(WorkTest, FinishIsRoundedUpToAWholeMillisecond) {
  Work work(10, 0);
  work.SetChips(5, 4);
  EXPECT_EQ(work.FinishTime(), 8);
  work.AdvanceTo(8);
  EXPECT_EQ(work.done(), 10);
  EXPECT_TRUE(work.finished());
}

}  // namespace
}  // namespace qmarket
