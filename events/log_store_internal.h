// The RocksDB database under the embedded log: how it is opened, what it says of itself, and how
// records are found in it. For the .cc files of this room.
#ifndef QMARKET_EVENTS_LOG_STORE_INTERNAL_H_
#define QMARKET_EVENTS_LOG_STORE_INTERNAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rocksdb/db.h"
#include "rocksdb/write_batch.h"

#include "events/event_log.h"

namespace qmarket {

// One way into the database. Use it from any thread; Write and Sync from one at a time.
class LogStore {
 public:
  // Makes the folder and the database where there are none. The errors are those of
  // EmbeddedLog::Open; where there is one, nothing on disk has changed.
  static absl::StatusOr<std::unique_ptr<LogStore>> OpenForWriting(const std::string& dir);

  // What is in the database at this moment. It can be used while another process writes, follows it
  // in CatchUp, and does not write anything.
  static absl::StatusOr<std::unique_ptr<LogStore>> OpenForReading(const std::string& dir);

  // Takes in what the writing process has written since; on a store opened for writing, nothing.
  [[nodiscard]] absl::Status CatchUp();

  [[nodiscard]] absl::Status Write(rocksdb::WriteBatch& batch, bool sync);

  [[nodiscard]] absl::Status Sync();

  [[nodiscard]] const std::string& identity() const { return identity_; }

  // The record with the highest offset, if there is one.
  absl::StatusOr<std::optional<LogRecord>> LastRecord();

  // As EventLog::Read, of the records below `end`, which are all there: one that is missing is
  // DataLoss, as one that is damaged.
  absl::StatusOr<LogBatch> Records(std::uint64_t from, std::uint64_t end, std::size_t max_records,
                                   std::size_t max_bytes);

 private:
  LogStore(std::string dir, std::unique_ptr<rocksdb::DB> db, bool writable)
      : dir_(std::move(dir)), db_(std::move(db)), writable_(writable) {}

  [[nodiscard]] static absl::StatusOr<std::unique_ptr<LogStore>> Follow(const std::string& dir);

  // Whether a log in this folder can be opened for writing: it is whole, or there is none, and
  // nobody else writes it. Changes nothing.
  [[nodiscard]] static absl::Status Look(const std::string& dir);

  // Reads the identity, and fails where the database ends before `durable_end`.
  [[nodiscard]] absl::Status CheckWhole(std::uint64_t durable_end);

  // NotFound where the database is empty: made, and the process ended before it said what it is.
  [[nodiscard]] absl::Status ReadIdentity();

  // NotFound where the database is empty, else an error that says what it may be.
  [[nodiscard]] absl::Status CheckEmpty();

  [[nodiscard]] absl::Status MakeIdentity();

  absl::StatusOr<LogBatch> ReadRecords(std::uint64_t from, std::uint64_t end,
                                       std::size_t max_records, std::size_t max_bytes);

  [[nodiscard]] std::unique_ptr<rocksdb::Iterator> NewIterator(std::size_t readahead_bytes);

  std::string dir_;
  std::unique_ptr<rocksdb::DB> db_;
  bool writable_;
  std::string identity_;
};

// Where the mark of durable_mark.h lies.
[[nodiscard]] std::string DurableMarkPath(const std::string& dir);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_LOG_STORE_INTERNAL_H_
