// What is said of a database's files: nothing where they are whole, and where a byte was changed,
// which file it is.

#include "events/rocksdb_files.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "events/embedded_log.h"
#include "events/rocksdb_journal.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A log with two tables and a journal, which all have records.
void MakeLog(const std::string& dir) {
  for (int i = 0; i < 3; ++i) {
    const auto log = EmbeddedLog::Open(dir, EmbeddedLog::Mode::kReadWrite);
    ASSERT_TRUE(log.ok()) << log.status();
    for (int n = 0; n < 20; ++n) {
      ASSERT_TRUE((*log)
                      ->Append({absl::StrCat("record ", n, " of ", i), std::string(100, 'x')},
                               EventLog::Durability::kDurable)
                      .ok());
    }
  }
}

DatabaseFiles Check(const std::string& dir) {
  absl::StatusOr<DatabaseFiles> files = CheckDatabaseFiles(dir);
  EXPECT_TRUE(files.ok()) << files.status();
  return files.ok() ? *std::move(files) : DatabaseFiles();
}

TEST(RocksdbFiles, WholeFilesAreWhole) {
  const TempFolder folder;
  MakeLog(folder.path());
  const DatabaseFiles files = Check(folder.path());
  EXPECT_THAT(files.damages, testing::IsEmpty());
  EXPECT_EQ(files.files, 5U);  // CURRENT, MANIFEST, a journal, two tables
  EXPECT_GT(files.bytes, 4'000U);
  EXPECT_EQ(files.without_checksum, 0U);
}

TEST(RocksdbFiles, ADatabaseInUseIsWholeToo) {
  const TempFolder folder;
  MakeLog(folder.path());
  EXPECT_FALSE(HasWriter(folder.path()));
  EXPECT_THAT(Check(folder.path()).damages, testing::IsEmpty());
}

TEST(RocksdbFiles, WhereThereIsNone) {
  const TempFolder folder;
  EXPECT_EQ(CheckDatabaseFiles(folder.path()).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(HasWriter(folder.path()));
}

// Whether a change of the byte must be noticed.
bool Counts(const std::string& name) {
  return name == "CURRENT" || name.starts_with("MANIFEST-") || name.ends_with(".log") ||
         name.ends_with(".sst");
}

TEST(RocksdbFiles, AChangedByteIsFoundInEveryFile) {
  const TempFolder folder;
  const std::string dir = folder / "log";
  MakeLog(dir);
  std::map<std::string, int> tried;
  for (const auto& entry : fs::directory_iterator(dir)) {
    const std::string name = entry.path().filename().string();
    const std::string bytes = ReadFile(entry.path());
    constexpr std::size_t kStride = 13;
    constexpr std::size_t kEnd = 64;  // where a table says where its parts are
    for (std::size_t at = 0, step = 1; at < bytes.size(); at += step) {
      step = at + kEnd >= bytes.size() || bytes.size() < 1'000 ? 1 : kStride;
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
      WriteFile(entry.path(), changed);
      const DatabaseFiles files = Check(dir);
      if (Counts(name)) {
        ASSERT_EQ(files.damages.size(), 1U) << name << " at " << at;
        EXPECT_EQ(files.damages[0].file, name) << files.damages[0].what;
        ++tried[name];
      } else {
        EXPECT_THAT(files.damages, testing::IsEmpty()) << name << " at " << at;
      }
    }
    WriteFile(entry.path(), bytes);
  }
  EXPECT_EQ(tried.size(), 5U);
  EXPECT_THAT(Check(dir).damages, testing::IsEmpty());
}

TEST(RocksdbFiles, AFileThatIsGoneIsNamed) {
  const TempFolder folder;
  const std::string dir = folder / "log";
  MakeLog(dir);
  for (const auto& entry : fs::directory_iterator(dir)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".sst") && !name.starts_with("MANIFEST-")) continue;
    const std::string bytes = ReadFile(entry.path());
    fs::remove(entry.path());
    const DatabaseFiles files = Check(dir);
    ASSERT_EQ(files.damages.size(), 1U) << name;
    WriteFile(entry.path(), bytes);
  }
}

TEST(RocksdbJournal, ACutFileEndsWithinARecord) {
  const TempFolder folder;
  MakeLog(folder.path());
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    if (entry.path().extension() != ".log") continue;
    const std::string bytes = ReadFile(entry.path());
    const JournalCheck whole = CheckJournal(bytes, 0);
    EXPECT_FALSE(whole.damage.has_value()) << whole.damage->what;
    EXPECT_EQ(whole.bytes, bytes.size());
    EXPECT_EQ(whole.records, 20U);
    const JournalCheck cut = CheckJournal(bytes.substr(0, bytes.size() - 5), 0);
    ASSERT_TRUE(cut.damage.has_value());
    EXPECT_TRUE(cut.damage->torn);
    EXPECT_EQ(cut.records, 19U);
    const JournalCheck header = CheckJournal(bytes + std::string("\1\2\3", 3), 0);
    ASSERT_TRUE(header.damage.has_value());
    EXPECT_TRUE(header.damage->torn);
    EXPECT_EQ(header.damage->position, bytes.size());
  }
}

// Blocks end where the next record's header does not fit, and records go over several of them.
TEST(RocksdbJournal, RecordsOverManyBlocks) {
  const TempFolder folder;
  {
    const auto log = EmbeddedLog::Open(folder.path(), EmbeddedLog::Mode::kReadWrite);
    ASSERT_TRUE(log.ok()) << log.status();
    for (std::size_t n = 1; n < 200; ++n) {
      ASSERT_TRUE((*log)->Append({std::string(n * 37, 'x')}, EventLog::Durability::kBuffered).ok());
    }
    ASSERT_TRUE((*log)->Append({std::string(200'000, 'y')}, EventLog::Durability::kDurable).ok());
  }
  const DatabaseFiles files = Check(folder.path());
  EXPECT_THAT(files.damages, testing::IsEmpty());
  EXPECT_GT(files.bytes, 900'000U);
}

}  // namespace
}  // namespace qmarket
