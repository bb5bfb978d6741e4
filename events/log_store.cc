#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rocksdb/cache.h"
#include "rocksdb/env.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

#include "events/big_endian.h"
#include "events/check.h"
#include "events/durable_mark.h"
#include "events/fingerprint.h"
#include "events/log_record.h"
#include "events/log_store_internal.h"
#include "events/rocksdb_status.h"
#include "openssl/rand.h"

namespace qmarket {
namespace {

constexpr std::uint64_t kFormatVersion = 1;

// What the log knows of itself; above all offsets.
constexpr char kOffsetsEnd[] = "\xff";
constexpr char kFormatKey[] =
    "\xff"
    "format";
constexpr char kIdentityKey[] =
    "\xff"
    "identity";
constexpr std::size_t kIdentityBytes = 16;

constexpr std::size_t kCacheBytes = 32 << 20;
constexpr std::size_t kWriteBufferBytes = 32 << 20;
constexpr std::size_t kBlockBytes = 32 << 10;
constexpr std::size_t kMaxReadaheadBytes = 1 << 20;
constexpr std::uint64_t kMaxReserved = 4096;  // records
constexpr int kWriterOpenFiles = 256;
constexpr int kFollowAttempts = 5;

absl::string_view View(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// A reader leaves no trace in the folder.
class NoInfoLog : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;

  void Logv(const char* /*format*/, va_list /*arguments*/) override {}
};

rocksdb::Options CommonOptions() {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(kCacheBytes);
  table.cache_index_and_filter_blocks = true;
  table.block_size = kBlockBytes;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = rocksdb::kLZ4Compression;
  options.write_buffer_size = kWriteBufferBytes;
  options.stats_dump_period_sec = 0;
  // What is damaged at the end of the journal was cut by a crash, or DurableMark tells.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  return options;
}

rocksdb::Options WriterOptions() {
  rocksdb::Options options = CommonOptions();
  options.create_if_missing = true;
  options.max_open_files = kWriterOpenFiles;
  options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
  options.keep_log_file_num = 2;
  options.max_log_file_size = 1 << 20;
  // Of each whole table file, for who checks them (rocksdb_files.h).
  options.file_checksum_gen_factory = rocksdb::GetFileChecksumGenCrc32cFactory();
  return options;
}

rocksdb::Options ReaderOptions() {
  rocksdb::Options options = CommonOptions();
  options.max_open_files = -1;  // a follower must hold the files that the writer deletes
  options.info_log = std::make_shared<NoInfoLog>();
  return options;
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> Opened(const rocksdb::Status& status, rocksdb::DB* db,
                                                    const std::string& dir) {
  if (!status.ok()) return FromRocksdb(status, absl::StrCat("cannot open the event log in ", dir));
  return std::unique_ptr<rocksdb::DB>(db);
}

// Follows a writer, and passes over files that it has just removed.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenFollower(const std::string& dir) {
  rocksdb::DB* db = nullptr;
  // The second path is for an info log that is not written.
  const rocksdb::Status status =
      rocksdb::DB::OpenAsSecondary(ReaderOptions(), dir, absl::StrCat(dir, "/none"), &db);
  return Opened(status, db, dir);
}

// For when nobody writes: takes no file for granted, and changes none.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenStill(const std::string& dir) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(ReaderOptions(), dir, &db);
  return Opened(status, db, dir);
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenWriter(const std::string& dir) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(WriterOptions(), dir, &db);
  return Opened(status, db, dir);
}

// How far to read ahead for up to this many records and bytes; 0 leaves it to the database, which
// is better for a few.
std::size_t Readahead(std::uint64_t records, std::size_t bytes) {
  constexpr std::uint64_t kMany = 1'000;
  return records < kMany ? 0 : std::min(bytes, kMaxReadaheadBytes);
}

bool HasDatabase(const std::string& dir) {
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(dir) / "CURRENT", ignored);
}

// The lock of the writer, held for as long as this lives.
class WriterLock {
 public:
  static absl::StatusOr<WriterLock> Take(const std::string& dir) {
    rocksdb::FileLock* lock = nullptr;
    const std::string path = absl::StrCat(dir, "/LOCK");
    const rocksdb::Status status = rocksdb::Env::Default()->LockFile(path, &lock);
    if (status.ok()) return WriterLock(lock);
    const absl::Status failure = FromRocksdb(status, absl::StrCat("cannot lock ", path));
    if (!absl::IsUnavailable(failure)) return failure;
    return absl::UnavailableError(absl::StrCat("another process has the event log in ", dir,
                                               " open: use its append service, or stop it"));
  }

  WriterLock(WriterLock&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}

  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;
  WriterLock& operator=(WriterLock&&) = delete;

  ~WriterLock() {
    if (lock_ == nullptr) return;
    const rocksdb::Status status = rocksdb::Env::Default()->UnlockFile(lock_);
    QM_CHECK(status.ok(), "a lock cannot be given back");
  }

