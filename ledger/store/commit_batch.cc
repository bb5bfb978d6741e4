#include "ledger/store/commit_batch.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/string_view.h"
#include "rocksdb/slice.h"
#include "rocksdb/write_batch.h"

#include "events/check.h"
#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/format.h"
#include "ledger/store/state.h"

namespace qmarket::store_format {
namespace {

// A block is closed once it has so many bytes: few enough to read one quickly, many enough that a
// key and a checksum a block do not count.
constexpr std::size_t kBlockBytes = std::size_t{16} << 10;

// The batch is built in memory, so its writes cannot fail short of running out of it.
void Put(rocksdb::WriteBatch& batch, absl::string_view key, absl::string_view value) {
  QM_CHECK(
      batch.Put(rocksdb::Slice(key.data(), key.size()), rocksdb::Slice(value.data(), value.size()))
          .ok(),
      "a write batch refuses an entry");
}

// Adds the entries of one series to a batch, in as many blocks as needed.
class SeriesWriter {
 public:
  SeriesWriter(rocksdb::WriteBatch& batch, std::string prefix)
      : batch_(batch), prefix_(std::move(prefix)) {}

  void Add(std::uint64_t position, absl::string_view value) {
    block_.Add(position, value);
    if (block_.size() >= kBlockBytes) Flush();
  }

  void Flush() {
    if (block_.empty()) return;
    const BlockBuilder::Block block = block_.Finish(prefix_);
    Put(batch_, block.key, block.value);
  }

