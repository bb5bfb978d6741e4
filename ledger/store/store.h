// The ledger on disk: accounts, journal, the balance of every account at every offset, outcomes,
// and an index over them, with the place in the log up to which all this holds.
//
//   absl::StatusOr<std::unique_ptr<LedgerStore>> store = LedgerStore::Open(
//       "qmarket-data/store", LedgerStore::Mode::kReadWrite, {.log_identity = log->Identity(),
//       ...});
//   absl::Status status = (*store)->Commit(commit, EventLog::Durability::kDurable);
//
// A commit is atomic: after a crash the store holds all of it or nothing, and the next offset with
// it. A buffered commit outlives the process, but the machine only from the next durable one on;
// what is lost then is a whole tail of commits. A durable commit that is gone later is noticed at
// the next opening: a reader refuses such a store, a writer goes on where it ends, so that what is
// missing is made again, and says so (lost()). One process writes; any number of others can read
// beside it (kReadOnly): they see the state at their opening.
//
// What is given is checked against what is there: a posting that breaks the book's rules, a balance
// that differs from the caller's, offsets that do not grow are broken invariants and stop the
// process before anything is written (mechanism §6, double entry). A full disk is fatal: Commit
// fails with ResourceExhausted, and so do all later calls; the store is as it was before, and can
// be opened again once there is room.
//
// "At offset n" always means: after the record at n was applied. Amounts are micro-credits, times
// milliseconds since the Unix epoch. Commit is for one thread; the queries are for any thread,
// beside a commit too. Memory is bounded by the cache, the write buffers, and the accounts (a
// writer keeps their names and balances). The format is described in docs/formats-store.md.
#ifndef QMARKET_LEDGER_STORE_STORE_H_
#define QMARKET_LEDGER_STORE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/event_log.h"
#include "events/fingerprint.h"
#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/state.h"

namespace qmarket {

struct StoredAccount {
  AccountId id{};
  std::string name{};
  CurrencyId currency{};
  Floor floor = Floor::kNone;

  friend bool operator==(const StoredAccount&, const StoredAccount&) = default;
};

// The balance of an account from `offset` on.
struct BalancePoint {
  std::uint64_t offset = 0;
  Int128 balance = 0;

  friend bool operator==(const BalancePoint&, const BalancePoint&) = default;
};

struct StoredDigest {
  std::uint64_t offset = 0;
  Digest digest{};

  friend bool operator==(const StoredDigest&, const StoredDigest&) = default;
};

struct IndexHit {
  std::uint64_t offset = 0;
  std::string value{};

  friend bool operator==(const IndexHit&, const IndexHit&) = default;
};

// A stretch of offsets, both ends included.
struct OffsetRange {
  std::uint64_t from = 0;
  std::uint64_t to = UINT64_MAX;
};

class LedgerStore {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  struct Options {
    std::string log_identity{};       // of the log it belongs to; empty, read-only alone: any
    std::uint32_t rules_version = 0;  // of the mechanism; 0, read-only alone: any
    std::size_t cache_bytes = std::size_t{32} << 20;
  };

  // kReadWrite makes the folder and the store where there is none, and checks that the balances of
  // each currency add up to zero. Errors: NotFound, no store there; Unavailable, another process
  // has it open for writing; FailedPrecondition, it has a newer format, belongs to another log or
  // to other rules, or is something else; DataLoss, it is damaged; ResourceExhausted, the disk is
  // full.
  static absl::StatusOr<std::unique_ptr<LedgerStore>> Open(const std::string& dir, Mode mode,
                                                           const Options& options);

  LedgerStore(const LedgerStore&) = delete;
  LedgerStore& operator=(const LedgerStore&) = delete;
  ~LedgerStore();

  // Writes all of the commit. FailedPrecondition on a store opened read-only.
  [[nodiscard]] absl::Status Commit(const LedgerCommit& commit, EventLog::Durability durability);

  // Makes all commits durable.
  [[nodiscard]] absl::Status Sync();

  // Durable commits that were gone at the opening: from the store's next offset then up to below
  // the one it had. For a writer; none where all was there.
  [[nodiscard]] std::optional<OffsetRange> lost() const;

  // All accounts with their balances after the last commit. For the writer, on its thread.
  [[nodiscard]] const Book& book() const;

  // After the last commit (read-only: at the opening).
  [[nodiscard]] StoreState state() const;

  // By id.
  absl::StatusOr<std::vector<std::string>> Currencies() const;
  absl::StatusOr<std::vector<StoredAccount>> Accounts() const;

  // Those of this name, by currency: a name is unique within its currency.
  absl::StatusOr<std::vector<StoredAccount>> FindAccounts(absl::string_view name) const;

  // Zero before its first posting. One seek.
  absl::StatusOr<Int128> BalanceAt(AccountId account, std::uint64_t offset) const;

  // Where it changed, by offset. `take` returns false to stop, here and below.
  [[nodiscard]] absl::Status BalanceHistory(
      AccountId account, OffsetRange range,
      absl::FunctionRef<bool(const BalancePoint&)> take) const;

  // The last offset that took effect at or before the time; none where there is none.
  absl::StatusOr<std::optional<std::uint64_t>> OffsetAt(std::int64_t time_ms) const;

  // The effective time of the last event at or before the offset that changed anything.
  absl::StatusOr<std::optional<std::int64_t>> TimeAt(std::uint64_t offset) const;

  // The postings of each offset that has some.
  [[nodiscard]] absl::Status Journal(
      OffsetRange range,
      absl::FunctionRef<bool(std::uint64_t offset, absl::Span<const Posting>)> take) const;

  // The canonical outcomes of each offset that has some.
  [[nodiscard]] absl::Status Outcomes(
      OffsetRange range,
      absl::FunctionRef<bool(std::uint64_t offset, absl::string_view canonical)> take) const;

  // The hash of each record that was applied, as the caller gave it.
  [[nodiscard]] absl::Status RecordHashes(
      OffsetRange range,
      absl::FunctionRef<bool(std::uint64_t offset, const Fingerprint& hash)> take) const;

  // The digest after each commit, under the commit's last offset; and the last one at or before an
  // offset.
  [[nodiscard]] absl::Status Digests(
      OffsetRange range,
      absl::FunctionRef<bool(std::uint64_t offset, const Digest& digest)> take) const;
  absl::StatusOr<std::optional<StoredDigest>> DigestAt(std::uint64_t offset) const;

  // The index: what was last said of a thing at or before the offset; all that was said of it; and
  // the names of all things of a kind, in byte order.
  absl::StatusOr<std::optional<IndexHit>> IndexAt(std::uint8_t kind, absl::string_view name,
                                                  std::uint64_t offset) const;
  [[nodiscard]] absl::Status IndexHistory(
      std::uint8_t kind, absl::string_view name, OffsetRange range,
      absl::FunctionRef<bool(std::uint64_t offset, absl::string_view value)> take) const;
  absl::StatusOr<std::vector<std::string>> IndexNames(std::uint8_t kind) const;

 private:
  class Impl;

  explicit LedgerStore(std::unique_ptr<Impl> impl);

  [[nodiscard]] absl::Status MarkDurable();

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_LEDGER_STORE_STORE_H_