 private:
  explicit WriterLock(rocksdb::FileLock* lock) : lock_(lock) {}

  rocksdb::FileLock* lock_;
};

std::string RandomIdentity() {
  std::array<std::uint8_t, kIdentityBytes> bytes;
  QM_CHECK(RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) == 1, "no random numbers");
  return ToHex(bytes);
}

}  // namespace

std::string DurableMarkPath(const std::string& dir) {
  return absl::StrCat(dir, "/DURABLE");
}

absl::StatusOr<std::unique_ptr<LogStore>> LogStore::OpenForReading(const std::string& dir) {
  if (!HasDatabase(dir)) return absl::NotFoundError(absl::StrCat("there is no event log in ", dir));
  absl::StatusOr<std::unique_ptr<LogStore>> store;
  for (int attempt = 0; attempt < kFollowAttempts; ++attempt) {
    store = Follow(dir);
    const bool may_be_passing = absl::IsDataLoss(store.status()) || absl::IsAborted(store.status());
    if (!may_be_passing) return store;
  }
  // A follower passes over files that it misses, so that it knows only what is not there. Who takes
  // no file for granted can say more.
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> still = OpenStill(dir);
  return still.ok() ? store.status() : still.status();
}

absl::StatusOr<std::unique_ptr<LogStore>> LogStore::Follow(const std::string& dir) {
  // Read before the records, so that a writer can only have made it too small since.
  absl::StatusOr<std::uint64_t> durable_end = DurableMark::Read(DurableMarkPath(dir));
  if (!durable_end.ok()) return durable_end.status();
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenFollower(dir);
  if (!db.ok()) return db.status();
  std::unique_ptr<LogStore> store(new LogStore(dir, *std::move(db), false));
  if (absl::Status status = store->CheckWhole(*durable_end); !status.ok()) return status;
  return store;
}

absl::StatusOr<std::unique_ptr<LogStore>> LogStore::OpenForWriting(const std::string& dir) {
  std::error_code error;
  std::filesystem::create_directories(dir, error);
  if (error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot make the folder ", dir));
  }
  // Opening for writing mends what it finds. Look first, so that a damaged log stays as it is.
  if (absl::Status status = Look(dir); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenWriter(dir);
  if (!db.ok()) return db.status();
  std::unique_ptr<LogStore> store(new LogStore(dir, *std::move(db), true));
  absl::Status identified = store->ReadIdentity();
  if (absl::IsNotFound(identified)) identified = store->MakeIdentity();
  if (!identified.ok()) return identified;
  return store;
}

absl::Status LogStore::Look(const std::string& dir) {
  absl::StatusOr<WriterLock> lock = WriterLock::Take(dir);
  if (!lock.ok()) return lock.status();
  absl::StatusOr<std::uint64_t> durable_end = DurableMark::Read(DurableMarkPath(dir));
  if (!durable_end.ok()) return durable_end.status();
  if (!HasDatabase(dir)) {
    if (*durable_end == 0) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat("the event log in ", dir, " had ", *durable_end,
                                            " records and is gone: there is no file CURRENT"));
  }
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = OpenStill(dir);
  if (!db.ok()) return db.status();
  absl::Status status = LogStore(dir, *std::move(db), false).CheckWhole(*durable_end);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

absl::Status LogStore::CheckWhole(std::uint64_t durable_end) {
  absl::Status identified = ReadIdentity();
  if (!identified.ok() && identity_.empty() && durable_end > 0) {
    return absl::DataLossError(absl::StrCat("the event log in ", dir_, " had ", durable_end,
                                            " records and has lost the first ones: its files are "
                                            "damaged"));
  }
  if (!identified.ok()) return identified;
  absl::StatusOr<std::optional<LogRecord>> last = LastRecord();
  if (!last.ok()) return last.status();
  const std::uint64_t end = last->has_value() ? (*last)->offset + 1 : 0;
  if (end >= durable_end) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("the event log in ", dir_, " has lost the records from offset ", end, " to ",
                   durable_end - 1, ", which were on stable storage: its files are damaged"));
}

absl::Status LogStore::ReadIdentity() {
  std::string format;
  const rocksdb::ReadOptions options;
  rocksdb::Status status = db_->Get(options, kFormatKey, &format);
  if (status.IsNotFound()) return CheckEmpty();
  if (status.ok()) status = db_->Get(options, kIdentityKey, &identity_);
  if (!status.ok()) return FromRocksdb(status, absl::StrCat("cannot read the event log in ", dir_));
  std::uint64_t version = 0;
  if (!absl::SimpleAtoi(format, &version) || version > kFormatVersion) {
    return absl::FailedPreconditionError(
        absl::StrCat("the event log in ", dir_, " has format ", format,
                     ", which is newer than this program; it knows ", kFormatVersion));
  }
  return absl::OkStatus();
}

