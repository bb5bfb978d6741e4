// Kills matchers and appenders at random moments, and looks whether anything is lost, doubled or
// different. QMARKET_CRASH_KILLS says how many are killed in a test.

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

#include "events/check.h"
#include "events/embedded_log.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "events/int128.h"
#include "ledger/store/store.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/engine.h"
#include "tests/support/child.h"
#include "tests/support/temp_folder.h"
#include "tests/workload/workload.h"

namespace qmarket {
namespace {

int Kills() {
  int kills = 8;
  const char* const wanted = std::getenv("QMARKET_CRASH_KILLS");
  if (wanted != nullptr) QM_CHECK(absl::SimpleAtoi(wanted, &kills), "a number of kills");
  return kills;
}

// Writes a log of a small busy market.
void MakeLog(const std::string& dir, std::uint64_t events) {
  std::int64_t now_ms = 0;
  EmbeddedLog::Options options;
  options.clock = [&now_ms] { return now_ms; };
  const auto log = EmbeddedLog::Open(LogDir(dir), EmbeddedLog::Mode::kReadWrite, options);
  ASSERT_TRUE(log.ok()) << log.status();
  const WorkloadSize size = {.seed = 5,
                             .events = events,
                             .bids = events / 4,
                             .teams = 30,
                             .pools = 4,
                             .resources = 2,
                             .ticks = 100,
                             .mean_bid_minutes = 200};
  MakeWorkload(size, [&](const Event& event) {
    now_ms = event.time_ms;
    ASSERT_TRUE((*log)->Append({EncodeEvent(event)}, EventLog::Durability::kBuffered).ok());
  });
  ASSERT_TRUE((*log)->Sync().ok());
}

// The digest after each offset, by a run without a store.
std::vector<Digest> DigestsOf(const std::string& dir) {
  const auto log = EmbeddedLog::Open(LogDir(dir), EmbeddedLog::Mode::kReadOnly);
  QM_CHECK(log.ok(), "the log does not open");
  const auto engine = Engine::Open(**log, nullptr, {.max_batch_records = 1});
  QM_CHECK(engine.ok(), "the engine does not open");
  std::vector<Digest> digests = {(*engine)->digest()};
  while ((*engine)->FollowBatch(UINT64_MAX).value() > 0)
    digests.push_back((*engine)->digest());
  return digests;
}

std::unique_ptr<LedgerStore> ReadStore(const std::string& dir) {
  auto store = LedgerStore::Open(StoreDir(dir), LedgerStore::Mode::kReadOnly, {});
  QM_CHECK(store.ok(), "the store does not open");
  return *std::move(store);
}

// The digest, and every balance that every account ever had.
std::string Contents(const LedgerStore& store) {
  std::string text = absl::StrCat(ToHex(store.state().digest), " ", store.state().next_offset);
  const std::vector<StoredAccount> accounts = store.Accounts().value();
  for (const StoredAccount& account : accounts) {
    absl::StrAppend(&text, "\n", account.name);
    const absl::Status status =
        store.BalanceHistory(account.id, {}, [&](const BalancePoint& point) {
          absl::StrAppend(&text, " ", point.offset, "=", ToString(point.balance));
          return true;
        });
    QM_CHECK(status.ok(), "a history cannot be read");
  }
  return text;
}

class CrashTest : public testing::Test {
 protected:
  // Waits for a line with a text; false where the child ends before it.
  static bool WaitForLine(Child& child, absl::string_view text) {
    while (const std::optional<std::string> line = child.ReadLine()) {
      if (absl::StrContains(*line, text)) return true;
    }
    return false;
  }

  [[nodiscard]] std::int64_t Draw(std::int64_t below) {
    return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
  }

  void Sleep(absl::Duration at_most) {
    absl::SleepFor(absl::Microseconds(Draw(absl::ToInt64Microseconds(at_most) + 1)));
  }

