// Which table files a RocksDB database consists of, and what their bytes must be, as its MANIFEST
// says.
//
// RocksDB itself says so only once it has opened the tables, and its assertions end the process
// where their bytes are not of the form that it expects. This is for looking before. Only the parts
// of the format are known that a database with one column family has. Functions without state; use
// them from any thread.
#ifndef QMARKET_EVENTS_ROCKSDB_MANIFEST_H_
#define QMARKET_EVENTS_ROCKSDB_MANIFEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace qmarket {

struct TableFile {
  std::uint64_t number = 0;  // its name is that in six digits or more, and .sst
  std::uint64_t bytes = 0;
  std::string checksum{};       // of the whole file; empty: there is none
  std::string checksum_name{};  // how it was made
};

// By number. `bytes` is all of the MANIFEST, which was found whole (rocksdb_journal.h). None where
// it has something that is not known here.
[[nodiscard]] std::optional<std::vector<TableFile>> TablesOfManifest(absl::string_view bytes);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_ROCKSDB_MANIFEST_H_
