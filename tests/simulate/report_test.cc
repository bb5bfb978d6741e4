#include "connectors/simulate/report.h"

#include <unistd.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/simulate/report_print.h"
#include "connectors/simulate/run_scenario.h"
#include "connectors/simulate/sparkline.h"
#include "tests/simulate/testing.h"
#include <nlohmann/json.hpp>

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(SparklineTest, ShowsMediansFromZeroToTheHighest) {
  EXPECT_EQ(Sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8, true), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(Sparkline({0, 1, 2, 3, 4, 5, 6, 7}, 8, false), "_.:-=+*#");
  EXPECT_EQ(Sparkline({5, 5, std::nullopt, std::nullopt, 10, 100}, 3, true), "▅ █");
  EXPECT_EQ(Sparkline({std::nullopt}, 9, true), " ");
  EXPECT_EQ(Sparkline({0, 0}, 9, true), "▁▁");
  EXPECT_EQ(Sparkline({}, 9, true), "");
  EXPECT_EQ(Sparkline({INT64_MAX, INT64_MAX}, 1, true), "█");
}

TEST(SparklineTest, MediansLeaveOutWhatIsNotKnown) {
  EXPECT_THAT(Medians({1, std::nullopt, 2, 5, 9, std::nullopt}, 2), ElementsAre(1, 5));
  EXPECT_THAT(Medians({1, 2}, 5), ElementsAre(1, 2));
}

TEST(ReportTest, PartsAreRoundedDown) {
  EXPECT_EQ(PartsPerMillion(1, 3), 333'333);
  EXPECT_EQ(PartsPerMillion(0, 0), 1'000'000);
  SimulationReport report;
  report.resources = {{.resource = "h100", .held = 999, .usable_idle = 1},
                      {.resource = "a100", .held = 0, .usable_idle = 0}};
  EXPECT_EQ(UsedOfUsablePpm(report), 999'000);
  EXPECT_EQ(LostPpm({.lost = 1, .held = 200}), 5'000);
  EXPECT_EQ(LostPpm({}), 0);
}

TEST(ReportTest, DurationsReadWell) {
  EXPECT_EQ(DurationText(0), "0 s");
  EXPECT_EQ(DurationText(999), "999 ms");
  EXPECT_EQ(DurationText(46'999), "46 s");
  EXPECT_EQ(DurationText(119'000), "119 s");
  EXPECT_EQ(DurationText(120'000), "2 min");
  EXPECT_EQ(DurationText(190'000), "3.2 min");
  EXPECT_EQ(DurationText(2 * kHour), "2 h");
  EXPECT_EQ(DurationText(47 * kHour + kHour / 2), "47.5 h");
  EXPECT_EQ(DurationText(60 * kHour), "2.5 d");
}

TEST(ReportTest, WordsOfAShell) {
  EXPECT_EQ(ShellWord("a/b-1.csv"), "a/b-1.csv");
  EXPECT_EQ(ShellWord("my file"), "'my file'");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord(""), "''");
}

SimulationReport Example() {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, 4, 4 * kHour), Job("b", "y", kHour, 8, kHour),
                Job("c", "y", 3 * kHour, 1, kHour)};
  trace.supply = {Shared(0, 4), Shared(2 * kHour, 0)};
  return RunInMemory(BuildOrDie(trace));
}

std::string Printed(const SimulationReport& report, Format format) {
  std::vector<int> ends(2);
  EXPECT_EQ(::pipe(ends.data()), 0);
  Output out(ends[1]);
  if (format == Format::kCsv) {
    PrintTeamsCsv(report, out);
  } else {
    PrintReport(report, true, out);
  }
  EXPECT_TRUE(out.Flush().ok());
  ::close(ends[1]);
  std::string text(65'536, '\0');
  const ssize_t size = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

TEST(ReportTest, TheTableHasWhatPeopleAskFor) {
  const std::string text = Printed(Example(), Format::kTable);
  EXPECT_THAT(text, HasSubstr("Window      2023-11-14T22:14:00Z to 2023-11-15T01:14:00Z, 181"));
  EXPECT_THAT(text, HasSubstr("Jobs        3 of 2 teams in 2 pools; 0 done, 3 not done"));
  EXPECT_THAT(text, HasSubstr("Occupancy   100.0 % of 8 chip-hours"));
  EXPECT_THAT(text, HasSubstr("Usable      100.00 %"));
  EXPECT_THAT(text, HasSubstr("Preemptions 1: supply_lost 1"));
  EXPECT_THAT(text, HasSubstr("2 of 3 jobs had not started at the end"));
  EXPECT_THAT(text, HasSubstr("Checks      181 cycles checked, 0 violations"));
  EXPECT_THAT(text, HasSubstr("\nx-pool "));
  EXPECT_THAT(text, HasSubstr("h100  ▁▁▁"));
}

TEST(ReportTest, JsonHasWholeNumbersThatAddUp) {
  const SimulationReport report = Example();
  const nlohmann::json json = nlohmann::json::parse(ReportJson(report));
  EXPECT_EQ(json["cycles"], 181);
  EXPECT_EQ(json["work"]["jobs"], 3);
  EXPECT_EQ(json["work"]["held_chip_ms"], 8 * kHour);
  EXPECT_EQ(json["preemptions"]["supply_lost"], 1);
  EXPECT_EQ(json["checks"]["violations"], 0);
  EXPECT_EQ(json["digest"], report.digest);
  EXPECT_EQ(json["used_of_usable_ppm"], 1'000'000);
  ASSERT_EQ(json["teams"].size(), 2U);
  EXPECT_EQ(json["teams"][1]["team"], "y");
  EXPECT_EQ(json["teams"][1]["wait"]["jobs_not_started"], 2);
  EXPECT_EQ(json["teams"][1]["wait"]["p95_ms"], 2 * kHour);
  EXPECT_EQ(json["pools"][0]["held_chip_ms"], 8 * kHour);
  EXPECT_EQ(json["resources"][0]["occupancy_ppm"], 1'000'000);
  EXPECT_LE(json["resources"][0]["median_reference_prices_micros"].size(), 240U);
}

TEST(ReportTest, CsvHasALineForEachTeam) {
  const std::string text = Printed(Example(), Format::kCsv);
  EXPECT_THAT(text, StartsWith("team,pool,jobs,jobs_done,"));
  EXPECT_THAT(text, HasSubstr("\nx,x-pool,1,0,0,57600000,"));
  EXPECT_THAT(text, HasSubstr("\ny,y-pool,2,0,2,"));
}

TEST(ReportTest, AViolationFailsTheRun) {
  SimulationReport report;
  EXPECT_TRUE(Verdict(report).ok());
  report.violations = 2;
  report.checked_cycles = 3;
  report.violation_examples = {"at noon: chips were lost"};
  EXPECT_THAT(Verdict(report).message(),
              HasSubstr("2 violations in 3 cycles; the first at noon: chips were lost"));
}

}  // namespace
}  // namespace qmarket