  TempFolder folder_;
  std::string dir_ = folder_ / "data";
  std::uint32_t seed_ = std::random_device{}();
  testing::ScopedTrace trace_{__FILE__, __LINE__, absl::StrCat("seed ", seed_)};
  std::mt19937 random_{seed_};
};

// A matcher that applies a prepared log, killed again and again while it opens, rebuilds, applies
// and commits.
class MatcherCrashTest : public CrashTest {
 protected:
  static Child RunOnce(const std::string& dir, std::int64_t batch) {
    return Child({QMARKET, "run", "--once", "--data", dir, "--batch", absl::StrCat(batch)});
  }

  // Times a run that nobody disturbs.
  void RunUndisturbed() {
    std::filesystem::copy(dir_, undisturbed_, std::filesystem::copy_options::recursive);
    const absl::Time begin = absl::Now();
    Child child = RunOnce(undisturbed_, 3);
    ASSERT_TRUE(WaitForLine(child, "started"));
    const absl::Time started = absl::Now();
    ASSERT_EQ(child.Wait(), 0) << child.ReadAll();
    start_time_ = started - begin;
    apply_time_ = absl::Now() - started;
    expected_ = Contents(*ReadStore(undisturbed_));
  }

  // Runs a matcher that is killed at some moment, if it does not end before; gives how it ended.
  int RunAndKill() {
    Child child = RunOnce(dir_, 1 + Draw(5));
    // Mostly while it applies; else while it opens and rebuilds.
    const bool early = Draw(4) == 0;
    if (!early) WaitForLine(child, "started");
    Sleep(early ? start_time_ : 2 * apply_time_ / Kills());
    child.Kill(SIGKILL);
    return child.Wait();
  }

  // What a killed matcher left is a whole number of steps, and no fewer than before.
  void CheckStore(const std::vector<Digest>& digests) {
    const auto store = LedgerStore::Open(StoreDir(dir_), LedgerStore::Mode::kReadOnly, {});
    // Killed before the store said what it is.
    if (!store.ok() && applied_ == 0) return;
    ASSERT_TRUE(store.ok()) << store.status();
    const StoreState state = (*store)->state();
    EXPECT_GE(state.next_offset, applied_);
    applied_ = state.next_offset;
    ASSERT_LT(applied_, digests.size());
    EXPECT_EQ(ToHex(state.digest), ToHex(digests[applied_])) << "at offset " << applied_;
    if (applied_ > 0 && applied_ + 1 < digests.size()) stops_.insert(applied_);
  }

  void ExpectUndisturbed() { EXPECT_TRUE(Contents(*ReadStore(dir_)) == expected_); }

  std::string undisturbed_ = folder_ / "undisturbed";
  std::string expected_;
  absl::Duration start_time_;
  absl::Duration apply_time_;
  std::uint64_t applied_ = 0;
  std::set<std::uint64_t> stops_;  // where kills left the store on the way
};

TEST_F(MatcherCrashTest, AKilledMatcherEndsWhereOneThatWasNotDoes) {
  const std::uint64_t events = 2000 + 100 * static_cast<std::uint64_t>(Kills());
  MakeLog(dir_, events);
  const std::vector<Digest> digests = DigestsOf(dir_);
  RunUndisturbed();
  ASSERT_FALSE(HasFatalFailure());
  // As many kills as asked, and more where they did not land on the way through the log: how fast
  // the machine is may change while the test runs.
  const auto too_few_stops = [this] { return static_cast<int>(stops_.size()) < Kills() / 4; };
  int killed = 0;
  while (killed < Kills() || (too_few_stops() && killed < 10 * Kills())) {
    const int result = RunAndKill();
    if (result == 0) {
      // It was too quick. The others are killed on another run through the log, and sooner.
      ExpectUndisturbed();
      apply_time_ = apply_time_ * 3 / 4;
      std::filesystem::remove_all(StoreDir(dir_));
      applied_ = 0;
      continue;
    }
    ASSERT_EQ(result, -SIGKILL);
    ++killed;
    CheckStore(digests);
    ASSERT_FALSE(HasFatalFailure());
  }
  Child last = RunOnce(dir_, 3);
  const std::string said = last.ReadAll();
  ASSERT_EQ(last.Wait(), 0) << said;
  EXPECT_EQ(ReadStore(dir_)->state().next_offset, events);
  ExpectUndisturbed();
  // Else this was no test.
  EXPECT_FALSE(too_few_stops());
  RecordProperty("kills", killed);
  RecordProperty("stops", static_cast<int>(stops_.size()));
}

// What is in the log of the events that append_child.cc makes, by number.
std::vector<std::uint64_t> Logged(const std::string& dir) {
  const auto log = EmbeddedLog::Open(LogDir(dir), EmbeddedLog::Mode::kReadWrite);
  QM_CHECK(log.ok(), "the log does not open");
  const LogBatch batch = (*log)->Read(0, 1'000'000, SIZE_MAX).value();
  std::vector<std::uint64_t> numbers;
  for (const LogRecord& record : batch.records) {
    const Event event = DecodeEvent(record.bytes).value();
    absl::string_view id = event.event_id;
    std::uint64_t number = 0;
    // The others are the matcher's ticks.
    if (absl::ConsumePrefix(&id, "event-") && absl::SimpleAtoi(id, &number)) {
      numbers.push_back(number);
    }
  }
  return numbers;
}

class AppendCrashTest : public CrashTest {
 protected:
  // Appends from next_ on until the appender ends; `on_acknowledged` is called after each event.
  void Append(const std::function<void(Child&)>& on_acknowledged) {
    Child child({APPEND_CHILD, dir_, absl::StrCat(next_), "100000"});
    while (const std::optional<std::string> line = child.ReadLine()) {
      std::uint64_t number = 0;
      if (!absl::SimpleAtoi(*line, &number)) {
        said_ = *line;
        continue;
      }
      acknowledged_.push_back(number);
      on_acknowledged(child);
    }
    child.Wait();
    if (!acknowledged_.empty()) next_ = acknowledged_.back() + 1;
    // The next one may have been appended without a word.
    ++next_;
  }

