#include "ledger/store/store.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/write_batch.h"

#include "events/check.h"
#include "events/durable_mark.h"
#include "events/event_log.h"
#include "events/rocksdb_status.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/commit_batch.h"
#include "ledger/store/database.h"
#include "ledger/store/format.h"
#include "ledger/store/series.h"
#include "ledger/store/state.h"
#include "ledger/store/store_impl.h"

namespace qmarket {
namespace {

using store_format::Lookup;

std::string InStore(absl::string_view dir) {
  return absl::StrCat("ledger store ", dir);
}

absl::Status WrongStore(absl::string_view dir, absl::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(InStore(dir), ": ", why));
}

// Writes what makes an empty database a store.
absl::Status Initialise(rocksdb::DB& db, const std::string& dir,
                        const LedgerStore::Options& options) {
  const StoreState state = {.log_identity = options.log_identity,
                            .rules_version = options.rules_version};
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.Put(store_format::FormatKey(),
                                     store_format::EncodeVersion(store_format::kFormatVersion));
  if (status.ok()) status = batch.Put(store_format::StateKey(), store_format::EncodeState(state));
  rocksdb::WriteOptions write;
  write.sync = true;
  if (status.ok()) status = db.Write(write, &batch);
  return FromRocksdb(status, InStore(dir));
}

// The formats before this one are not read any more: the log makes the store again.
constexpr char kMakeAgain[] =
    ": move the store away, and `qmarket run --once` makes it again from the log";

absl::StatusOr<StoreState> ReadState(rocksdb::DB& db, const std::string& dir) {
  const absl::StatusOr<std::optional<std::string>> format = Lookup(db, store_format::FormatKey());
  if (!format.ok()) return format.status();
  if (!format->has_value() && store_format::IsEmpty(db)) {
    return absl::NotFoundError(absl::StrCat(InStore(dir), ": it is only being made"));
  }
  if (!format->has_value()) return WrongStore(dir, "a database, but no ledger store");
  const absl::StatusOr<std::uint32_t> version = store_format::DecodeVersion(**format);
  if (!version.ok()) return version.status();
  if (*version > store_format::kFormatVersion) {
    return WrongStore(
        dir, absl::StrCat("it has format ", *version, ", and this program knows formats up to ",
                          store_format::kFormatVersion, ": use a newer qmarket"));
  }
  if (*version < store_format::kFormatVersion) {
    return WrongStore(dir, absl::StrCat("it has format ", *version, ", and this program needs ",
                                        store_format::kFormatVersion, kMakeAgain));
  }
  const absl::StatusOr<std::optional<std::string>> state = Lookup(db, store_format::StateKey());
  if (!state.ok()) return state.status();
  if (!state->has_value()) {
    return absl::DataLossError(absl::StrCat(InStore(dir), ": its state is missing"));
  }
  return store_format::DecodeState(**state);
}

absl::Status CheckBelongs(const StoreState& state, const std::string& dir,
                          const LedgerStore::Options& options) {
  if (!options.log_identity.empty() && options.log_identity != state.log_identity) {
    return WrongStore(dir, absl::StrCat("it was made from log ", state.log_identity,
                                        ", and the log here is ", options.log_identity,
                                        ": use another folder, or move the "
                                        "store away to have it made again from this log"));
  }
  if (options.rules_version != 0 && options.rules_version < state.rules_version) {
    return WrongStore(
        dir, absl::StrCat("it was made by a program with version ", state.rules_version,
                          " of the market's rules, and this one has ", options.rules_version,
                          ": use a newer qmarket"));
  }
  return absl::OkStatus();
}

std::string MarkPath(const std::string& dir) {
  return dir + "/DURABLE";
}

absl::Status LostError(const std::string& dir, const OffsetRange& lost) {
  return absl::DataLossError(absl::StrCat(
      InStore(dir), ": it has lost what it had recorded durably of the offsets from ", lost.from,
      " to ", lost.to, ": its files are damaged. `qmarket run` makes that again from the log"));
}

// Rebuilds the book and checks it: what was true when it was written is true when it is read.
absl::StatusOr<Book> ReadBook(const LedgerStore& store, const std::string& dir) {
  Book book;
  const absl::StatusOr<std::vector<std::string>> currencies = store.Currencies();
  if (!currencies.ok()) return currencies.status();
  for (const std::string& name : *currencies)
    book.AddCurrency(name);
  const absl::StatusOr<std::vector<StoredAccount>> accounts = store.Accounts();
  if (!accounts.ok()) return accounts.status();
  std::vector<Int128> sums(currencies->size());
  for (const StoredAccount& account : *accounts) {
    const absl::StatusOr<Int128> balance =
        store.BalanceAt(account.id, std::numeric_limits<std::uint64_t>::max());
    if (!balance.ok()) return balance.status();
    if (account.floor == Floor::kZero && *balance < 0) {
      return absl::DataLossError(absl::StrCat(InStore(dir), ": account ", account.name, " has ",
                                              ToString(*balance), " micro-credits, below zero"));
    }
    sums[account.currency.index()] += *balance;
    book.Restore({.name = account.name,
                  .currency = account.currency,
                  .floor = account.floor,
                  .balance = *balance});
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    return absl::DataLossError(absl::StrCat(InStore(dir), ": the balances of currency \"",
                                            (*currencies)[i], "\" add up to ", ToString(sums[i]),
                                            " micro-credits, not to zero"));
  }
  return book;
}

}  // namespace

