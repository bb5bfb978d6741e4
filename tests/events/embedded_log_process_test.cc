// The embedded log and other processes: one that is killed, one that writes beside a reader.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/embedded_log.h"
#include "tests/events/child_process.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kAll = 1 << 30;

std::unique_ptr<EmbeddedLog> OpenLog(const std::string& dir, EmbeddedLog::Mode mode) {
  absl::StatusOr<std::unique_ptr<EmbeddedLog>> log = EmbeddedLog::Open(dir, mode);
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() ? *std::move(log) : nullptr;
}

// The parts of one call, "THREAD-CALL-0", "THREAD-CALL-1", ..., stand next to each other.
void ExpectWholeCalls(const std::vector<LogRecord>& records) {
  std::string call;
  int parts = 0;
  const auto end_call = [&] {
    if (call.empty()) return;
    const std::vector<std::string> names = absl::StrSplit(call, '-');
    int number = 0;
    ASSERT_TRUE(absl::SimpleAtoi(names[1], &number)) << call;
    EXPECT_EQ(parts, number % 3 + 1) << "call " << call << " is not whole";
  };
  for (const LogRecord& record : records) {
    const std::vector<std::string> names = absl::StrSplit(record.bytes, '-');
    ASSERT_EQ(names.size(), 3U) << record.bytes;
    const std::string its_call = absl::StrCat(names[0], "-", names[1]);
    if (its_call != call) {
      end_call();
      call = its_call;
      parts = 0;
    }
    EXPECT_EQ(names[2], absl::StrCat(parts));
    ++parts;
  }
  end_call();
}

TEST(LogProcess, WhatWasAcknowledgedOutlivesAKill) {
  const TempFolder folder;
  std::map<std::uint64_t, std::string> acknowledged;
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    ChildProcess writer({QMARKET_LOG_CHILD, "append", folder.path()});
    // Killed after a number of records that differs from round to round, at any point of its work.
    const int wanted = 20 + 37 * round;
    for (int i = 0; i < wanted; ++i) {
      const std::string line = writer.ReadLine();
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      ASSERT_EQ(words.size(), 2U) << line;
      std::uint64_t offset = 0;
      ASSERT_TRUE(absl::SimpleAtoi(words[1], &offset)) << line;
      ASSERT_TRUE(acknowledged.emplace(offset, words[0]).second)
          << "offset " << offset << " was given twice";
    }
    writer.Kill();

    const auto log = OpenLog(folder.path(), EmbeddedLog::Mode::kReadWrite);
    ASSERT_NE(log, nullptr);
    const std::vector<LogRecord> records = log->Read(0, kAll, kAll)->records;
    std::int64_t last_time = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
      ASSERT_EQ(records[i].offset, i) << "a gap";
      ASSERT_GE(records[i].append_time_ms, last_time);
      last_time = records[i].append_time_ms;
    }
    for (const auto& [offset, text] : acknowledged) {
      ASSERT_LT(offset, records.size()) << "an acknowledged record is lost";
      ASSERT_EQ(records[offset].bytes, text);
    }
    ExpectWholeCalls(records);
    // What was not read of its acknowledgements stands at offsets that this round must not hand
    // out.
    for (const LogRecord& record : records)
      acknowledged[record.offset] = record.bytes;
  }
}

TEST(LogProcess, AReaderFollowsAWriterElsewhere) {
  const TempFolder folder;
  ChildProcess writer({QMARKET_LOG_CHILD, "write", folder.path()});
  ASSERT_EQ(writer.ReadLine(), "open");
  const auto reader = OpenLog(folder.path(), EmbeddedLog::Mode::kReadOnly);
  ASSERT_NE(reader, nullptr);
  for (std::uint64_t i = 0; i < 200; ++i) {
    writer.WriteLine(absl::StrCat("record-", i));
    ASSERT_EQ(writer.ReadLine(), absl::StrCat(i));
    // Acknowledged there is seen here.
    ASSERT_EQ(reader->EndOffset().value(), i + 1);
    const absl::StatusOr<LogBatch> batch = reader->Read(i, 10, kAll);
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_EQ(batch->records.size(), 1U);
    ASSERT_EQ(batch->records[0].bytes, absl::StrCat("record-", i));
  }
  EXPECT_FALSE(reader->WaitFor(200, absl::Milliseconds(50)).value());
  writer.WriteLine("last");
  EXPECT_TRUE(reader->WaitFor(200, absl::Seconds(20)).value());
  EXPECT_EQ(writer.ReadLine(), "200");
  EXPECT_EQ(writer.Finish(), 0);
  EXPECT_EQ(reader->Read(0, kAll, kAll)->records.size(), 201U);
}