  // Every acknowledged event is in the log once, and all are in order.
  void CheckLog() {
    const std::vector<std::uint64_t> logged = Logged(dir_);
    EXPECT_TRUE(std::ranges::is_sorted(logged));
    EXPECT_EQ(std::ranges::adjacent_find(logged), logged.end()) << "an event is there twice";
    EXPECT_TRUE(std::ranges::includes(logged, acknowledged_)) << "an acknowledged event is lost";
    EXPECT_LE(logged.size(), next_);
  }

  std::uint64_t next_ = 0;
  std::vector<std::uint64_t> acknowledged_;
  std::string said_;  // the last line of an appender that was no number
};

TEST_F(AppendCrashTest, AKilledAppenderLosesNothingThatItAcknowledged) {
  for (int i = 0; i < Kills(); ++i) {
    std::int64_t left = 1 + Draw(30);
    Append([&](Child& child) {
      if (--left > 0) return;
      Sleep(absl::Milliseconds(5));
      child.Kill(SIGKILL);
    });
    CheckLog();
  }
  EXPECT_GE(acknowledged_.size(), static_cast<std::size_t>(Kills()));
}

TEST_F(AppendCrashTest, AKilledMatcherLosesNothingThatItAcknowledged) {
  for (int i = 0; i < Kills(); ++i) {
    Child matcher({QMARKET, "run", "--data", dir_});
    ASSERT_TRUE(WaitForLine(matcher, "started"));
    std::int64_t left = 1 + Draw(30);
    Append([&](Child&) {
      if (--left > 0) return;
      Sleep(absl::Milliseconds(5));
      matcher.Kill(SIGKILL);
    });
    EXPECT_TRUE(absl::StrContains(said_, "UNAVAILABLE")) << said_;
    ASSERT_EQ(matcher.Wait(), -SIGKILL) << matcher.ReadAll();
    CheckLog();
  }
  EXPECT_GE(acknowledged_.size(), static_cast<std::size_t>(Kills()));
  // What was applied before the kills is what a fresh run makes of the log.
  Child last({QMARKET, "run", "--once", "--data", dir_});
  const std::string said = last.ReadAll();
  ASSERT_EQ(last.Wait(), 0) << said;
  EXPECT_EQ(ToHex(ReadStore(dir_)->state().digest), ToHex(DigestsOf(dir_).back()));
}

}  // namespace
}  // namespace qmarket