 private:
  rocksdb::WriteBatch& batch_;
  std::string prefix_;
  BlockBuilder block_;
};

void CheckFollows(const LedgerCommit& commit, const StoreState& before) {
  QM_CHECK(commit.next_offset > before.next_offset, "the next offset of a commit must grow");
  QM_CHECK(commit.last_offset >= before.next_offset && commit.last_offset < commit.next_offset,
           "a commit's last offset is not one of its own");
  std::uint64_t from = before.next_offset;
  for (const StepEffects& step : commit.steps) {
    QM_CHECK(step.offset >= from && step.offset < commit.next_offset,
             "the offsets of a commit must grow, within it");
    from = step.offset + 1;
  }
}

void AddAccounts(const LedgerCommit& commit, Book& book, rocksdb::WriteBatch& batch) {
  for (const std::string& name : commit.new_currencies) {
    Put(batch, CurrencyKey(book.AddCurrency(name)), name);
  }
  for (const NewAccount& account : commit.new_accounts) {
    QM_CHECK(account.name.find('\0') == std::string::npos, "an account's name has a zero byte");
    const AccountId id = book.Open(account.name, account.currency, account.floor);
    Put(batch, AccountKey(id), EncodeAccount(account));
    Put(batch, AccountNameKey(account.name, account.currency), EncodeAccountId(id));
  }
}

// The balance of an account after one of its postings.
struct Change {
  AccountId account;
  std::uint64_t offset = 0;
  Int128 balance = 0;
};

// Posts all, and gives what that does to each account: sorted by account, then offset, one for
// both.
std::vector<Change> PostAll(const LedgerCommit& commit, Book& book) {
  std::vector<Change> changes;
  for (const StepEffects& step : commit.steps) {
    for (const Posting& posting : step.postings) {
      book.Post(posting);
      for (const AccountId account : {posting.from, posting.to}) {
        changes.push_back({account, step.offset, book.Balance(account)});
      }
    }
  }
  static_cast<void>(book.TakePostings());
  std::ranges::stable_sort(
      changes, {}, [](const Change& change) { return std::tuple(change.account, change.offset); });
  // Of several postings of one offset the last one's balance counts.
  std::size_t kept = 0;
  for (const Change& change : changes) {
    const bool same = kept > 0 && changes[kept - 1].account == change.account &&
                      changes[kept - 1].offset == change.offset;
    changes[same ? kept - 1 : kept++] = change;
  }
  changes.resize(kept);
  return changes;
}

// The caller's figures for the accounts that changed, and for no others, are ours.
void CheckBalances(const LedgerCommit& commit, const std::vector<Change>& changes,
                   const Book& book) {
  std::vector<AccountId> claimed;
  claimed.reserve(commit.balances.size());
  for (const AccountBalance& balance : commit.balances) {
    QM_CHECK(balance.account.index() < book.accounts().size(),
             "a commit gives the balance of an unknown account");
    QM_CHECK(book.Balance(balance.account) == balance.balance,
             "a balance differs from what the postings add up to");
    claimed.push_back(balance.account);
  }
  std::ranges::sort(claimed);
  std::vector<AccountId> touched;
  for (const Change& change : changes) {
    if (touched.empty() || touched.back() != change.account) touched.push_back(change.account);
  }
  QM_CHECK(claimed == touched, "a commit's balances are not those of the accounts it touches");
}

void AddBalances(const std::vector<Change>& changes, rocksdb::WriteBatch& batch) {
  std::string value;
  for (std::size_t i = 0; i < changes.size();) {
    const AccountId account = changes[i].account;
    SeriesWriter series(batch, BalancePrefix(account));
    for (; i < changes.size() && changes[i].account == account; ++i) {
      value.clear();
      AppendBalance(value, changes[i].balance);
      series.Add(changes[i].offset, value);
    }
    series.Flush();
  }
}

void AddJournalAndOutcomes(const LedgerCommit& commit, rocksdb::WriteBatch& batch) {
  SeriesWriter journal(batch, JournalPrefix());
  SeriesWriter outcomes(batch, OutcomePrefix());
  std::string value;
  for (const StepEffects& step : commit.steps) {
    if (!step.outcomes.empty()) outcomes.Add(step.offset, step.outcomes);
    if (step.postings.empty()) continue;
    value.clear();
    AppendPostings(value, step.postings);
    journal.Add(step.offset, value);
  }
  journal.Flush();
  outcomes.Flush();
}

// What is proved of the log with: each record's hash, and the digest of all outcomes so far.
void AddHashes(const LedgerCommit& commit, rocksdb::WriteBatch& batch) {
  SeriesWriter records(batch, RecordPrefix());
  for (const StepEffects& step : commit.steps)
    records.Add(step.offset, BytesOf(step.record_hash));
  records.Flush();
  SeriesWriter digests(batch, DigestPrefix());
  digests.Add(commit.last_offset, BytesOf(commit.digest));
  digests.Flush();
}

// Times never fall from offset to offset. Of several offsets at one time the last one is kept;
// where the one of an earlier commit had the same time at the head of its block, that block had no
// other entry, and is replaced.
void AddTimes(const LedgerCommit& commit, rocksdb::WriteBatch& batch) {
  SeriesWriter offsets(batch, TimePrefix());
  SeriesWriter times(batch, OffsetTimePrefix());
  std::string value;
  const StepEffects* last = nullptr;
  const auto add_offset = [&] {
    value.clear();
    AppendNumber(value, last->offset);
    offsets.Add(static_cast<std::uint64_t>(*last->time_ms), value);
  };
  for (const StepEffects& step : commit.steps) {
    if (!step.time_ms.has_value()) continue;
    QM_CHECK(*step.time_ms >= 0, "an effective time before 1970");
    if (last == nullptr || *last->time_ms != *step.time_ms) {
      QM_CHECK(last == nullptr || *last->time_ms < *step.time_ms, "effective times must not fall");
      if (last != nullptr) add_offset();
      value.clear();
      AppendNumber(value, static_cast<std::uint64_t>(*step.time_ms));
      times.Add(step.offset, value);
    }
    last = &step;
  }
  if (last != nullptr) add_offset();
  offsets.Flush();
  times.Flush();
}

void AddIndex(const LedgerCommit& commit, rocksdb::WriteBatch& batch) {
  struct Item {
    std::uint64_t offset;
    const IndexEntry* entry;
  };

  std::vector<Item> items;
  for (const StepEffects& step : commit.steps) {
    for (const IndexEntry& entry : step.index) {
      QM_CHECK(entry.name.find('\0') == std::string::npos, "an indexed name has a zero byte");
      items.push_back({step.offset, &entry});
    }
  }
  std::ranges::stable_sort(items, [](const Item& a, const Item& b) {
    return std::tie(a.entry->kind, a.entry->name) < std::tie(b.entry->kind, b.entry->name);
  });
  for (std::size_t i = 0; i < items.size();) {
    const IndexEntry& head = *items[i].entry;
    SeriesWriter series(batch, IndexPrefix(head.kind, head.name));
    for (;
         i < items.size() && items[i].entry->kind == head.kind && items[i].entry->name == head.name;
         ++i) {
      series.Add(items[i].offset, items[i].entry->value);
    }
    series.Flush();
  }
}

}  // namespace

CommitBatch MakeBatch(const LedgerCommit& commit, const StoreState& before, Book& book) {
  CheckFollows(commit, before);
  CommitBatch made;
  AddAccounts(commit, book, made.batch);
  const std::vector<Change> changes = PostAll(commit, book);
  CheckBalances(commit, changes, book);
  AddBalances(changes, made.batch);
  AddJournalAndOutcomes(commit, made.batch);
  AddHashes(commit, made.batch);
  AddTimes(commit, made.batch);
  AddIndex(commit, made.batch);

  made.state = before;
  made.state.next_offset = commit.next_offset;
  made.state.last_offset = commit.last_offset;
  made.state.last_record_hash = commit.last_record_hash;
  made.state.digest = commit.digest;
  made.state.currencies = static_cast<std::uint32_t>(book.currencies().size());
  made.state.accounts = static_cast<std::uint32_t>(book.accounts().size());
  Put(made.batch, StateKey(), EncodeState(made.state));
  return made;
}

}  // namespace qmarket::store_format
