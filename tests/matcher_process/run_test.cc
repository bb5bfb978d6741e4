#include "matcher/process/run.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/embedded_log.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "events/event_log.h"
#include "ledger/store/store.h"
#include "matcher/process/appender.h"
#include "matcher/process/data_dir.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using testing::HasSubstr;

std::int64_t NowMs() {
  return absl::ToUnixMillis(absl::Now());
}

std::string Record(const std::string& id, Payload payload) {
  return EncodeEvent(
      {.event_id = id, .time_ms = NowMs(), .actor = "", .source = "", .payload = payload});
}

// A market with one team and one bid, and a cycle of a second.
std::vector<std::string> SmallMarket() {
  return {
      Record("1", PoolConfigured{.pool = "search", .market_weight_micros_per_hour = 1'000'000}),
      Record("2",
             TeamConfigured{.team = "ads", .pool = "search", .income_micros_per_hour = 1'000'000}),
      Record("3", SupplyChanged{.resource = "h100", .owner = "", .chips = 8, .reason = ""}),
      Record("4", BidPlaced{.bid = "b", .team = "ads", .resource = "h100", .chips = 4}),
      Record("5", MarketConfigured{.cycle_ms = 1000})};
}

class RunTest : public testing::Test {
 protected:
  // A matcher in a thread of its own, which takes its signals.
  class Matcher {
   public:
    explicit Matcher(const std::string& dir) {
      options_.data_dir = dir;
      options_.on_report = [this](const std::string& line) {
        const std::lock_guard lock(mutex_);
        lines_.push_back(line);
      };
      thread_ = std::thread([this] { status_ = RunMatcher(options_); });
    }

    ~Matcher() {
      if (thread_.joinable()) {
        EXPECT_TRUE(Stop(SIGTERM).ok());
      }
    }

    absl::Status Stop(int signal) {
      ::pthread_kill(thread_.native_handle(), signal);
      thread_.join();
      return status_;
    }

    // Waits for a line with this in it.
    bool Says(const std::string& text) {
      const absl::Time deadline = absl::Now() + absl::Seconds(30);
      while (absl::Now() < deadline) {
        {
          const std::lock_guard lock(mutex_);
          if (std::ranges::any_of(
                  lines_, [&](const std::string& line) { return absl::StrContains(line, text); })) {
            return true;
          }
        }
        absl::SleepFor(absl::Milliseconds(10));
      }
      return false;
    }

   private:
    RunOptions options_;
    std::mutex mutex_;
    std::vector<std::string> lines_;
    absl::Status status_;
    std::thread thread_;
  };

  void Append(const std::vector<std::string>& records) {
    const absl::StatusOr<std::unique_ptr<Appender>> appender = OpenAppender(dir_);
    ASSERT_TRUE(appender.ok()) << appender.status();
    const absl::StatusOr<AppendedRange> range = (*appender)->Append(records);
    ASSERT_TRUE(range.ok()) << range.status();
  }

  absl::Status RunOnce() {
    RunOptions options;
    options.data_dir = dir_;
    options.once = true;
    return RunMatcher(options);
  }

  std::vector<Event> Log() {
    const auto log = EmbeddedLog::Open(LogDir(dir_), EmbeddedLog::Mode::kReadOnly);
    EXPECT_TRUE(log.ok()) << log.status();
    std::vector<Event> events;
    const absl::StatusOr<LogBatch> batch = (*log)->Read(0, 1'000'000, SIZE_MAX);
    EXPECT_TRUE(batch.ok()) << batch.status();
    for (const LogRecord& record : batch->records)
      events.push_back(*DecodeEvent(record.bytes));
    return events;
  }

  StoreState Stored() {
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store =
        LedgerStore::Open(StoreDir(dir_), LedgerStore::Mode::kReadOnly, {});
    EXPECT_TRUE(store.ok()) << store.status();
    return (*store)->state();
  }

  TempFolder folder_;
  std::string dir_ = folder_ / "data";
};

TEST_F(RunTest, OnceAppliesTheLogAndAddsNothing) {
  Append(SmallMarket());
  ASSERT_TRUE(RunOnce().ok());
  EXPECT_EQ(Stored().next_offset, 5U);
  EXPECT_EQ(Log().size(), 5U);
  ASSERT_TRUE(RunOnce().ok());
  EXPECT_EQ(Stored().next_offset, 5U);
}

TEST_F(RunTest, OnceOnAnEmptyLog) {
  ASSERT_TRUE(RunOnce().ok());
  EXPECT_EQ(Stored().next_offset, 0U);
}

TEST_F(RunTest, TicksAndTakesAppendsUntilItIsToldToEnd) {
  Append(SmallMarket());
  // The new cycle counts from the next tick: here is one, so that none of a minute is waited for.
  Append({Record("tick", ClockTicked{})});
  Matcher matcher(dir_);
  ASSERT_TRUE(matcher.Says("started"));
  ASSERT_TRUE(matcher.Says("cycle 2 "));
  Append({Record("6", BidWithdrawn{.bid = "b", .reason = "finished"})});
  ASSERT_TRUE(matcher.Says("2 events, h100 0 cr/h, 0 of 8 chips"));
  ASSERT_TRUE(matcher.Stop(SIGINT).ok());
  const std::vector<Event> events = Log();
  EXPECT_EQ(Stored().next_offset, events.size());
  for (const Event& event : events) {
    if (event.source != "qmarket") continue;
    EXPECT_EQ(event.time_ms % 1000, 0);
    EXPECT_TRUE(std::holds_alternative<ClockTicked>(event.payload));
  }
}

TEST_F(RunTest, GoesOnAfterARestartWithTicksOfItsOwn) {
  Append(SmallMarket());
  Append({Record("tick", ClockTicked{})});
  for (int run = 0; run < 2; ++run) {
    Matcher matcher(dir_);
    ASSERT_TRUE(matcher.Says(absl::StrCat("cycle ", 2 + run, " ")));
    ASSERT_TRUE(matcher.Stop(SIGTERM).ok());
  }
  std::set<std::string> ids;
  const std::vector<Event> events = Log();
  for (const Event& event : events)
    ids.insert(event.event_id);
  EXPECT_EQ(ids.size(), events.size());
  ASSERT_TRUE(RunOnce().ok());
  EXPECT_EQ(Stored().next_offset, events.size());
}

TEST_F(RunTest, OneMatcherADirectory) {
  Matcher matcher(dir_);
  ASSERT_TRUE(matcher.Says("started"));
  const absl::Time begin = absl::Now();
  const absl::Status status = RunOnce();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("another matcher runs on " + dir_));
  EXPECT_LT(absl::Now() - begin, absl::Seconds(5));
}

TEST_F(RunTest, WaitsForAnAppenderThatEnds) {
  absl::StatusOr<std::unique_ptr<Appender>> appender = OpenAppender(dir_);
  ASSERT_TRUE(appender.ok());
  Matcher matcher(dir_);
  absl::SleepFor(absl::Milliseconds(200));
  ASSERT_TRUE((*appender)->Append(SmallMarket()).ok());
  appender->reset();
  EXPECT_TRUE(matcher.Says("started"));
}

TEST_F(RunTest, RefusesAStoreOfAnotherLog) {
  Append(SmallMarket());
  ASSERT_TRUE(RunOnce().ok());
  std::filesystem::remove_all(LogDir(dir_));
  Append(SmallMarket());
  const absl::Status status = RunOnce();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("made from log"));
}

}  // namespace
}  // namespace qmarket
