// Whether a file in the journal format of RocksDB is whole, byte for byte.
//
// RocksDB writes its write-ahead logs (*.log) and its MANIFEST in this format: blocks of 32 KiB,
// in them pieces of records, each with its checksum (CRC-32C), its length and its type. When it
// reads one it drops what is damaged at the end without a word, as it must after a crash. Who wants
// to know looks here. Functions without state; use them from any thread.
#ifndef QMARKET_EVENTS_ROCKSDB_JOURNAL_H_
#define QMARKET_EVENTS_ROCKSDB_JOURNAL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace qmarket {

struct JournalDamage {
  std::uint64_t position = 0;  // in the file, of the piece that is damaged
  std::string what;            // "the checksum ... is wrong"
  // The file ends within a record: a writer that was stopped while it wrote leaves this, and a
  // live one for a moment.
  bool torn = false;
};

struct JournalCheck {
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
  std::optional<JournalDamage> damage{};  // the first
};

// `bytes` is all of the file; `number` the one in its name, which some pieces repeat. `take` is
// given every record before the damage.
[[nodiscard]] JournalCheck CheckJournal(
    absl::string_view bytes, std::uint64_t number,
    absl::FunctionRef<void(absl::string_view record)> take = [](absl::string_view) {});

}  // namespace qmarket

#endif  // QMARKET_EVENTS_ROCKSDB_JOURNAL_H_
