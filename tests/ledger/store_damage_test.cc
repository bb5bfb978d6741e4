// What the store does where the disk did not keep what it was given: it says so, or it is as it was
// after an earlier commit. It never answers wrongly and never crashes.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ios>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"

#include "events/event_log.h"
#include "events/units.h"
#include "ledger/store/commit.h"
#include "ledger/store/format.h"
#include "ledger/store/store.h"
#include "tests/ledger/history.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_folder.h"

namespace qmarket {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr auto kBuffered = EventLog::Durability::kBuffered;

absl::StatusOr<std::unique_ptr<LedgerStore>> OpenStore(
    const std::string& dir, LedgerStore::Mode mode = LedgerStore::Mode::kReadWrite) {
  return LedgerStore::Open(dir, mode, {.log_identity = "log", .rules_version = 1});
}

// Changes the database below the store.
void Tamper(const std::string& dir, const std::function<void(rocksdb::DB&)>& change) {
  rocksdb::DB* db = nullptr;
  rocksdb::Options options;
  options.create_if_missing = true;
  ASSERT_TRUE(rocksdb::DB::Open(options, dir, &db).ok());
  const std::unique_ptr<rocksdb::DB> owned(db);
  change(*owned);
}

std::vector<std::string> FilesEndingIn(const std::string& dir, const std::string& ending) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    if (entry.path().extension() == ending) files.push_back(entry.path().string());
  }
  return files;
}

class StoreDamageTest : public testing::Test {
 protected:
  // A store with `commits` commits of the history; the states after each of them.
  std::map<std::uint64_t, Digest> Fill(int commits) {
    std::map<std::uint64_t, Digest> digests = {{0, Digest{}}};
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(dir_);
    EXPECT_TRUE(store.ok()) << store.status();
    for (int i = 0; i < commits; ++i) {
      const LedgerCommit commit = history_.Next(20);
      EXPECT_TRUE((*store)->Commit(commit, kBuffered).ok());
      digests[commit.next_offset] = commit.digest;
    }
    return digests;
  }

  TempFolder folder_;
  std::string dir_ = folder_ / "store";
  std::uint32_t seed_ = std::random_device{}();
  testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
  std::mt19937 random_{seed_};
  History history_{seed_};
};

// A crash of the machine leaves any part of what was not synced.
TEST_F(StoreDamageTest, ACutWriteAheadLogGivesAnEarlierCommit) {
  const std::map<std::uint64_t, Digest> digests = Fill(30);
  const std::vector<std::string> logs = FilesEndingIn(dir_, ".log");
  ASSERT_EQ(logs.size(), 1U);
  const std::uintmax_t size = std::filesystem::file_size(logs[0]);
  int earlier = 0;
  for (int i = 0; i < 12; ++i) {
    const std::string copy = folder_ / ("copy" + std::to_string(i));
    std::filesystem::copy(dir_, copy);
    const std::uintmax_t cut = size - 1 - random_() % (size / 2);
    std::filesystem::resize_file(FilesEndingIn(copy, ".log")[0], cut);
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(copy);
    ASSERT_TRUE(store.ok()) << store.status() << " after a cut at " << cut;
    const std::uint64_t next_offset = (*store)->state().next_offset;
    ASSERT_TRUE(digests.contains(next_offset)) << next_offset << " after a cut at " << cut;
    EXPECT_EQ((*store)->state().digest, digests.at(next_offset));
    EXPECT_EQ(history_.Compare(**store, next_offset, 13), "");
    if (next_offset < history_.next_offset()) ++earlier;
  }
  EXPECT_EQ(earlier, 12);
}

