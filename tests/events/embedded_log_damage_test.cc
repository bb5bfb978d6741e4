// The embedded log on files that were damaged, cut, removed, or made by something else.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"

#include "events/big_endian.h"
#include "events/embedded_log.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

namespace fs = std::filesystem;

using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;

constexpr auto kDurable = EventLog::Durability::kDurable;
constexpr auto kBuffered = EventLog::Durability::kBuffered;
constexpr std::size_t kAll = 1 << 30;

absl::StatusOr<std::unique_ptr<EmbeddedLog>> OpenLog(
    const std::string& dir, EmbeddedLog::Mode mode = EmbeddedLog::Mode::kReadWrite) {
  return EmbeddedLog::Open(dir, mode);
}

// A log with the records "0", "1", ... and nothing else.
void MakeLog(const std::string& dir, int records,
             EventLog::Durability durability = EventLog::Durability::kDurable) {
  const auto log = OpenLog(dir);
  ASSERT_TRUE(log.ok()) << log.status();
  for (int i = 0; i < records; ++i) {
    ASSERT_TRUE((*log)->Append({absl::StrCat(i)}, durability).ok());
  }
}

// Changes the database under a log.
void Change(const std::string& dir, const std::function<rocksdb::Status(rocksdb::DB&)>& change) {
  rocksdb::Options options;
  options.create_if_missing = true;
  rocksdb::DB* opened = nullptr;
  ASSERT_TRUE(rocksdb::DB::Open(options, dir, &opened).ok());
  const std::unique_ptr<rocksdb::DB> db(opened);
  ASSERT_TRUE(change(*db).ok());
}

std::string Key(std::uint64_t offset) {
  const BigEndian key = ToBigEndian(offset);
  return {key.data(), key.size()};
}

std::string ReadFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

std::map<std::string, std::string> Files(const std::string& dir) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(dir)) {
    files[entry.path().filename()] = ReadFile(entry.path());
  }
  files.erase("LOG");
  return files;
}

// The journal that the last records are in.
fs::path Journal(const std::string& dir) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(dir)) {
    if (entry.path().extension() == ".log" && entry.file_size() > 0) found = entry.path();
  }
  EXPECT_FALSE(found.empty());
  return found;
}

std::string TextOf(const absl::Status& status) {
  return std::string(status.message());
}

TEST(DamagedLog, AMissingRecordIsNamed) {
  const TempFolder folder;
  MakeLog(folder.path(), 10);
  Change(folder.path(), [](rocksdb::DB& db) { return db.Delete({}, Key(4)); });
  for (const auto mode : {EmbeddedLog::Mode::kReadWrite, EmbeddedLog::Mode::kReadOnly}) {
    const auto log = OpenLog(folder.path(), mode);
    ASSERT_TRUE(log.ok()) << log.status();
    for (const std::uint64_t from : std::vector<std::uint64_t>{0, 4}) {
      const absl::Status status = (*log)->Read(from, 100, kAll).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
      EXPECT_EQ(TextOf(status),
                "the event log in " + folder.path() + ": the record at offset 4 is missing");
    }
    EXPECT_EQ((*log)->Read(0, 4, kAll)->records.size(), 4U);
    EXPECT_EQ((*log)->Read(5, 100, kAll)->records.size(), 5U);
  }
}

TEST(DamagedLog, ADamagedRecordIsNamed) {
  const TempFolder folder;
  MakeLog(folder.path(), 5);
  Change(folder.path(), [](rocksdb::DB& db) {
    std::string value;
    rocksdb::Status status = db.Get({}, Key(2), &value);
    value.back() = static_cast<char>(value.back() ^ 1);
    return status.ok() ? db.Put({}, Key(2), value) : status;
  });
  const auto log = OpenLog(folder.path());
  ASSERT_TRUE(log.ok()) << log.status();
  for (const std::uint64_t from : std::vector<std::uint64_t>{0, 2}) {
    const absl::Status status = (*log)->Read(from, 100, kAll).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(TextOf(status), HasSubstr(folder.path()));
    EXPECT_THAT(TextOf(status), HasSubstr("record at offset 2 is damaged"));
  }
  EXPECT_TRUE((*log)->Read(0, 2, kAll).ok());
  EXPECT_TRUE((*log)->Read(3, 100, kAll).ok());
}

