// Everything that lies in a ledger's store, as it lies there: for who checks it (replay/audit).
//
//   absl::StatusOr<std::unique_ptr<StoreScan>> scan = StoreScan::Open("qmarket-data/store");
//   StoreCursor journal = (*scan)->Read(StoreTable::kJournal);
//   for (; journal.valid(); journal.Next()) Use(journal.position(), journal.value());
//
// Unlike the queries of LedgerStore it goes on where something is damaged, and says what. It reads
// one state of the store, that of its opening, and writes nothing; a writer may go on meanwhile.
// Not thread-safe. The tables are described in docs/formats-store.md.
#ifndef QMARKET_LEDGER_STORE_SCAN_H_
#define QMARKET_LEDGER_STORE_SCAN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/fingerprint.h"
#include "events/int128.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/state.h"

namespace qmarket {

// The tables that are series. The value is the letter that their keys begin with.
enum class StoreTable : char {
  kBalances = 'B',     // of an account: offset -> the balance after it
  kDigests = 'D',      // last offset of a commit -> the digest after it
  kIndex = 'I',        // of a thing: offset -> what was so
  kJournal = 'J',      // offset -> its postings
  kOutcomes = 'O',     // offset -> its outcomes, canonical bytes
  kRecords = 'R',      // offset -> the hash of its record
  kTimes = 'T',        // effective time -> the last offset at it
  kOffsetTimes = 'U',  // offset -> its effective time
};

// "journal"
[[nodiscard]] const char* StoreTableName(StoreTable table);

// What is not as a store is.
struct StoreDamage {
  std::string object;  // "journal, key 0x4a..."
  std::string what;
};

// Reads a table from its beginning, entry by entry: series by series, in the order of their keys,
// and by position within each. A block that cannot be read is passed over, and noted.
class StoreCursor {
 public:
  StoreCursor(StoreCursor&&) noexcept;
  StoreCursor& operator=(StoreCursor&&) noexcept;
  StoreCursor(const StoreCursor&) = delete;
  StoreCursor& operator=(const StoreCursor&) = delete;
  ~StoreCursor();

  [[nodiscard]] bool valid() const;

  // Of the entry it is at; the texts are there until Next.
  [[nodiscard]] absl::string_view series() const;  // the bytes between the letter and the position
  [[nodiscard]] std::uint64_t position() const;
  [[nodiscard]] absl::string_view value() const;

  void Next();

  // What was passed over so far.
  [[nodiscard]] const std::vector<StoreDamage>& damages() const;

 private:
  friend class StoreScan;
  struct Impl;

  explicit StoreCursor(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

class StoreScan {
 public:
  // Errors: as LedgerStore::Open, read-only.
  static absl::StatusOr<std::unique_ptr<StoreScan>> Open(const std::string& dir);

  StoreScan(const StoreScan&) = delete;
  StoreScan& operator=(const StoreScan&) = delete;
  ~StoreScan();

  [[nodiscard]] const StoreState& state() const;

  // By id.
  [[nodiscard]] const std::vector<std::string>& currencies() const;
  [[nodiscard]] const std::vector<NewAccount>& accounts() const;

  // Every key that is in no series: the format, the state, the currencies and the accounts, each
  // there once and found by its name; and that there is no other table. `keys`: how many were read.
  struct Keys {
    std::uint64_t keys = 0;
    std::vector<StoreDamage> damages;
  };

  [[nodiscard]] Keys CheckKeys() const;

  // The cursor must not outlive this.
  [[nodiscard]] StoreCursor Read(StoreTable table) const;

 private:
  struct Impl;

  explicit StoreScan(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// The account of a series of balances; the kind and the name of one of the index.
absl::StatusOr<AccountId> AccountOfSeries(absl::string_view series);

struct IndexSeries {
  std::uint8_t kind = 0;
  absl::string_view name;
};

absl::StatusOr<IndexSeries> IndexOfSeries(absl::string_view series);

// The values of the tables.
absl::StatusOr<std::vector<Posting>> StoredPostings(absl::string_view value);
absl::StatusOr<Int128> StoredBalance(absl::string_view value);
absl::StatusOr<Fingerprint> StoredFingerprint(absl::string_view value);
absl::StatusOr<std::uint64_t> StoredNumber(absl::string_view value);

}  // namespace qmarket

#endif  // QMARKET_LEDGER_STORE_SCAN_H_
