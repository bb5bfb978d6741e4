// What the ledger's store takes in one atomic commit, as plain values.
//
// Units are part of the names. The store writes it all or none of it.
#ifndef QMARKET_LEDGER_STORE_COMMIT_H_
#define QMARKET_LEDGER_STORE_COMMIT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/fingerprint.h"
#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"

namespace qmarket {

// Something to be found again under a name: `value` was so at the step's offset, for the thing
// `name` of the caller's kind `kind`. Names have no zero byte. One (kind, name) once a step.
struct IndexEntry {
  std::uint8_t kind = 0;
  std::string name{};
  std::string value{};

  friend bool operator==(const IndexEntry&, const IndexEntry&) = default;
};

// What one input offset led to.
struct StepEffects {
  std::uint64_t offset = 0;
  Fingerprint record_hash{};              // of the record at the offset
  std::optional<std::int64_t> time_ms{};  // effective; none where the event changed nothing
  std::vector<Posting> postings{};
  std::string outcomes{};  // canonical bytes (outcome_codec.h); empty where there are none
  std::vector<IndexEntry> index{};
};

struct NewAccount {
  std::string name{};
  CurrencyId currency{};
  Floor floor = Floor::kNone;
};

struct AccountBalance {
  AccountId account{};
  Int128 balance = 0;
};

// The effects of all records from the store's next offset up to `next_offset`.
struct LedgerCommit {
  std::uint64_t next_offset = 0;            // where the log is read on
  std::uint64_t last_offset = 0;            // of the last record applied, below next_offset
  Digest last_record_hash{};                // of that record
  Digest digest{};                          // of the chain after it
  std::vector<std::string> new_currencies;  // their ids go on from those that are stored
  std::vector<NewAccount> new_accounts;     // likewise
  std::vector<StepEffects> steps;           // of every record, by offset
  // Of every account that the steps touch, after them: the caller's figures, which the store holds
  // against its own.
  std::vector<AccountBalance> balances;
};

}  // namespace qmarket

#endif  // QMARKET_LEDGER_STORE_COMMIT_H_
