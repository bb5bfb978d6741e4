// The embedded log within one process: appending, reading, times, reopening.

#include "events/embedded_log.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

constexpr auto kDurable = EventLog::Durability::kDurable;
constexpr auto kBuffered = EventLog::Durability::kBuffered;
constexpr std::size_t kAll = 1 << 30;

std::unique_ptr<EmbeddedLog> OpenLog(const std::string& dir,
                                     EmbeddedLog::Mode mode = EmbeddedLog::Mode::kReadWrite,
                                     EmbeddedLog::Options options = {}) {
  absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
      EmbeddedLog::Open(dir, mode, std::move(options));
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() ? *std::move(log) : nullptr;
}

// "offset:bytes " of every record from `from` on.
std::string Content(EventLog& log, std::uint64_t from = 0) {
  const absl::StatusOr<LogBatch> batch = log.Read(from, kAll, kAll);
  if (!batch.ok()) return batch.status().ToString();
  std::string content;
  for (const LogRecord& record : batch->records) {
    absl::StrAppend(&content, record.offset, ":", record.bytes, " ");
  }
  return content;
}

TEST(EmbeddedLog, AppendsAndReads) {
  const TempFolder folder;
  const auto log = OpenLog(folder / "a/b/log");  // folders are made
  EXPECT_EQ(Content(*log), "");
  EXPECT_EQ(log->EndOffset().value(), 0U);
  EXPECT_EQ(log->Append({"a"}, kDurable).value().first, 0U);
  EXPECT_EQ(log->Append({"b", "", std::string("\0\xff", 2)}, kBuffered).value().first, 1U);
  EXPECT_EQ(log->Append({"e"}, kDurable).value().first, 4U);
  EXPECT_EQ(log->EndOffset().value(), 5U);
  EXPECT_EQ(Content(*log), "0:a 1:b 2: 3:" + std::string("\0\xff", 2) + " 4:e ");
}

TEST(EmbeddedLog, AppendsNothing) {
  const TempFolder folder;
  const auto log = OpenLog(folder.path());
  EXPECT_EQ(log->Append({}, kDurable).value().first, 0U);
  EXPECT_EQ(log->Append({"a"}, kDurable).value().first, 0U);
  EXPECT_EQ(log->Append({}, kBuffered).value().first, 1U);
  EXPECT_EQ(log->EndOffset().value(), 1U);
}