TEST_F(StoreDamageTest, ADamagedTableFileIsNoticed) {
  Fill(40);
  ASSERT_TRUE(OpenStore(dir_).ok());  // writes the recovered records to a table file
  const std::vector<std::string> tables = FilesEndingIn(dir_, ".sst");
  ASSERT_FALSE(tables.empty());
  const std::uintmax_t size = std::filesystem::file_size(tables[0]);
  int noticed = 0;
  for (int i = 0; i < 12; ++i) {
    const std::string copy = folder_ / ("copy" + std::to_string(i));
    std::filesystem::copy(dir_, copy);
    const std::uintmax_t place = random_() % size;
    {
      std::fstream file(copy + tables[0].substr(dir_.size()),
                        std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(static_cast<std::streamoff>(place));
      const int byte = file.get();
      file.seekp(static_cast<std::streamoff>(place));
      file.put(static_cast<char>(byte ^ 0x40));
    }
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(copy);
    const std::string problem = store.ok() ? history_.Compare(**store, history_.next_offset(), 13)
                                           : store.status().ToString();
    // Some bytes of a table file do not matter, such as those of its properties.
    if (problem.empty()) continue;
    EXPECT_THAT(problem, HasSubstr("DATA_LOSS")) << "byte " << place << " of " << size;
    ++noticed;
  }
  EXPECT_GT(noticed, 0);
}

TEST_F(StoreDamageTest, AMissingTableFileIsNoticed) {
  Fill(10);
  ASSERT_TRUE(OpenStore(dir_).ok());
  for (const std::string& table : FilesEndingIn(dir_, ".sst"))
    std::filesystem::remove(table);
  EXPECT_EQ(OpenStore(dir_).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(OpenStore(dir_, LedgerStore::Mode::kReadOnly).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST_F(StoreDamageTest, AChangedBlockIsNoticed) {
  Fill(20);
  std::string key;
  Tamper(dir_, [&](rocksdb::DB& db) {
    const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(rocksdb::ReadOptions()));
    it->Seek(store_format::JournalPrefix());
    ASSERT_TRUE(it->Valid());
    key = it->key().ToString();
    std::string value = it->value().ToString();
    value[value.size() / 2] ^= '\x01';
    ASSERT_TRUE(db.Put(rocksdb::WriteOptions(), key, value).ok());
  });
  const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(dir_);
  ASSERT_TRUE(store.ok()) << store.status();
  const absl::Status status = (*store)->Journal({}, [](auto, auto) { return true; });
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("checksum"));
}

// The check that is made when it is written is made again when it is read.
TEST_F(StoreDamageTest, BalancesThatDoNotAddUpAreNoticed) {
  Fill(20);
  Tamper(dir_, [&](rocksdb::DB& db) {
    store_format::BlockBuilder builder;
    std::string balance;
    store_format::AppendBalance(balance, 123'456'789);
    builder.Add(history_.next_offset() - 1, balance);
    const auto block = builder.Finish(store_format::BalancePrefix(AccountId(0)));
    ASSERT_TRUE(db.Put(rocksdb::WriteOptions(), block.key, block.value).ok());
  });
  const absl::Status status = OpenStore(dir_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("add up to"));
}

TEST_F(StoreDamageTest, ANewerFormatIsRefused) {
  Fill(1);
  Tamper(dir_, [](rocksdb::DB& db) {
    ASSERT_TRUE(db.Put(rocksdb::WriteOptions(), store_format::FormatKey(),
                       store_format::EncodeVersion(store_format::kFormatVersion + 1))
                    .ok());
  });
  for (const auto mode : {LedgerStore::Mode::kReadWrite, LedgerStore::Mode::kReadOnly}) {
    const absl::Status status = OpenStore(dir_, mode).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr(absl::StrCat("format ", store_format::kFormatVersion + 1)),
                      HasSubstr("newer qmarket"), HasSubstr(dir_)));
  }
}

TEST_F(StoreDamageTest, AnOlderFormatIsMadeAgainFromTheLog) {
  Fill(1);
  Tamper(dir_, [](rocksdb::DB& db) {
    ASSERT_TRUE(db.Put(rocksdb::WriteOptions(), store_format::FormatKey(),
                       store_format::EncodeVersion(store_format::kFormatVersion - 1))
                    .ok());
  });
  const absl::Status status = OpenStore(dir_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("makes it again from the log"));
}

