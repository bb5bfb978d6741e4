#include "connectors/simulate/trace.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kHeader[] = "job_id,submit_ts_unix_s,team,pool,gpu_type,gpus,duration_s\n";

std::string JobsError(const std::string& row) {
  const auto jobs = ParseJobs("jobs.csv", kHeader + row + "\n");
  return jobs.ok() ? "no error" : std::string(jobs.status().message());
}

TEST(TraceTest, ReadsJobsBySubmitTime) {
  const auto jobs = ParseJobs("jobs.csv",
                              "status,duration_s,gpus,gpu_type,pool,team,submit_ts_unix_s,job_id\n"
                              "pass,60,8,h100,search,ranking,200,late\n"
                              "failed,0.5,1,h100,search,ranking,100.25,early\n"
                              "pass,61,1,h100,search,ranking,200,later\n");
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  EXPECT_THAT(*jobs,
              ElementsAre(TraceJob{"early", 100'250, "ranking", "search", "h100", 1, 500},
                          TraceJob{"late", 200'000, "ranking", "search", "h100", 8, 60'000},
                          TraceJob{"later", 200'000, "ranking", "search", "h100", 1, 61'000}));
}

TEST(TraceTest, NamesFileLineColumnValueAndWhatWasExpected) {
  EXPECT_EQ(JobsError("j1,1,t,p,h100,0,60"),
            "jobs.csv:2: column gpus: \"0\": expected a whole number from 1 to 1000000");
  EXPECT_THAT(JobsError("j 1,1,t,p,h100,1,60"),
              HasSubstr("column job_id: \"j 1\": expected a name"));
  EXPECT_THAT(JobsError("j1,1,,p,h100,1,60"), HasSubstr("column team: \"\": expected a name"));
  EXPECT_THAT(JobsError("j1,1,t,p p,h100,1,60"), HasSubstr("column pool"));
  EXPECT_THAT(JobsError("j1,1,t,p,h\xC3\xA9,1,60"), HasSubstr("column gpu_type: \"h\\xc3\\xa9\""));
  EXPECT_THAT(JobsError("j1,-1,t,p,h100,1,60"), HasSubstr("column submit_ts_unix_s: \"-1\""));
  EXPECT_THAT(JobsError("j1,1,t,p,h100,1,0"), HasSubstr("column duration_s: \"0\": expected"));
  EXPECT_THAT(JobsError("j1,1,t,p,h100,1,60\nj1,2,t,p,h100,1,60"),
              HasSubstr("jobs.csv:3: column job_id: \"j1\": expected an id of its own; line 2"));
  EXPECT_EQ(JobsError(""), "jobs.csv: no jobs");
  EXPECT_EQ(JobsError("j1,1,t,p,h100,1,60"), "no error");
}

TEST(TraceTest, ReadsSupply) {
  const auto supply = ParseSupply("s.csv",
                                  "ts_unix_s,pool_or_shared,gpu_type,gpus_total\n"
                                  "20,search,h100,4000000\n10,shared,h100,0\n");
  ASSERT_TRUE(supply.ok()) << supply.status();
  EXPECT_THAT(*supply, ElementsAre(TraceSupply{10'000, "", "h100", 0},
                                   TraceSupply{20'000, "search", "h100", 4'000'000}));
  EXPECT_THAT(ParseSupply("s.csv", "ts_unix_s,pool_or_shared,gpu_type,gpus_total\n1,,h100,1\n")
                  .status()
                  .message(),
              HasSubstr("s.csv:2: column pool_or_shared: \"\""));
  EXPECT_THAT(
      ParseSupply("s.csv", "ts_unix_s,pool_or_shared,gpu_type,gpus_total\n").status().message(),
      HasSubstr("no supply"));
}

TEST(TraceTest, ReadsPoolsWithWhatIsThere) {
  const auto pools = ParsePools("p.csv",
                                "pool,share,market_weight,lend_idle,gpu_hours\n"
                                "a,0.25,,,7\nb,,12.5,false,8.5\nc,,,1,\n");
  ASSERT_TRUE(pools.ok()) << pools.status();
  EXPECT_THAT(*pools, ElementsAre(TracePool{"a", 250'000, std::nullopt, std::nullopt},
                                  TracePool{"b", 8'500'000, 12'500'000, false},
                                  TracePool{"c", std::nullopt, std::nullopt, true}));
  EXPECT_THAT(ParsePools("p.csv", "pool,lend_idle\na,maybe\n").status().message(),
              HasSubstr("p.csv:2: column lend_idle: \"maybe\": expected true, false, 1 or 0"));
  EXPECT_THAT(ParsePools("p.csv", "pool\na\na\n").status().message(), HasSubstr("each pool once"));
}

TEST(TraceTest, WritesWhatItReads) {
  const std::string jobs_text =
      std::string(kHeader) + "j1,1.5,t,p,h100,8,60\nj2,2,t,p,a100,1,0.001\n";
  const auto jobs = ParseJobs("jobs.csv", jobs_text);
  ASSERT_TRUE(jobs.ok()) << jobs.status();
  EXPECT_EQ(JobsCsv(*jobs), jobs_text);
  const std::string supply_text =
      "ts_unix_s,pool_or_shared,gpu_type,gpus_total\n1,shared,h100,8\n2,p,a100,3\n";
  const auto supply = ParseSupply("s.csv", supply_text);
  ASSERT_TRUE(supply.ok()) << supply.status();
  EXPECT_EQ(SupplyCsv(*supply), supply_text);
}

TEST(TraceTest, SaysWhichFileCannotBeRead) {
  EXPECT_THAT(ReadTrace("no-such-file.csv", "s.csv", "").status().message(),
              HasSubstr("no-such-file.csv"));
}

}  // namespace
}  // namespace qmarket