absl::Status LogStore::CheckEmpty() {
  const std::unique_ptr<rocksdb::Iterator> any(db_->NewIterator(rocksdb::ReadOptions()));
  any->SeekToFirst();
  if (any->Valid()) {
    return absl::FailedPreconditionError(
        absl::StrCat(dir_, " holds another database, and no event log"));
  }
  if (!any->status().ok()) {
    return FromRocksdb(any->status(), absl::StrCat("cannot read the event log in ", dir_));
  }
  return absl::NotFoundError(absl::StrCat("there is no event log in ", dir_));
}

absl::Status LogStore::MakeIdentity() {
  identity_ = RandomIdentity();
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.Put(kFormatKey, absl::StrCat(kFormatVersion));
  if (status.ok()) status = batch.Put(kIdentityKey, identity_);
  if (!status.ok()) return FromRocksdb(status, absl::StrCat("cannot make an event log in ", dir_));
  return Write(batch, true);
}

absl::Status LogStore::CatchUp() {
  if (writable_) return absl::OkStatus();
  // The writer deletes files that it no longer needs; a follower that just wanted one looks again.
  rocksdb::Status status;
  for (int attempt = 0; attempt < kFollowAttempts; ++attempt) {
    status = db_->TryCatchUpWithPrimary();
    if (status.ok()) return absl::OkStatus();
  }
  return FromRocksdb(status, absl::StrCat("cannot follow the event log in ", dir_));
}

absl::Status LogStore::Write(rocksdb::WriteBatch& batch, bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  return FromRocksdb(db_->Write(options, &batch),
                     absl::StrCat("cannot write to the event log in ", dir_));
}

absl::Status LogStore::Sync() {
  return FromRocksdb(db_->SyncWAL(), absl::StrCat("cannot write to the event log in ", dir_));
}

std::unique_ptr<rocksdb::Iterator> LogStore::NewIterator(std::size_t readahead_bytes) {
  static const rocksdb::Slice kUpperBound(kOffsetsEnd);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &kUpperBound;
  options.readahead_size = readahead_bytes;
  return std::unique_ptr<rocksdb::Iterator>(db_->NewIterator(options));
}

absl::StatusOr<std::optional<LogRecord>> LogStore::LastRecord() {
  const std::unique_ptr<rocksdb::Iterator> at = NewIterator(0);
  at->SeekToLast();
  if (!at->Valid()) {
    const absl::Status status = FromRocksdb(
        at->status(), absl::StrCat("cannot read the last record of the event log in ", dir_));
    if (!status.ok()) return status;
    return std::nullopt;
  }
  absl::StatusOr<LogRecord> record = ParseLogRecord(View(at->key()), View(at->value()));
  if (!record.ok()) return record.status();
  return *std::move(record);
}

absl::StatusOr<LogBatch> LogStore::Records(std::uint64_t from, std::uint64_t end,
                                           std::size_t max_records, std::size_t max_bytes) {
  absl::StatusOr<LogBatch> batch = ReadRecords(from, end, max_records, max_bytes);
  // A follower may miss files that the writer has replaced; once it has caught up it has the
  // others.
  for (int attempt = 0; attempt < kFollowAttempts; ++attempt) {
    if (writable_ || !absl::IsDataLoss(batch.status())) break;
    if (absl::Status status = CatchUp(); !status.ok()) return status;
    batch = ReadRecords(from, end, max_records, max_bytes);
  }
  return batch;
}

absl::StatusOr<LogBatch> LogStore::ReadRecords(std::uint64_t from, std::uint64_t end,
                                               std::size_t max_records, std::size_t max_bytes) {
  LogBatch batch;
  batch.next_offset = from;
  if (from >= end || max_records == 0) return batch;
  const std::unique_ptr<rocksdb::Iterator> at =
      NewIterator(Readahead(std::min<std::uint64_t>(max_records, end - from), max_bytes));
  const BigEndian start = ToBigEndian(from);
  batch.records.reserve(std::min<std::uint64_t>({max_records, end - from, kMaxReserved}));
  std::size_t bytes = 0;
  at->Seek({start.data(), start.size()});
  for (; batch.next_offset < end && at->Valid(); at->Next()) {
    absl::StatusOr<LogRecord> record = ParseLogRecord(View(at->key()), View(at->value()));
    if (!record.ok()) {
      return absl::Status(record.status().code(),
                          absl::StrCat("the event log in ", dir_, ": ", record.status().message()));
    }
    if (record->offset != batch.next_offset) break;
    ++batch.next_offset;
    bytes += record->bytes.size();
    batch.records.push_back(*std::move(record));
    if (batch.records.size() >= max_records || bytes >= max_bytes) return batch;
  }
  if (!at->status().ok()) {
    return FromRocksdb(
        at->status(), absl::StrCat("the event log in ", dir_, ": cannot read the record at offset ",
                                   batch.next_offset));
  }
  if (batch.next_offset < end) {
    return absl::DataLossError(absl::StrCat("the event log in ", dir_, ": the record at offset ",
                                            batch.next_offset, " is missing"));
  }
  return batch;
}

}  // namespace qmarket