TEST(DamagedLog, ARecordInAnothersPlaceIsNamed) {
  const TempFolder folder;
  MakeLog(folder.path(), 5);
  Change(folder.path(), [](rocksdb::DB& db) {
    std::string value;
    const rocksdb::Status status = db.Get({}, Key(3), &value);
    return status.ok() ? db.Put({}, Key(2), value) : status;
  });
  const auto log = OpenLog(folder.path());
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_THAT(TextOf((*log)->Read(0, 100, kAll).status()),
              HasSubstr("record at offset 2 is damaged"));
}

TEST(DamagedLog, ADamagedLastRecordIsNamedAtOpening) {
  const TempFolder folder;
  MakeLog(folder.path(), 5);
  Change(folder.path(), [](rocksdb::DB& db) { return db.Put({}, Key(4), "short"); });
  for (const auto mode : {EmbeddedLog::Mode::kReadWrite, EmbeddedLog::Mode::kReadOnly}) {
    const absl::Status status = OpenLog(folder.path(), mode).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(TextOf(status), HasSubstr("record at offset 4 is damaged: it is cut to 5 bytes"));
  }
}

TEST(DamagedLog, AKeyThatIsNoOffsetIsRefused) {
  const TempFolder folder;
  MakeLog(folder.path(), 2);
  Change(folder.path(), [](rocksdb::DB& db) { return db.Put({}, "key", "value"); });
  EXPECT_EQ(OpenLog(folder.path()).status().code(), absl::StatusCode::kDataLoss);
}

TEST(DamagedLog, ANewerFormatIsRefused) {
  const TempFolder folder;
  MakeLog(folder.path(), 2);
  Change(folder.path(), [](rocksdb::DB& db) {
    return db.Put({},
                  "\xff"
                  "format",
                  "2");
  });
  const auto before = Files(folder.path());
  for (const auto mode : {EmbeddedLog::Mode::kReadWrite, EmbeddedLog::Mode::kReadOnly}) {
    const absl::Status status = OpenLog(folder.path(), mode).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(TextOf(status), "the event log in " + folder.path() +
                                  " has format 2, which is newer than this program; it knows 1");
  }
  EXPECT_EQ(Files(folder.path()), before);
}

TEST(DamagedLog, AnotherDatabaseIsRefused) {
  const TempFolder folder;
  Change(folder.path(), [](rocksdb::DB& db) { return db.Put({}, "key", "value"); });
  for (const auto mode : {EmbeddedLog::Mode::kReadWrite, EmbeddedLog::Mode::kReadOnly}) {
    const absl::Status status = OpenLog(folder.path(), mode).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(TextOf(status), HasSubstr("holds another database"));
  }
}

TEST(DamagedLog, AnEmptyDatabaseBecomesALog) {
  // As after a crash while it was made.
  const TempFolder folder;
  Change(folder.path(), [](rocksdb::DB&) { return rocksdb::Status(); });
  EXPECT_EQ(OpenLog(folder.path(), EmbeddedLog::Mode::kReadOnly).status().code(),
            absl::StatusCode::kNotFound);
  MakeLog(folder.path(), 2);
  EXPECT_TRUE(OpenLog(folder.path(), EmbeddedLog::Mode::kReadOnly).ok());
}

TEST(DamagedLog, LostDurableRecordsAreNoticed) {
  const TempFolder folder;
  MakeLog(folder.path(), 100);
  const fs::path journal = Journal(folder.path());
  fs::resize_file(journal, fs::file_size(journal) / 2);
  const auto before = Files(folder.path());
  for (const auto mode : {EmbeddedLog::Mode::kReadOnly, EmbeddedLog::Mode::kReadWrite}) {
    const absl::Status status = OpenLog(folder.path(), mode).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(TextOf(status), HasSubstr(folder.path()));
    EXPECT_THAT(TextOf(status), HasSubstr("has lost the records from offset "));
    EXPECT_THAT(TextOf(status), HasSubstr(" to 99, which were on stable storage"));
  }
  EXPECT_EQ(Files(folder.path()), before);  // nothing was mended away
}

TEST(DamagedLog, AFlippedByteOfTheJournalIsNoticed) {
  const TempFolder folder;
  MakeLog(folder.path(), 100);
  const fs::path journal = Journal(folder.path());
  std::string bytes = ReadFile(journal);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x10);
  WriteFile(journal, bytes);
  EXPECT_EQ(OpenLog(folder.path()).status().code(), absl::StatusCode::kDataLoss);
}

