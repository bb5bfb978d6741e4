// Opens the store's database. Private to the store: it speaks RocksDB.
#ifndef QMARKET_LEDGER_STORE_DATABASE_H_
#define QMARKET_LEDGER_STORE_DATABASE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "rocksdb/db.h"
#include "rocksdb/slice.h"

namespace qmarket::store_format {

// Made where there is none.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForWriting(const std::string& dir,
                                                            std::size_t cache_bytes);

// As it is now, whether a writer has it open or not. NotFound where there is none.
absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenForReading(const std::string& dir,
                                                            std::size_t cache_bytes);

// Why something could not be read; of damage, what to do about it too.
[[nodiscard]] absl::Status ReadingError(const rocksdb::Status& status);

[[nodiscard]] bool IsEmpty(rocksdb::DB& db);

// The value under a key, if there is one.
absl::StatusOr<std::optional<std::string>> Lookup(rocksdb::DB& db, absl::string_view key);

// The value under a key that must be there; DataLoss, which says that `what` is missing, where it
// is not.
absl::StatusOr<std::string> MustLookup(rocksdb::DB& db, absl::string_view key,
                                       absl::string_view what);

[[nodiscard]] inline absl::string_view ViewOf(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

}  // namespace qmarket::store_format

#endif  // QMARKET_LEDGER_STORE_DATABASE_H_