TEST(EmbeddedLog, ReadsByParts) {
  const TempFolder folder;
  const auto log = OpenLog(folder.path());
  ASSERT_TRUE(log->Append({"aaaa", "bbbb", "cccc", "dddd"}, kDurable).ok());
  const auto read = [&](std::uint64_t from, std::size_t records, std::size_t bytes) {
    const absl::StatusOr<LogBatch> batch = log->Read(from, records, bytes);
    return absl::StrCat(batch->records.size(), " to ", batch->next_offset);
  };
  EXPECT_EQ(read(0, 4, kAll), "4 to 4");
  EXPECT_EQ(read(0, 3, kAll), "3 to 3");
  EXPECT_EQ(read(1, 2, kAll), "2 to 3");
  EXPECT_EQ(read(0, kAll, 1), "1 to 1");  // at least one
  EXPECT_EQ(read(0, kAll, 8), "2 to 2");
  EXPECT_EQ(read(0, kAll, 9), "3 to 3");
  EXPECT_EQ(read(4, kAll, kAll), "0 to 4");  // none yet
  EXPECT_EQ(read(0, 0, kAll), "0 to 0");
  const absl::Status beyond = log->Read(5, kAll, kAll).status();
  EXPECT_EQ(beyond.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(beyond.message(), "offset 5 lies beyond the end of the event log, 4");
}

TEST(EmbeddedLog, RefusesARecordThatIsTooLarge) {
  const TempFolder folder;
  const auto log = OpenLog(folder.path());
  const std::string large((16 << 20) + 1, 'x');
  EXPECT_EQ(log->Append({"a", large}, kDurable).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(log->EndOffset().value(), 0U);
  EXPECT_TRUE(log->Append({large.substr(1)}, kDurable).ok());
}

TEST(EmbeddedLog, IsTheSameWhenItIsOpenedAgain) {
  const TempFolder folder;
  std::string identity;
  {
    const auto log = OpenLog(folder.path());
    identity = log->Identity();
    EXPECT_EQ(identity.size(), 32U);
    ASSERT_TRUE(log->Append({"a", "b"}, kDurable).ok());
    ASSERT_TRUE(log->Append({"c"}, kBuffered).ok());
  }
  const auto log = OpenLog(folder.path());
  EXPECT_EQ(log->Identity(), identity);
  EXPECT_EQ(Content(*log), "0:a 1:b 2:c ");
  EXPECT_EQ(log->Append({"d"}, kDurable).value().first, 3U);
  const TempFolder other;
  EXPECT_NE(OpenLog(other.path())->Identity(), identity);
}

TEST(EmbeddedLog, AppendTimesNeverFall) {
  const TempFolder folder;
  std::vector<std::int64_t> times = {1000, 2000, 1500, 3000};
  EmbeddedLog::Options options;
  options.clock = [&] {
    const std::int64_t time = times.front();
    times.erase(times.begin());
    return time;
  };
  std::vector<std::int64_t> stamped;
  {
    const auto log = OpenLog(folder.path(), EmbeddedLog::Mode::kReadWrite, options);
    for (int i = 0; i < 4; ++i)
      ASSERT_TRUE(log->Append({"x", "y"}, kDurable).ok());
    const absl::StatusOr<LogBatch> batch = log->Read(0, kAll, kAll);
    for (const LogRecord& record : batch->records) {
      stamped.push_back(record.append_time_ms);
    }
  }
  EXPECT_EQ(stamped, (std::vector<std::int64_t>{1000, 1000, 2000, 2000, 2000, 2000, 3000, 3000}));
  // Not even over a restart.
  options.clock = [] { return std::int64_t{5}; };
  const auto log = OpenLog(folder.path(), EmbeddedLog::Mode::kReadWrite, options);
  ASSERT_TRUE(log->Append({"z"}, kDurable).ok());
  EXPECT_EQ(log->Read(8, kAll, kAll)->records.at(0).append_time_ms, 3000);
}

TEST(EmbeddedLog, AppendTimesAreThoseOfTheClock) {
  const TempFolder folder;
  const auto log = OpenLog(folder.path());
  const std::int64_t before = absl::ToUnixMillis(absl::Now());
  ASSERT_TRUE(log->Append({"x"}, kDurable).ok());
  const std::int64_t after = absl::ToUnixMillis(absl::Now());
  const std::int64_t time = log->Read(0, kAll, kAll)->records.at(0).append_time_ms;
  EXPECT_LE(before, time);
  EXPECT_LE(time, after);
}

TEST(EmbeddedLog, FindsByTime) {
  const TempFolder folder;
  std::int64_t now = 0;
  EmbeddedLog::Options options;
  options.clock = [&] { return now; };
  const auto log = OpenLog(folder.path(), EmbeddedLog::Mode::kReadWrite, options);
  EXPECT_EQ(log->FindByTime(0).value(), 0U);
  // Offsets 0-2 at 10, 3-5 at 20, 6-8 at 30, ...
  for (now = 10; now <= 100; now += 10)
    ASSERT_TRUE(log->Append({"a", "b", "c"}, kBuffered).ok());
  for (std::int64_t time = -5; time <= 105; ++time) {
    const std::int64_t steps = time <= 10 ? 0 : (time + 9) / 10 - 1;
    EXPECT_EQ(log->FindByTime(time).value(), static_cast<std::uint64_t>(3 * steps)) << time;
  }
}

TEST(EmbeddedLog, WaitsForRecords) {
  const TempFolder folder;
  const auto log = OpenLog(folder.path());
  EXPECT_FALSE(log->WaitFor(0, absl::ZeroDuration()).value());
  EXPECT_FALSE(log->WaitFor(0, absl::Milliseconds(30)).value());
  std::thread writer([&] {
    absl::SleepFor(absl::Milliseconds(30));
    ASSERT_TRUE(log->Append({"a"}, kDurable).ok());
  });
  EXPECT_TRUE(log->WaitFor(0, absl::Seconds(20)).value());
  writer.join();
  EXPECT_TRUE(log->WaitFor(0, absl::ZeroDuration()).value());
  EXPECT_FALSE(log->WaitFor(1, absl::ZeroDuration()).value());
}

TEST(EmbeddedLog, ConcurrentAppendsStandNextToEachOther) {
  const TempFolder folder;
  const auto log = OpenLog(folder.path());
  constexpr int kThreads = 8;
  constexpr int kCalls = 100;
  std::vector<std::thread> threads;
  std::vector<std::map<std::uint64_t, std::string>> acknowledged(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        const std::string text = absl::StrCat(t, "-", i);
        const auto durability = i % 3 == 0 ? kDurable : kBuffered;
        const absl::StatusOr<AppendedRange> range =
            log->Append({text + "a", text + "b"}, durability);
        ASSERT_TRUE(range.ok()) << range.status();
        acknowledged[static_cast<std::size_t>(t)][range->first] = text + "a";
        acknowledged[static_cast<std::size_t>(t)][range->first + 1] = text + "b";
        // What was acknowledged is there.
        EXPECT_EQ(log->Read(range->first, 1, kAll)->records.at(0).bytes, text + "a");
      }
    });
  }
  // A reader beside them sees no gap.
  std::atomic<bool> done = false;
  std::thread reader([&] {
    std::uint64_t next = 0;
    while (!done || next < log->EndOffset().value()) {
      const absl::StatusOr<LogBatch> batch = log->Read(next, 50, kAll);
      ASSERT_TRUE(batch.ok()) << batch.status();
      for (const LogRecord& record : batch->records)
        ASSERT_EQ(record.offset, next++);
    }
  });
  for (std::thread& thread : threads)
    thread.join();
  done = true;
  reader.join();
  const std::vector<LogRecord> records = log->Read(0, kAll, kAll)->records;
  ASSERT_EQ(records.size(), static_cast<std::size_t>(kThreads * kCalls * 2));
  std::set<std::string> texts;
  for (const auto& one : acknowledged) {
    for (const auto& [offset, text] : one) {
      EXPECT_EQ(records[offset].bytes, text);
      texts.insert(text);
    }
  }
  EXPECT_EQ(texts.size(), records.size());
}

