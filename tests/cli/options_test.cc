#include "connectors/cli/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/cli/exit_status.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kNewYear = 1'767'225'600'000;  // 2026-01-01T00:00:00Z

TEST(ParseTime, ReadsIso8601AndMilliseconds) {
  for (const char* text :
       {"1767225600000", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00",
        "2026-01-01T00:00Z", "2026-01-01 00:00", "2026-01-01", "2026-01-01T01:00:00+01:00"}) {
    const absl::StatusOr<std::int64_t> time = ParseTime("--at", text);
    ASSERT_TRUE(time.ok()) << text << ": " << time.status();
    EXPECT_EQ(*time, kNewYear) << text;
  }
  EXPECT_EQ(ParseTime("--at", "2026-01-01T00:00:00.250Z").value(), kNewYear + 250);
  EXPECT_EQ(ParseTime("--at", "0").value(), 0);
}

TEST(ParseTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "yesterday", "2026-13-01", "-5", "99999999999999999999", "1e9",
                           "2026-01-01T00:00:00Z and more"}) {
    const absl::StatusOr<std::int64_t> time = ParseTime("--at", text);
    EXPECT_EQ(ExitStatusOf(time.status()), ExitStatus::kUsage) << text;
    EXPECT_THAT(std::string(time.status().message()), HasSubstr("--at"));
  }
}

TEST(ParseCount, ReadsDecimalDigitsOnly) {
  EXPECT_EQ(ParseCount("--offset", "0").value(), 0U);
  EXPECT_EQ(ParseCount("--offset", "010").value(), 10U);
  EXPECT_EQ(ParseCount("--offset", "18446744073709551615").value(), UINT64_MAX);
  for (const char* text : {"", "-1", "+1", "0x10", "1.5", "18446744073709551616", " 1"}) {
    EXPECT_EQ(ExitStatusOf(ParseCount("--offset", text).status()), ExitStatus::kUsage) << text;
  }
}

TEST(ExitStatus, FollowsTheContract) {
  EXPECT_EQ(ExitStatusOf(absl::OkStatus()), ExitStatus::kDone);
  EXPECT_EQ(ExitStatusOf(absl::InvalidArgumentError("a")), ExitStatus::kBadInput);
  EXPECT_EQ(ExitStatusOf(absl::DataLossError("a")), ExitStatus::kBadInput);
  EXPECT_EQ(ExitStatusOf(UsageError("a")), ExitStatus::kUsage);
  EXPECT_EQ(ExitStatusOf(absl::UnavailableError("a")), ExitStatus::kUnreachable);
  EXPECT_EQ(ExitStatusOf(VerificationError("a")), ExitStatus::kVerificationFailed);
  EXPECT_TRUE(IsBrokenPipe(BrokenPipeError()));
  EXPECT_FALSE(IsBrokenPipe(UsageError("a")));
}

}  // namespace
}  // namespace qmarket
