// Whether the files of a RocksDB database are what was written, byte for byte.
//
//   absl::StatusOr<DatabaseFiles> files = CheckDatabaseFiles("qmarket-data/log");
//
// Read are: every table file (*.sst), against the checksum of the whole file that the MANIFEST has;
// the MANIFEST and the write-ahead logs (*.log), piece by piece (rocksdb_journal.h). What is left
// has no part in what the database holds: OPTIONS-*, LOG*, IDENTITY and LOCK are never read to
// answer a question, and neither are the zeros at the end of a journal's blocks.
//
// No table is interpreted before its bytes were compared. Nothing is written: it works beside a
// writer, whose files may come and go meanwhile. Functions without state; use them from any thread.
#ifndef QMARKET_EVENTS_ROCKSDB_FILES_H_
#define QMARKET_EVENTS_ROCKSDB_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace qmarket {

struct FileDamage {
  std::string file;                         // its name in the folder; empty: the database
  std::optional<std::uint64_t> position{};  // in the file, where it is known
  std::string what;
};

struct DatabaseFiles {
  std::uint64_t files = 0;  // that were read
  std::uint64_t bytes = 0;
  // Tables of an older version of the program, which have no checksum of the whole file: those of
  // their blocks were looked at.
  std::uint64_t without_checksum = 0;
  std::vector<FileDamage> damages;
};

// Errors: NotFound where there is no database; Unavailable where a writer changes it too fast.
[[nodiscard]] absl::StatusOr<DatabaseFiles> CheckDatabaseFiles(const std::string& dir);

// Whether another process has the database open for writing.
[[nodiscard]] bool HasWriter(const std::string& dir);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_ROCKSDB_FILES_H_
