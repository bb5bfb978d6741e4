// Reads series (format.h) from the database. Private to the store: it speaks RocksDB.
#ifndef QMARKET_LEDGER_STORE_SERIES_H_
#define QMARKET_LEDGER_STORE_SERIES_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"

namespace qmarket::store_format {

struct OwnedEntry {
  std::uint64_t position = 0;
  std::string value;
};

// Looks into one state of the database: that of its making. Not thread-safe.
class SeriesReader {
 public:
  // `db` outlives the reader.
  explicit SeriesReader(rocksdb::DB& db);

  // The entry in force at `position`: the last one at or before it.
  absl::StatusOr<std::optional<OwnedEntry>> At(absl::string_view prefix, std::uint64_t position);

  // Calls `take` for the entries from position `from` up to and including `to`, in order, until it
  // returns false.
  absl::Status Scan(absl::string_view prefix, std::uint64_t from, std::uint64_t to,
                    absl::FunctionRef<bool(std::uint64_t, absl::string_view)> take);

  // Calls `take` with the rest of each different series prefix that begins with `prefix`, in byte
  // order, until it returns false. The series' names end with a zero byte, which is left off.
  absl::Status Names(absl::string_view prefix, absl::FunctionRef<bool(absl::string_view)> take);

 private:
  [[nodiscard]] bool AtBlockOf(absl::string_view prefix) const;

  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace qmarket::store_format

#endif  // QMARKET_LEDGER_STORE_SERIES_H_