LedgerStore::LedgerStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

LedgerStore::~LedgerStore() = default;

absl::StatusOr<std::unique_ptr<LedgerStore>> LedgerStore::Open(const std::string& dir, Mode mode,
                                                               const Options& options) {
  const bool writes = mode == Mode::kReadWrite;
  QM_CHECK(!writes || (!options.log_identity.empty() && options.rules_version != 0),
           "a writer must say which log and which rules the store is for");
  auto impl = std::make_unique<Impl>();
  impl->dir = dir;
  impl->mode = mode;
  // Read before the store is, so that a writer can only have made it too small since.
  const absl::StatusOr<std::uint64_t> durable = DurableMark::Read(MarkPath(dir));
  if (!durable.ok()) return durable.status();
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db =
      writes ? store_format::OpenForWriting(dir, options.cache_bytes)
             : store_format::OpenForReading(dir, options.cache_bytes);
  if (!db.ok()) return db.status();
  impl->db = *std::move(db);
  if (writes && store_format::IsEmpty(*impl->db)) {
    absl::Status status = Initialise(*impl->db, dir, options);
    if (!status.ok()) return status;
  }
  absl::StatusOr<StoreState> state = ReadState(*impl->db, dir);
  if (!state.ok()) return state.status();
  absl::Status belongs = CheckBelongs(*state, dir, options);
  if (!belongs.ok()) return belongs;
  impl->state = *std::move(state);
  if (writes) impl->state.rules_version = options.rules_version;
  if (impl->state.next_offset < *durable) {
    impl->lost = OffsetRange{.from = impl->state.next_offset, .to = *durable - 1};
    if (!writes) return LostError(dir, *impl->lost);
  }
  if (writes) {
    absl::StatusOr<DurableMark> mark = DurableMark::Open(MarkPath(dir));
    if (!mark.ok()) return mark.status();
    impl->mark = *std::move(mark);
  }
  std::unique_ptr<LedgerStore> store(new LedgerStore(std::move(impl)));
  if (writes) {
    absl::StatusOr<Book> book = ReadBook(*store, dir);
    if (!book.ok()) return book.status();
    store->impl_->book = *std::move(book);
  }
  return store;
}

absl::Status LedgerStore::Commit(const LedgerCommit& commit, EventLog::Durability durability) {
  if (impl_->mode == Mode::kReadOnly) return WrongStore(impl_->dir, "it is open for reading alone");
  if (!impl_->failure.ok()) return impl_->failure;
  store_format::CommitBatch made = store_format::MakeBatch(commit, state(), impl_->book);
  rocksdb::WriteOptions write;
  write.sync = durability == EventLog::Durability::kDurable;
  const rocksdb::Status written = impl_->db->Write(write, &made.batch);
  if (!written.ok()) {
    // The book is ahead of what is stored now, and RocksDB is not to be trusted to go on after a
    // full disk: nothing more is written until the store is opened again.
    impl_->failure = FromRocksdb(written, absl::StrCat(InStore(impl_->dir), ": writing"));
    return impl_->failure;
  }
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->state = std::move(made.state);
  }
  return write.sync ? MarkDurable() : absl::OkStatus();
}

absl::Status LedgerStore::MarkDurable() {
  impl_->failure = impl_->mark->Write(state().next_offset);
  return impl_->failure;
}

absl::Status LedgerStore::Sync() {
  if (impl_->mode == Mode::kReadOnly) return absl::OkStatus();
  if (!impl_->failure.ok()) return impl_->failure;
  impl_->failure =
      FromRocksdb(impl_->db->SyncWAL(), absl::StrCat(InStore(impl_->dir), ": writing"));
  return impl_->failure.ok() ? MarkDurable() : impl_->failure;
}

std::optional<OffsetRange> LedgerStore::lost() const {
  return impl_->lost;
}

const Book& LedgerStore::book() const {
  QM_CHECK(impl_->mode == Mode::kReadWrite, "a reader of the store has no book");
  return impl_->book;
}

StoreState LedgerStore::state() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->state;
}

}  // namespace qmarket