TEST(LogProcess, AReaderOutlivesTheWritersFiles) {
  // The writer moves its records from file to file, and removes files, while the reader reads.
  const TempFolder folder;
  ChildProcess writer({QMARKET_LOG_CHILD, "write", folder.path()});
  ASSERT_EQ(writer.ReadLine(), "open");
  const auto reader = OpenLog(folder.path(), EmbeddedLog::Mode::kReadOnly);
  ASSERT_NE(reader, nullptr);
  constexpr std::uint64_t kRecords = 400;
  const std::string filler(200'000, 'x');
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    writer.WriteLine(absl::StrCat(i, filler));
    ASSERT_EQ(writer.ReadLine(), absl::StrCat(i));
    if (i % 7 != 0) continue;
    while (next <= i) {
      const absl::StatusOr<LogBatch> batch = reader->Read(next, 100, kAll);
      ASSERT_TRUE(batch.ok()) << batch.status();
      ASSERT_FALSE(batch->records.empty());
      for (const LogRecord& record : batch->records) {
        ASSERT_EQ(record.offset, next);
        ASSERT_EQ(record.bytes, absl::StrCat(next, filler));
        ++next;
      }
    }
  }
  EXPECT_EQ(writer.Finish(), 0);
  // All of it, again, from files that came and went.
  for (next = 0; next < kRecords; ++next) {
    const absl::StatusOr<LogBatch> batch = reader->Read(next, 1, kAll);
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_EQ(batch->records.at(0).bytes.size(), absl::StrCat(next, filler).size());
  }
}

TEST(LogProcess, AWriteThatFailsIsFinalUntilTheLogIsOpenedAgain) {
  const TempFolder folder;
  ChildProcess writer({QMARKET_LOG_CHILD, "limited", folder.path()});
  ASSERT_EQ(writer.ReadLine(), "open");
  const std::string record(10'000, 'x');
  std::uint64_t acknowledged = 0;
  std::string answer;
  for (int i = 0; i < 1'000; ++i) {
    writer.WriteLine(record);
    answer = writer.ReadLine();
    if (answer != absl::StrCat(acknowledged)) break;
    ++acknowledged;
  }
  EXPECT_GT(acknowledged, 0U);
  EXPECT_THAT(answer,
              HasSubstr("RESOURCE_EXHAUSTED: cannot write to the event log in " + folder.path()));
  writer.WriteLine("small");  // would fit
  EXPECT_EQ(writer.ReadLine(), answer);
  writer.Kill();

  const auto log = OpenLog(folder.path(), EmbeddedLog::Mode::kReadWrite);
  ASSERT_NE(log, nullptr);
  const absl::StatusOr<LogBatch> batch = log->Read(0, kAll, kAll);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_GE(batch->records.size(), acknowledged);
  for (const LogRecord& one : batch->records)
    EXPECT_EQ(one.bytes, record);
  EXPECT_TRUE(log->Append({"more"}, EventLog::Durability::kDurable).ok());
}

TEST(LogProcess, ASecondWriterIsToldWhatToDo) {
  const TempFolder folder;
  ChildProcess writer({QMARKET_LOG_CHILD, "write", folder.path()});
  ASSERT_EQ(writer.ReadLine(), "open");
  const absl::Status status =
      EmbeddedLog::Open(folder.path(), EmbeddedLog::Mode::kReadWrite).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("another process has the event log in " + folder.path() + " open"));
  // It was not hurt by that, and when it is gone another can write.
  writer.WriteLine("a");
  EXPECT_EQ(writer.ReadLine(), "0");
  EXPECT_EQ(writer.Finish(), 0);
  EXPECT_NE(OpenLog(folder.path(), EmbeddedLog::Mode::kReadWrite), nullptr);
}

}  // namespace
}  // namespace qmarket
