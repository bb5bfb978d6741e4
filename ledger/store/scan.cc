#include "ledger/store/scan.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"

#include "events/rocksdb_status.h"
#include "events/units.h"
#include "ledger/store/bytes.h"
#include "ledger/store/database.h"
#include "ledger/store/format.h"

namespace qmarket {
namespace {

constexpr std::size_t kCacheBytes = std::size_t{8} << 20;
constexpr std::size_t kReadaheadBytes = std::size_t{1} << 20;

std::string HexKey(absl::string_view key) {
  return absl::StrCat("key 0x", absl::BytesToHexString(key));
}

std::unique_ptr<rocksdb::Iterator> NewIterator(rocksdb::DB& db) {
  rocksdb::ReadOptions options;
  options.total_order_seek = true;
  options.fill_cache = false;
  options.readahead_size = kReadaheadBytes;
  return std::unique_ptr<rocksdb::Iterator>(db.NewIterator(options));
}

}  // namespace

const char* StoreTableName(StoreTable table) {
  switch (table) {
    case StoreTable::kBalances:
      return "balances";
    case StoreTable::kDigests:
      return "digests";
    case StoreTable::kIndex:
      return "index";
    case StoreTable::kJournal:
      return "journal";
    case StoreTable::kOutcomes:
      return "outcomes";
    case StoreTable::kRecords:
      return "record hashes";
    case StoreTable::kTimes:
      return "offsets by time";
    case StoreTable::kOffsetTimes:
      return "effective times";
  }
  return "unknown";
}

struct StoreCursor::Impl {
  StoreTable table;
  std::unique_ptr<rocksdb::Iterator> iterator;
  std::vector<store_format::Entry> entries{};  // of the block it is at
  std::size_t at = 0;
  std::string series{};
  std::optional<std::uint64_t> before{};  // the position of the entry before, in this series
  std::vector<StoreDamage> damages{};

  [[nodiscard]] bool InTable() const {
    return iterator->Valid() && !iterator->key().empty() &&
           iterator->key()[0] == static_cast<char>(table);
  }

  // Reads the block that the iterator is at, or the next one that can be read.
  void ReadBlock() {
    entries.clear();
    at = 0;
    for (; InTable(); iterator->Next()) {
      const absl::string_view key = store_format::ViewOf(iterator->key());
      if (key.size() < 1 + store_format::kPositionBytes) {
        Damaged(key, "a key of a series is too short");
        continue;
      }
      absl::StatusOr<std::vector<store_format::Entry>> read =
          store_format::DecodeBlock(key, store_format::ViewOf(iterator->value()));
      if (!read.ok()) {
        Damaged(key, read.status().message());
        continue;
      }
      entries = *std::move(read);
      StartBlock(key);
      return;
    }
    if (!iterator->status().ok()) {
      damages.push_back({.object = StoreTableName(table), .what = iterator->status().ToString()});
    }
  }

  void StartBlock(absl::string_view key) {
    const absl::string_view now = key.substr(1, key.size() - 1 - store_format::kPositionBytes);
    if (now != series) {
      series = std::string(now);
      before.reset();
    }
    // Only an effective time may stand at the end of one commit and at the head of the next.
    const bool may_repeat = table == StoreTable::kTimes;
    for (const store_format::Entry& entry : entries) {
      if (before.has_value() &&
          (entry.position < *before || (entry.position == *before && !may_repeat))) {
        Damaged(key, absl::StrCat("position ", entry.position, " comes after ", *before));
      }
      before = entry.position;
    }
  }

  void Damaged(absl::string_view key, absl::string_view what) {
    damages.push_back({.object = absl::StrCat(StoreTableName(table), ", ", HexKey(key)),
                       .what = std::string(what)});
  }
};

StoreCursor::StoreCursor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

StoreCursor::StoreCursor(StoreCursor&&) noexcept = default;
StoreCursor& StoreCursor::operator=(StoreCursor&&) noexcept = default;
StoreCursor::~StoreCursor() = default;

bool StoreCursor::valid() const {
  return impl_->at < impl_->entries.size();
}

absl::string_view StoreCursor::series() const {
  return impl_->series;
}

std::uint64_t StoreCursor::position() const {
  return impl_->entries[impl_->at].position;
}

absl::string_view StoreCursor::value() const {
  return impl_->entries[impl_->at].value;
}

void StoreCursor::Next() {
  if (++impl_->at < impl_->entries.size()) return;
  impl_->iterator->Next();
  impl_->ReadBlock();
}

const std::vector<StoreDamage>& StoreCursor::damages() const {
  return impl_->damages;
}

struct StoreScan::Impl {
  std::unique_ptr<rocksdb::DB> db;
  StoreState state{};
  std::vector<std::string> currencies{};
  std::vector<NewAccount> accounts{};
};

namespace {

// Walks the keys that are in no series.
class KeyCheck {
 public:
  KeyCheck(rocksdb::DB& db, const std::vector<std::string>& currencies,
           const std::vector<NewAccount>& accounts)
      : iterator_(NewIterator(db)), currencies_(currencies), accounts_(accounts) {}

  StoreScan::Keys Run() {
    constexpr absl::string_view kSeries = "BDIJORTU";
    iterator_->SeekToFirst();
    while (iterator_->Valid()) {
      const absl::string_view key = store_format::ViewOf(iterator_->key());
      const char table = key.empty() ? '\0' : key[0];
      if (absl::StrContains(kSeries, table)) {
        iterator_->Seek(std::string(1, static_cast<char>(table + 1)));
        continue;
      }
      ++found_.keys;
      ++tables_[table];
      CheckKey(table, key, store_format::ViewOf(iterator_->value()));
      iterator_->Next();
    }
    if (!iterator_->status().ok()) Damaged("", iterator_->status().ToString());
    if (tables_['N'] != accounts_.size()) {
      Damaged("", absl::StrCat("it has ", accounts_.size(), " accounts, and ", tables_['N'],
                               " of them are found by their name"));
    }
    return std::move(found_);
  }

