#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"

#include "events/fingerprint.h"
#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/database.h"
#include "ledger/store/format.h"
#include "ledger/store/series.h"
#include "ledger/store/state.h"
#include "ledger/store/store.h"
#include "ledger/store/store_impl.h"

namespace qmarket {
namespace {

using store_format::OwnedEntry;
using store_format::SeriesReader;

absl::StatusOr<StoredAccount> ReadAccount(rocksdb::DB& db, AccountId id) {
  const absl::StatusOr<std::string> bytes = store_format::MustLookup(
      db, store_format::AccountKey(id), absl::StrCat("the account with id ", id.index()));
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<NewAccount> account = store_format::DecodeAccount(*bytes);
  if (!account.ok()) return account.status();
  return StoredAccount{.id = id,
                       .name = std::move(account->name),
                       .currency = account->currency,
                       .floor = account->floor};
}

// Scans a series, decoding its values; stops at the first that cannot be.
template <typename Decoded>
absl::Status ScanDecoded(rocksdb::DB& db, absl::string_view prefix, OffsetRange range,
                         absl::FunctionRef<absl::StatusOr<Decoded>(absl::string_view)> decode,
                         absl::FunctionRef<bool(std::uint64_t, const Decoded&)> take) {
  absl::Status damage;
  const absl::Status scanned = SeriesReader(db).Scan(
      prefix, range.from, range.to, [&](std::uint64_t offset, absl::string_view bytes) {
        const absl::StatusOr<Decoded> decoded = decode(bytes);
        if (!decoded.ok()) damage = decoded.status();
        return decoded.ok() && take(offset, *decoded);
      });
  return scanned.ok() ? damage : scanned;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> LedgerStore::Currencies() const {
  const std::uint32_t count = state().currencies;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    absl::StatusOr<std::string> name =
        store_format::MustLookup(*impl_->db, store_format::CurrencyKey(CurrencyId(i)),
                                 absl::StrCat("the currency with id ", i));
    if (!name.ok()) return name.status();
    names.push_back(*std::move(name));
  }
  return names;
}

absl::StatusOr<std::vector<StoredAccount>> LedgerStore::Accounts() const {
  const StoreState now = state();
  std::vector<StoredAccount> accounts;
  accounts.reserve(now.accounts);
  for (std::uint32_t i = 0; i < now.accounts; ++i) {
    absl::StatusOr<StoredAccount> account = ReadAccount(*impl_->db, AccountId(i));
    if (!account.ok()) return account.status();
    if (account->currency.index() >= now.currencies) {
      return absl::DataLossError(absl::StrCat("the ledger's store is damaged: account ",
                                              account->name, " has an unknown currency"));
    }
    accounts.push_back(*std::move(account));
  }
  return accounts;
}

absl::StatusOr<std::vector<StoredAccount>> LedgerStore::FindAccounts(absl::string_view name) const {
  const std::string prefix = store_format::AccountNamePrefix(name);
  const std::unique_ptr<rocksdb::Iterator> iterator(impl_->db->NewIterator(rocksdb::ReadOptions()));
  std::vector<StoredAccount> accounts;
  for (iterator->Seek(prefix); iterator->Valid() && iterator->key().starts_with(prefix);
       iterator->Next()) {
    const rocksdb::Slice value = iterator->value();
    const absl::StatusOr<AccountId> id =
        store_format::DecodeAccountId({value.data(), value.size()});
    if (!id.ok()) return id.status();
    absl::StatusOr<StoredAccount> account = ReadAccount(*impl_->db, *id);
    if (!account.ok()) return account.status();
    accounts.push_back(*std::move(account));
  }
  if (!iterator->status().ok()) return store_format::ReadingError(iterator->status());
  return accounts;
}

absl::StatusOr<Int128> LedgerStore::BalanceAt(AccountId account, std::uint64_t offset) const {
  const absl::StatusOr<std::optional<OwnedEntry>> entry =
      SeriesReader(*impl_->db).At(store_format::BalancePrefix(account), offset);
  if (!entry.ok()) return entry.status();
  if (!entry->has_value()) return Int128{0};
  return store_format::DecodeBalance((*entry)->value);
}

absl::Status LedgerStore::BalanceHistory(AccountId account, OffsetRange range,
                                         absl::FunctionRef<bool(const BalancePoint&)> take) const {
  return ScanDecoded<Int128>(*impl_->db, store_format::BalancePrefix(account), range,
                             store_format::DecodeBalance,
                             [take](std::uint64_t offset, const Int128& balance) {
                               return take({.offset = offset, .balance = balance});
                             });
}

absl::StatusOr<std::optional<std::uint64_t>> LedgerStore::OffsetAt(std::int64_t time_ms) const {
  if (time_ms < 0) return std::nullopt;
  const absl::StatusOr<std::optional<OwnedEntry>> entry =
      SeriesReader(*impl_->db).At(store_format::TimePrefix(), static_cast<std::uint64_t>(time_ms));
  if (!entry.ok()) return entry.status();
  if (!entry->has_value()) return std::nullopt;
  const absl::StatusOr<std::uint64_t> offset = store_format::DecodeNumber((*entry)->value);
  if (!offset.ok()) return offset.status();
  return *offset;
}

absl::StatusOr<std::optional<std::int64_t>> LedgerStore::TimeAt(std::uint64_t offset) const {
  const absl::StatusOr<std::optional<OwnedEntry>> entry =
      SeriesReader(*impl_->db).At(store_format::OffsetTimePrefix(), offset);
  if (!entry.ok()) return entry.status();
  if (!entry->has_value()) return std::nullopt;
  const absl::StatusOr<std::uint64_t> time = store_format::DecodeNumber((*entry)->value);
  if (!time.ok()) return time.status();
  return static_cast<std::int64_t>(*time);
}

absl::Status LedgerStore::Journal(
    OffsetRange range,
    absl::FunctionRef<bool(std::uint64_t, absl::Span<const Posting>)> take) const {
  return ScanDecoded<std::vector<Posting>>(
      *impl_->db, store_format::JournalPrefix(), range, store_format::DecodePostings,
      [take](std::uint64_t offset, const std::vector<Posting>& postings) {
        return take(offset, postings);
      });
}

absl::Status LedgerStore::Outcomes(
    OffsetRange range, absl::FunctionRef<bool(std::uint64_t, absl::string_view)> take) const {
  return SeriesReader(*impl_->db).Scan(store_format::OutcomePrefix(), range.from, range.to, take);
}

absl::Status LedgerStore::RecordHashes(
    OffsetRange range, absl::FunctionRef<bool(std::uint64_t, const Fingerprint&)> take) const {
  return ScanDecoded<Fingerprint>(*impl_->db, store_format::RecordPrefix(), range,
                                  store_format::DecodeFingerprint, take);
}

absl::Status LedgerStore::Digests(
    OffsetRange range, absl::FunctionRef<bool(std::uint64_t, const Digest&)> take) const {
  return ScanDecoded<Digest>(*impl_->db, store_format::DigestPrefix(), range,
                             store_format::DecodeDigest, take);
}

absl::StatusOr<std::optional<StoredDigest>> LedgerStore::DigestAt(std::uint64_t offset) const {
  const absl::StatusOr<std::optional<OwnedEntry>> entry =
      SeriesReader(*impl_->db).At(store_format::DigestPrefix(), offset);
  if (!entry.ok()) return entry.status();
  if (!entry->has_value()) return std::nullopt;
  const absl::StatusOr<Digest> digest = store_format::DecodeDigest((*entry)->value);
  if (!digest.ok()) return digest.status();
  return StoredDigest{.offset = (*entry)->position, .digest = *digest};
}

absl::StatusOr<std::optional<IndexHit>> LedgerStore::IndexAt(std::uint8_t kind,
                                                             absl::string_view name,
                                                             std::uint64_t offset) const {
  absl::StatusOr<std::optional<OwnedEntry>> entry =
      SeriesReader(*impl_->db).At(store_format::IndexPrefix(kind, name), offset);
  if (!entry.ok()) return entry.status();
  if (!entry->has_value()) return std::nullopt;
  return IndexHit{.offset = (*entry)->position, .value = std::move((*entry)->value)};
}

absl::Status LedgerStore::IndexHistory(
    std::uint8_t kind, absl::string_view name, OffsetRange range,
    absl::FunctionRef<bool(std::uint64_t, absl::string_view)> take) const {
  return SeriesReader(*impl_->db)
      .Scan(store_format::IndexPrefix(kind, name), range.from, range.to, take);
}

absl::StatusOr<std::vector<std::string>> LedgerStore::IndexNames(std::uint8_t kind) const {
  std::vector<std::string> names;
  const absl::Status status =
      SeriesReader(*impl_->db)
          .Names(store_format::IndexKindPrefix(kind), [&](absl::string_view name) {
            names.emplace_back(name);
            return true;
          });
  if (!status.ok()) return status;
  return names;
}

}  // namespace qmarket