// RocksDB drops what is damaged at the end of its journal. Where that was durable, readers refuse
// the store, and a writer knows from where to make it again.
TEST_F(StoreDamageTest, DurableCommitsThatAreGoneAreNoticed) {
  std::uint64_t before = 0;
  std::uintmax_t size = 0;
  {
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(dir_);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE((*store)->Commit(history_.Next(20), EventLog::Durability::kDurable).ok());
    before = (*store)->state().next_offset;
    size = std::filesystem::file_size(FilesEndingIn(dir_, ".log")[0]);
    ASSERT_TRUE((*store)->Commit(history_.Next(20), kBuffered).ok());
    ASSERT_TRUE((*store)->Sync().ok());
  }
  std::filesystem::resize_file(FilesEndingIn(dir_, ".log")[0], size + 1);
  const absl::Status status = OpenStore(dir_, LedgerStore::Mode::kReadOnly).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr(dir_), HasSubstr(absl::StrCat("offsets from ", before, " to ")),
                    HasSubstr("qmarket run")));
  const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(dir_);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_EQ((*store)->state().next_offset, before);
  ASSERT_TRUE((*store)->lost().has_value());
  EXPECT_EQ((*store)->lost()->from, before);
  EXPECT_EQ((*store)->lost()->to, history_.next_offset() - 1);
}

// What was never synced may be gone after a power failure: that is no damage.
TEST_F(StoreDamageTest, BufferedCommitsMayBeGone) {
  std::uintmax_t size = 0;
  {
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(dir_);
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE((*store)->Commit(history_.Next(20), EventLog::Durability::kDurable).ok());
    size = std::filesystem::file_size(FilesEndingIn(dir_, ".log")[0]);
    ASSERT_TRUE((*store)->Commit(history_.Next(20), kBuffered).ok());
  }
  std::filesystem::resize_file(FilesEndingIn(dir_, ".log")[0], size);
  EXPECT_TRUE(OpenStore(dir_, LedgerStore::Mode::kReadOnly).ok());
  const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(dir_);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_FALSE((*store)->lost().has_value());
}

TEST_F(StoreDamageTest, AnotherDatabaseIsRefused) {
  Tamper(dir_, [](rocksdb::DB& db) {
    ASSERT_TRUE(db.Put(rocksdb::WriteOptions(), "something", "else").ok());
  });
  const absl::Status status = OpenStore(dir_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("no ledger store"));
}

TEST_F(StoreDamageTest, AFullDiskEndsTheWriterAndCanBeOpenedAgain) {
  const SmallDisk disk(24);
  if (!disk.inside()) return;
  std::uint64_t committed = 0;
  {
    const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(disk.path() + "/store");
    ASSERT_TRUE(store.ok()) << store.status();
    absl::Status status;
    for (int i = 0; i < 20'000 && status.ok(); ++i) {
      LedgerCommit commit = history_.Next(2);
      // Outcomes that do not compress.
      for (int n = 0; n < 8192; ++n)
        commit.steps[0].outcomes.push_back(static_cast<char>(random_()));
      status = (*store)->Commit(commit, EventLog::Durability::kDurable);
      if (status.ok()) committed = commit.next_offset;
    }
    ASSERT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(status.message(), AllOf(HasSubstr(disk.path()), HasSubstr("No space left")));
    EXPECT_EQ((*store)->state().next_offset, committed);
    // It does not go on by itself.
    EXPECT_EQ((*store)->Commit(history_.Next(1), kBuffered).code(),
              absl::StatusCode::kResourceExhausted);
    EXPECT_EQ((*store)->Sync().code(), absl::StatusCode::kResourceExhausted);
  }
  // Once there is room it can be opened. What failed may be there or not, but whole.
  disk.Grow(96);
  const absl::StatusOr<std::unique_ptr<LedgerStore>> store = OpenStore(disk.path() + "/store");
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_GE((*store)->state().next_offset, committed);
}

}  // namespace
}  // namespace qmarket
