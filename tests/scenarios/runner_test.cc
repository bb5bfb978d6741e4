// The runner itself: scenarios that are wrong must fail, and say where and why.

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/scenarios/run.h"
#include "tests/scenarios/scenario.h"

namespace qmarket {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Two bids on four chips; the price is 10 and b has them.
constexpr char kMarket[] = R"(# Two bids on four chips.
given pool search weight 100/h
given team rank in search income 50/h
given team lab in search income 50/h
given supply 4 h100 shared
at 00:00:01 lab bids b for 4 h100
at 00:00:02 rank bids a for 4 h100
at 00:01 tick
)";

std::string ProblemOf(const std::string& text) {
  return std::string(ReadScenario("x.scenario", text).status().message());
}

std::vector<std::string> FailuresOf(const std::string& more) {
  const absl::StatusOr<Scenario> scenario = ReadScenario("x.scenario", kMarket + more);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return RunScenario(*scenario).failures;
}

TEST(RunnerTest, WhatIsAsExpectedPasses) {
  EXPECT_THAT(FailuresOf("expect price h100 search 10.000000\n"
                         "expect bid b running chips 4 paid 4\n"
                         "expect bid\n"
                         "  | bid | state   | chips |\n"
                         "  | a   | waiting |       |\n"
                         "  | b   | running | 4     |\n"
                         "expect nothing preempted\n"
                         "expect quota lab h100 4 until 00:04\n"
                         "expect market 00:01:00 cycles 1 keep 30m\n"
                         "expect changed bid b state before waiting after running\n"),
              IsEmpty());
}

TEST(RunnerTest, AWrongValueFailsWithBothValues) {
  EXPECT_THAT(FailuresOf("expect price h100 search 9\n"),
              ElementsAre("x.scenario:9: h100 search price: expected 9, actual 10: "
                          "expect price h100 search 9"));
}

TEST(RunnerTest, EveryWrongValueOfALineIsTold) {
  EXPECT_THAT(FailuresOf("expect bid b waiting chips 0 paid 4\n"),
              ElementsAre(HasSubstr("state: expected waiting, actual running"),
                          HasSubstr("chips: expected 0, actual 4")));
}

TEST(RunnerTest, AWrongCellOfATableFailsAtItsLine) {
  EXPECT_THAT(FailuresOf("expect bid\n bid | state\n a | waiting\n b | unpaid\n"),
              ElementsAre(HasSubstr("x.scenario:12: b state: expected unpaid, actual running")));
}

TEST(RunnerTest, ARowThatIsNotThereFails) {
  EXPECT_THAT(FailuresOf("expect bid c running\n"), ElementsAre(HasSubstr("there is no bid c")));
  EXPECT_THAT(FailuresOf("expect preempted a limit\n"),
              ElementsAre(HasSubstr("there is no preempted a")));
  EXPECT_THAT(FailuresOf("expect late\n"), ElementsAre(HasSubstr("there is no late")));
}

TEST(RunnerTest, SomethingWhereNothingIsExpectedFails) {
  EXPECT_THAT(FailuresOf("expect nothing quota lab\n"),
              ElementsAre(HasSubstr("expected nothing, but there is lab h100 4")));
  EXPECT_THAT(FailuresOf("expect nothing changed\n"),
              ElementsAre(HasSubstr("expected nothing, but there is")));
}

TEST(RunnerTest, ARejectionMustBeExpected) {
  const std::string bad = "at 00:02 withdraw c\n";
  EXPECT_THAT(FailuresOf(bad + "expect bid a waiting\n"),
              ElementsAre(HasSubstr("x.scenario:9: not expected: the event was rejected as "
                                    "unknown_bid")));
  EXPECT_THAT(FailuresOf(bad + "expect rejected unknown_team\n"),
              ElementsAre(HasSubstr("x.scenario:10: there is no rejected unknown_team")));
  EXPECT_THAT(FailuresOf(bad + "expect rejected unknown_bid\n"), IsEmpty());
}

TEST(RunnerTest, ExpectationsOfOutcomesAreAboutTheLastLine) {
  EXPECT_THAT(FailuresOf("at 00:02 tick\nexpect quota lab h100 4\n"),
              ElementsAre(HasSubstr("there is no quota lab h100")));
}

TEST(RunnerTest, AFailureShowsTheMarket) {
  const absl::StatusOr<Scenario> scenario =
      ReadScenario("x.scenario", std::string(kMarket) + "expect bid a running\n");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  EXPECT_THAT(ToText(RunScenario(*scenario)), HasSubstr("  b   | running | 4     | 4"));
}