TEST(DamagedLog, ATornTailThatWasNeverAcknowledgedIsDropped) {
  const TempFolder folder;
  MakeLog(folder.path(), 3);
  {
    const auto log = OpenLog(folder.path());
    ASSERT_TRUE(log.ok());
    for (int i = 3; i < 100; ++i) {
      ASSERT_TRUE((*log)->Append({absl::StrCat(i)}, kBuffered).ok());
    }
  }
  const fs::path journal = Journal(folder.path());
  fs::resize_file(journal, fs::file_size(journal) / 2);
  const auto log = OpenLog(folder.path());
  ASSERT_TRUE(log.ok()) << log.status();
  const std::uint64_t end = (*log)->EndOffset().value();
  EXPECT_GE(end, 3U);
  EXPECT_LT(end, 100U);
  EXPECT_EQ((*log)->Append({"more"}, kDurable).value().first, end);
  EXPECT_EQ((*log)->Read(0, kAll, kAll)->records.size(), end + 1);
}

TEST(DamagedLog, ALogWithoutItsRootIsNotMadeAnew) {
  const TempFolder folder;
  MakeLog(folder.path(), 3);
  fs::remove(fs::path(folder.path()) / "CURRENT");
  const absl::Status status = OpenLog(folder.path()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(TextOf(status), HasSubstr("had 3 records and is gone"));
}

TEST(DamagedLog, ADamagedMarkIsNamed) {
  const TempFolder folder;
  MakeLog(folder.path(), 3);
  for (const char* bytes : {"short", "a text of sixteen"}) {
    WriteFile(fs::path(folder.path()) / "DURABLE", bytes);
    const absl::Status status = OpenLog(folder.path()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(TextOf(status), HasSubstr(folder.path() + "/DURABLE is damaged"));
  }
  fs::remove(fs::path(folder.path()) / "DURABLE");
  EXPECT_TRUE(OpenLog(folder.path()).ok());
}

// What comes of a log with a file changed by `change`: all the records, or an error that names the
// folder. Never a crash, never records that differ.
void ExpectWholeOrRefused(const std::string& dir, std::size_t records) {
  for (const auto mode : {EmbeddedLog::Mode::kReadOnly, EmbeddedLog::Mode::kReadWrite}) {
    const auto log = OpenLog(dir, mode);
    if (!log.ok()) {
      EXPECT_THAT(TextOf(log.status()), HasSubstr(dir));
      EXPECT_THAT(log.status().code(),
                  AnyOf(Eq(absl::StatusCode::kDataLoss), Eq(absl::StatusCode::kNotFound),
                        Eq(absl::StatusCode::kInternal), Eq(absl::StatusCode::kInvalidArgument)))
          << log.status();
      continue;
    }
    const absl::StatusOr<LogBatch> batch = (*log)->Read(0, kAll, kAll);
    if (!batch.ok()) {
      EXPECT_EQ(batch.status().code(), absl::StatusCode::kDataLoss) << batch.status();
      EXPECT_THAT(TextOf(batch.status()), HasSubstr(dir));
      continue;
    }
    ASSERT_EQ(batch->records.size(), records);
    for (std::size_t i = 0; i < records; ++i) {
      EXPECT_EQ(batch->records[i].bytes, absl::StrCat(i));
    }
  }
}

TEST(DamagedLog, EveryFileCutOrGone) {
  const TempFolder folder;
  const std::string whole = folder / "whole";
  constexpr int kRecords = 200;
  for (int i = 0; i < 4;
       ++i) {  // opening again moves records from the journal to files of their own
    const auto log = OpenLog(whole);
    ASSERT_TRUE(log.ok()) << log.status();
    for (int n = 0; n < kRecords / 4; ++n) {
      ASSERT_TRUE((*log)->Append({absl::StrCat(i * kRecords / 4 + n)}, kDurable).ok());
    }
  }
  int tables = 0;
  for (const auto& [name, bytes] : Files(whole)) {
    if (name == "LOCK") continue;
    if (absl::EndsWith(name, ".sst")) ++tables;
    for (const int part : {0, 1, 50, 99, 100, 101}) {
      SCOPED_TRACE(absl::StrCat(name, " ", part, " %"));
      const std::string dir = folder / "damaged";
      fs::remove_all(dir);
      fs::copy(whole, dir);
      const fs::path file = fs::path(dir) / name;
      if (part == 100) {
        fs::remove(file);
      } else if (part == 101 && !bytes.empty()) {
        std::string flipped = bytes;
        flipped[bytes.size() / 3] = static_cast<char>(flipped[bytes.size() / 3] ^ 0x40);
        WriteFile(file, flipped);
      } else {
        fs::resize_file(file, bytes.size() * static_cast<std::size_t>(part) / 100);
      }
      ExpectWholeOrRefused(dir, kRecords);
    }
  }
  EXPECT_GE(tables, 2);
}

}  // namespace
}  // namespace qmarket
