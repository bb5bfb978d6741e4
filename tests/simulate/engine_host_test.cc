#include "connectors/simulate/engine_host.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulate/testing.h"

namespace qmarket {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

class EngineHostTest : public ::testing::Test {
 protected:
  EngineHostTest() {
    std::string name = fs::temp_directory_path() / "qmarket-simulate-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }

  ~EngineHostTest() override { fs::remove_all(folder_); }

  void Touch(const std::string& path) {
    fs::create_directories(fs::path(folder_ + "/" + path).parent_path());
    std::ofstream(folder_ + "/" + path) << "x";
  }

  std::string folder_;
};

Trace Contended(std::int64_t start_ms) {
  Trace trace;
  for (int i = 0; i < 40; ++i) {
    TraceJob job = Job("j" + std::to_string(i), i % 3 == 0 ? "x" : "y", i * kMinute,
                       static_cast<std::uint32_t>(1 + i % 5), 15 * kMinute);
    job.submit_ms += start_ms - kStart;
    trace.jobs.push_back(job);
  }
  trace.supply = {{start_ms, "", "h100", 12}, {start_ms + 20 * kMinute, "x-pool", "h100", 4}};
  return trace;
}

TEST_F(EngineHostTest, GivesTheDigestOfABareMarket) {
  const Scenario scenario = BuildOrDie(Contended(kStart));
  ASSERT_TRUE(PrepareDataDir(folder_, false).ok());
  std::string digest;
  {
    auto host = EngineHost::Open(folder_);
    ASSERT_TRUE(host.ok()) << host.status();
    const auto report = Simulation(scenario, **host).Run(nullptr);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->violations, 0U);
    digest = report->digest;
  }
  EXPECT_EQ(digest, RunInMemory(scenario).digest);
  // It is all there when the folder is opened again.
  auto again = EngineHost::Open(folder_);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*(*again)->Finish(), digest);
}

TEST_F(EngineHostTest, ATraceMayLieInTheFuture) {
  constexpr std::int64_t kYear2090 = 3'786'912'000'000;
  ASSERT_TRUE(PrepareDataDir(folder_, false).ok());
  auto host = EngineHost::Open(folder_);
  ASSERT_TRUE(host.ok()) << host.status();
  const Scenario scenario = BuildOrDie(Contended(kYear2090));
  const auto report = Simulation(scenario, **host).Run(nullptr);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->start_ms, kYear2090);
}

TEST_F(EngineHostTest, TakesAMissingOrEmptyFolder) {
  EXPECT_TRUE(PrepareDataDir(folder_ + "/a/b", false).ok());
  EXPECT_TRUE(fs::is_directory(SimulationDir(folder_ + "/a/b")));
  fs::create_directories(folder_ + "/empty");
  EXPECT_TRUE(PrepareDataDir(folder_ + "/empty", false).ok());
}

TEST_F(EngineHostTest, LeavesWhatIsNotItsOwnAlone) {
  Touch("log/000001");
  const absl::Status status = PrepareDataDir(folder_, true);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("left alone"));
  EXPECT_TRUE(fs::exists(folder_ + "/log/000001"));
  EXPECT_FALSE(fs::exists(SimulationDir(folder_)));

  Touch("file");
  EXPECT_THAT(PrepareDataDir(folder_ + "/file", true).message(), HasSubstr("is no folder"));
}

TEST_F(EngineHostTest, ReplacesASimulationOnlyIfToldAndNotInUse) {
  ASSERT_TRUE(PrepareDataDir(folder_, false).ok());
  Touch("note");
  Touch("simulation/report.json");
  EXPECT_THAT(PrepareDataDir(folder_, false).message(), HasSubstr("--force"));
  {
    auto host = EngineHost::Open(folder_);
    ASSERT_TRUE(host.ok()) << host.status();
    EXPECT_EQ(PrepareDataDir(folder_, true).code(), absl::StatusCode::kUnavailable);
    EXPECT_TRUE(fs::exists(folder_ + "/simulation/report.json"));
  }
  EXPECT_TRUE(PrepareDataDir(folder_, true).ok());
  EXPECT_FALSE(fs::exists(folder_ + "/log"));
  EXPECT_FALSE(fs::exists(folder_ + "/simulation/report.json"));
  EXPECT_TRUE(fs::exists(folder_ + "/note"));
}

}  // namespace
}  // namespace qmarket