 private:
  void CheckKey(char table, absl::string_view key, absl::string_view value) {
    store_format::ByteReader reader(key.substr(std::min<std::size_t>(1, key.size())));
    switch (table) {
      case 'F':
      case 'S':
        if (key.size() != 1) Damaged(key, "no key of a store");
        break;
      case 'C':
      case 'A': {
        const std::uint32_t id = reader.Fixed32();
        const std::size_t count = table == 'C' ? currencies_.size() : accounts_.size();
        if (!reader.finished() || id >= count) {
          Damaged(key, absl::StrCat("it has ", count, table == 'C' ? " currencies" : " accounts",
                                    ", and this is none of them"));
        }
        break;
      }
      case 'N': {
        const absl::StatusOr<AccountId> id = store_format::DecodeAccountId(value);
        const bool known = id.ok() && id->index() < accounts_.size();
        if (!known || key != store_format::AccountNameKey(accounts_[id->index()].name,
                                                          accounts_[id->index()].currency)) {
          Damaged(key, "it does not lead to the account of this name");
        }
        break;
      }
      default:
        Damaged(key, "there is no such table");
    }
  }

  void Damaged(absl::string_view key, std::string what) {
    found_.damages.push_back(
        {.object = key.empty() ? "accounts" : HexKey(key), .what = std::move(what)});
  }

  std::unique_ptr<rocksdb::Iterator> iterator_;
  const std::vector<std::string>& currencies_;
  const std::vector<NewAccount>& accounts_;
  std::map<char, std::size_t> tables_;
  StoreScan::Keys found_;
};

}  // namespace

StoreScan::StoreScan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

StoreScan::~StoreScan() = default;

absl::StatusOr<std::unique_ptr<StoreScan>> StoreScan::Open(const std::string& dir) {
  absl::StatusOr<std::unique_ptr<rocksdb::DB>> db = store_format::OpenForReading(dir, kCacheBytes);
  if (!db.ok()) return db.status();
  auto impl = std::make_unique<Impl>();
  impl->db = *std::move(db);
  const absl::StatusOr<std::string> bytes =
      store_format::MustLookup(*impl->db, store_format::StateKey(), "the state");
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<StoreState> state = store_format::DecodeState(*bytes);
  if (!state.ok()) return state.status();
  impl->state = *std::move(state);
  for (std::uint32_t i = 0; i < impl->state.currencies; ++i) {
    absl::StatusOr<std::string> name =
        store_format::MustLookup(*impl->db, store_format::CurrencyKey(CurrencyId(i)),
                                 absl::StrCat("the currency with id ", i));
    if (!name.ok()) return name.status();
    impl->currencies.push_back(*std::move(name));
  }
  for (std::uint32_t i = 0; i < impl->state.accounts; ++i) {
    const absl::StatusOr<std::string> stored = store_format::MustLookup(
        *impl->db, store_format::AccountKey(AccountId(i)), absl::StrCat("the account with id ", i));
    if (!stored.ok()) return stored.status();
    absl::StatusOr<NewAccount> account = store_format::DecodeAccount(*stored);
    if (!account.ok()) return account.status();
    if (account->currency.index() >= impl->state.currencies) {
      return absl::DataLossError(absl::StrCat("the ledger's store is damaged: account ",
                                              account->name, " has an unknown currency"));
    }
    impl->accounts.push_back(*std::move(account));
  }
  return std::unique_ptr<StoreScan>(new StoreScan(std::move(impl)));
}

const StoreState& StoreScan::state() const {
  return impl_->state;
}

const std::vector<std::string>& StoreScan::currencies() const {
  return impl_->currencies;
}

const std::vector<NewAccount>& StoreScan::accounts() const {
  return impl_->accounts;
}

StoreScan::Keys StoreScan::CheckKeys() const {
  return KeyCheck(*impl_->db, impl_->currencies, impl_->accounts).Run();
}

StoreCursor StoreScan::Read(StoreTable table) const {
  auto impl = std::make_unique<StoreCursor::Impl>(
      StoreCursor::Impl{.table = table, .iterator = NewIterator(*impl_->db)});
  impl->iterator->Seek(std::string(1, static_cast<char>(table)));
  impl->ReadBlock();
  return StoreCursor(std::move(impl));
}

absl::StatusOr<AccountId> AccountOfSeries(absl::string_view series) {
  return store_format::DecodeAccountId(series);
}

absl::StatusOr<IndexSeries> IndexOfSeries(absl::string_view series) {
  if (series.size() < 2 || series.back() != '\0') {
    return absl::DataLossError(
        absl::StrCat("the series 0x", absl::BytesToHexString(series), " is none of the index"));
  }
  return IndexSeries{.kind = static_cast<std::uint8_t>(series.front()),
                     .name = series.substr(1, series.size() - 2)};
}

absl::StatusOr<std::vector<Posting>> StoredPostings(absl::string_view value) {
  return store_format::DecodePostings(value);
}

absl::StatusOr<Int128> StoredBalance(absl::string_view value) {
  return store_format::DecodeBalance(value);
}

absl::StatusOr<Fingerprint> StoredFingerprint(absl::string_view value) {
  return store_format::DecodeFingerprint(value);
}

absl::StatusOr<std::uint64_t> StoredNumber(absl::string_view value) {
  return store_format::DecodeNumber(value);
}

}  // namespace qmarket
