#include "ledger/store/database.h"

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"

#include "events/rocksdb_status.h"

namespace qmarket::store_format {
namespace {

// What lies in the write buffer is in the write-ahead log too, which every reader replays at its
// opening: a small one keeps that short.
constexpr std::size_t kWriteBufferBytes = std::size_t{8} << 20;

// RocksDB's own messages are not kept: a reader must not touch the writer's file of them, and where
// the disk is full, the assertions of RocksDB 7.8 stop the process when such a message cannot be
// written, before the error comes back to us.
class NoLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;

  void Logv(const char* /*format*/, std::va_list /*values*/) override {}
};

rocksdb::Options MakeOptions(std::size_t cache_bytes) {
  rocksdb::Options options;
  options.write_buffer_size = kWriteBufferBytes;
  options.max_write_buffer_number = 3;
  options.max_background_jobs = 2;
  // The keys of a commit come table by table in order: an insertion goes on from the one before it.
  options.memtable_insert_with_hint_prefix_extractor.reset(rocksdb::NewFixedPrefixTransform(1));
  options.compression = rocksdb::kLZ4Compression;
  options.info_log = std::make_shared<NoLogger>();
  // Index blocks are charged to the cache, which bounds the memory of a store of any size.
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(cache_bytes);
  table.cache_index_and_filter_blocks = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::vector<std::string> WriteAheadLogs(const std::string& dir) {
  std::vector<std::string> logs;
  std::error_code error;
  for (std::filesystem::directory_iterator file(dir, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == ".log") logs.push_back(file->path().string());
  }
  return logs;
}

std::string InStore(const std::string& dir) {
  return absl::StrCat("ledger store ", dir);
}

}  // namespace

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForWriting(const std::string& dir,
                                                            std::size_t cache_bytes) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    return absl::FailedPreconditionError(
        absl::StrCat(InStore(dir), ": the folder cannot be made: ", error.message()));
  }
  rocksdb::Options options = MakeOptions(cache_bytes);
  options.create_if_missing = true;
  options.max_open_files = 512;
  // A full disk is fatal: no thread of RocksDB tries to go on by itself.
  options.max_bgerror_resume_count = 0;
  // Of each whole table file, for who checks them (events/rocksdb_files.h).
  options.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(options, dir, &db);
  if (!status.ok()) return FromRocksdb(status, InStore(dir));
  return std::unique_ptr<rocksdb::DB>(db);
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForReading(const std::string& dir,
                                                            std::size_t cache_bytes) {
  if (std::error_code error; !std::filesystem::exists(dir + "/CURRENT", error)) {
    return absl::NotFoundError(absl::StrCat(InStore(dir), ": there is none"));
  }
  rocksdb::Options options = MakeOptions(cache_bytes);
  // All files are opened at once, so that a writer can delete them without harm to the reader.
  options.max_open_files = -1;
  constexpr int kAttempts = 20;
  absl::Status failure;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::vector<std::string> logs = WriteAheadLogs(dir);
    rocksdb::DB* opened = nullptr;
    const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(options, dir, &opened);
    std::unique_ptr<rocksdb::DB> db(opened);
    // A writer deletes a write-ahead log once a table has what was in it, and RocksDB passes over
    // one that is missing: the reader may know neither. It looks again, and finds the table.
    const bool whole = std::ranges::all_of(logs, [](const std::string& log) {
      std::error_code error;
      return std::filesystem::exists(log, error);
    });
    if (status.ok() && whole) return db;
    failure = status.ok() ? absl::UnavailableError(absl::StrCat(
                                InStore(dir), ": its writer changes it too fast to be read"))
                          : FromRocksdb(status, InStore(dir));
    absl::SleepFor(absl::Milliseconds(10));
  }
  return failure;
}

absl::Status ReadingError(const rocksdb::Status& status) {
  absl::Status error = FromRocksdb(status, "reading the ledger");
  if (!absl::IsDataLoss(error)) return error;
  return absl::DataLossError(absl::StrCat(
      error.message(),
      "; `qmarket audit verify` says what is damaged, and `qmarket run --once` makes a store that "
      "was moved away again"));
}

bool IsEmpty(rocksdb::DB& db) {
  const std::unique_ptr<rocksdb::Iterator> iterator(db.NewIterator(rocksdb::ReadOptions()));
  iterator->SeekToFirst();
  return !iterator->Valid() && iterator->status().ok();
}

absl::StatusOr<std::optional<std::string>> Lookup(rocksdb::DB& db, absl::string_view key) {
  std::string value;
  const rocksdb::Status status =
      db.Get(rocksdb::ReadOptions(), rocksdb::Slice(key.data(), key.size()), &value);
  if (status.IsNotFound()) return std::nullopt;
  if (!status.ok()) return ReadingError(status);
  return value;
}

absl::StatusOr<std::string> MustLookup(rocksdb::DB& db, absl::string_view key,
                                       absl::string_view what) {
  absl::StatusOr<std::optional<std::string>> value = Lookup(db, key);
  if (!value.ok()) return value.status();
  if (!value->has_value()) {
    return absl::DataLossError(
        absl::StrCat("the ledger's store is damaged: ", what, " is missing"));
  }
  return **std::move(value);
}

}  // namespace qmarket::store_format