TEST(RunnerTest, BadLinesNameFileLineAndWhatWasExpected) {
  const std::string start = "# About.\n";
  const std::string end = "expect market 00:00\n";
  EXPECT_EQ(ProblemOf("given tick\n" + end),
            "x.scenario:1: expected a comment that says what the scenario shows");
  EXPECT_EQ(ProblemOf(start + "when tick\n" + end),
            "x.scenario:2: expected given, at, \"tick every\" or expect, found \"when\"");
  EXPECT_EQ(ProblemOf(start + "at noon tick\n" + end),
            "x.scenario:2: expected a time, like 00:05 or 00:05:30, found \"noon\"");
  EXPECT_EQ(ProblemOf(start + "given pool search weight 100\n" + end),
            "x.scenario:2: expected a market weight in credits an hour, like 60/h, found \"100\"");
  EXPECT_EQ(ProblemOf(start + "given supply 4 h100\n" + end),
            "x.scenario:2: expected \"of\", found the end of the line");
  EXPECT_EQ(ProblemOf(start + "given rank bids a for 4 h100 max 3\n" + end),
            "x.scenario:2: expected min, limit, priority, opportunistic or \"no standby\", found "
            "\"max\"");
  EXPECT_EQ(ProblemOf(start + "given grant 0.1234567 to rank\n" + end),
            "x.scenario:2: expected an amount in credits, with up to six decimals, found "
            "\"0.1234567\"");
  EXPECT_EQ(ProblemOf(start + "given tick now\n" + end),
            "x.scenario:2: expected the end of the line, found \"now\"");
  EXPECT_EQ(ProblemOf(start + "tick every 60s until 00:00\n" + end),
            "x.scenario:2: expected a time after the last event");
}

TEST(RunnerTest, BadExpectationsNameWhatThereIs) {
  const std::string start = "# About.\n";
  EXPECT_EQ(ProblemOf(start + "given tick\n"),
            "x.scenario:3: expected at least one \"expect\" line, found none");
  EXPECT_EQ(ProblemOf(start + "expect wallet rank 3\n"),
            "x.scenario:2: expected one of market, team, pool, resource, price, bid, account, "
            "rejected, late, preempted, posted, quota, changed, found \"wallet\"");
  EXPECT_EQ(ProblemOf(start + "expect account issue 3 credits 4\n"),
            "x.scenario:2: expected one of account, balance, found \"credits\"");
  EXPECT_EQ(ProblemOf(start + "expect team rank ten\n"),
            "x.scenario:2: expected balance, credits with up to six decimals, or none, found "
            "\"ten\"");
  EXPECT_EQ(ProblemOf(start + "expect bid\nexpect bid a running\n"),
            "x.scenario:3: expected the rows of a table, with | between cells");
  EXPECT_EQ(ProblemOf(start + "expect bid\n bid | chips\n a | 4 | 5\n"),
            "x.scenario:4: expected 2 cells, found 3");
  EXPECT_EQ(ProblemOf(start + "expect account\n account | credits\n issue | 4\n"),
            "x.scenario:3: expected columns of account, balance, the first 1 of them always, "
            "found \"credits\"");
  EXPECT_EQ(ProblemOf(start + " a | 4\n"),
            "x.scenario:2: expected no row of a table here; write \"expect TABLE\" above it");
}

TEST(RunnerTest, EventsAsJsonLines) {
  const absl::StatusOr<Scenario> scenario =
      ReadScenario("x.scenario",
                   "# About.\ngiven pool search weight 1.5/h\nat 00:01 tick\nexpect pool search 0");
  ASSERT_TRUE(scenario.ok()) << scenario.status();
  const absl::StatusOr<std::string> json = EventsAsJson(*scenario);
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_THAT(*json, HasSubstr("\"market_weight_micros_per_hour\": 1500000"));
  EXPECT_THAT(*json, HasSubstr("1767225660000"));
}

TEST(RunnerTest, WhatJsonLinesCannotSayIsRefused) {
  for (const char* line : {"at 00:01 unreadable bytes", "at 00:01 received 00:02 tick",
                           "at 00:01 grant 0 to rank", "at 00:01 pool se%rch"}) {
    const absl::StatusOr<Scenario> scenario = ReadScenario(
        "x.scenario", std::string("# About.\n") + line + "\nexpect rejected malformed\n");
    ASSERT_TRUE(scenario.ok()) << scenario.status();
    const absl::Status status = EventsAsJson(*scenario).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << line;
    EXPECT_THAT(std::string(status.message()), HasSubstr("x.scenario:2: ")) << line;
  }
}

}  // namespace
}  // namespace qmarket