TEST(EmbeddedLog, ConcurrentAppendsShareSyncs) {
  const TempFolder folder;
  // The clock is read once for each write. While one is made, the other calls gather.
  std::atomic<int> writes = 0;
  EmbeddedLog::Options options;
  options.clock = [&] {
    absl::SleepFor(absl::Milliseconds(1));
    return std::int64_t{++writes};
  };
  const auto log = OpenLog(folder.path(), EmbeddedLog::Mode::kReadWrite, options);
  constexpr int kThreads = 8;
  constexpr int kCalls = 25;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i)
        ASSERT_TRUE(log->Append({"x"}, kDurable).ok());
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(log->EndOffset().value(), static_cast<std::uint64_t>(kThreads * kCalls));
  EXPECT_LT(writes, kThreads * kCalls / 2);
}

TEST(EmbeddedLog, ReadsAfterMuchWasWritten) {
  // Enough to leave memory for files, several times.
  const TempFolder folder;
  const auto log = OpenLog(folder.path());
  constexpr std::uint64_t kRecords = 20'000;
  const std::string filler(4'000, 'x');
  for (std::uint64_t i = 0; i < kRecords; i += 100) {
    std::vector<std::string> records;
    for (std::uint64_t n = i; n < i + 100; ++n)
      records.push_back(absl::StrCat(n, filler));
    ASSERT_TRUE(log->Append(records, kBuffered).ok());
  }
  ASSERT_TRUE(log->Sync().ok());
  std::uint64_t next = 0;
  while (next < kRecords) {
    const absl::StatusOr<LogBatch> batch = log->Read(next, 1'000, kAll);
    ASSERT_TRUE(batch.ok()) << batch.status();
    for (const LogRecord& record : batch->records) {
      ASSERT_EQ(record.offset, next);
      ASSERT_EQ(record.bytes, absl::StrCat(next, filler));
      ++next;
    }
    ASSERT_EQ(batch->next_offset, next);
  }
  EXPECT_EQ(log->EndOffset().value(), kRecords);
}

TEST(EmbeddedLog, ReadOnlyNeedsALog) {
  const TempFolder folder;
  const absl::Status status =
      EmbeddedLog::Open(folder / "none", EmbeddedLog::Mode::kReadOnly).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder / "none"));
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

TEST(EmbeddedLog, ReadOnlyDoesNotWrite) {
  const TempFolder folder;
  const auto writer = OpenLog(folder.path());
  ASSERT_TRUE(writer->Append({"a"}, kDurable).ok());
  std::set<std::string> files;
  const auto list = [&] {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  };
  files = list();
  const auto reader = OpenLog(folder.path(), EmbeddedLog::Mode::kReadOnly);
  EXPECT_EQ(Content(*reader), "0:a ");
  EXPECT_EQ(reader->Identity(), writer->Identity());
  EXPECT_EQ(reader->Append({"b"}, kDurable).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(reader->Sync().ok());
  EXPECT_EQ(list(), files);
}

TEST(EmbeddedLog, ReadOnlyFollowsTheWriter) {
  const TempFolder folder;
  const auto writer = OpenLog(folder.path());
  const auto reader = OpenLog(folder.path(), EmbeddedLog::Mode::kReadOnly);
  EXPECT_EQ(Content(*reader), "");
  EXPECT_EQ(reader->EndOffset().value(), 0U);
  EXPECT_FALSE(reader->WaitFor(0, absl::Milliseconds(30)).value());
  ASSERT_TRUE(writer->Append({"a"}, kDurable).ok());
  EXPECT_TRUE(reader->WaitFor(0, absl::Seconds(20)).value());
  EXPECT_EQ(Content(*reader), "0:a ");
  ASSERT_TRUE(writer->Append({"b"}, kBuffered).ok());
  EXPECT_EQ(reader->EndOffset().value(), 2U);
  EXPECT_EQ(Content(*reader, 1), "1:b ");
}

TEST(EmbeddedLog, ASecondWriterIsToldWhatToDo) {
  const TempFolder folder;
  const auto writer = OpenLog(folder.path());
  const absl::Status status =
      EmbeddedLog::Open(folder.path(), EmbeddedLog::Mode::kReadWrite).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(status.message(), "another process has the event log in " + folder.path() +
                                  " open: use its append service, or stop it");
  EXPECT_TRUE(writer->Append({"a"}, kDurable).ok());
}

}  // namespace
}  // namespace qmarket
