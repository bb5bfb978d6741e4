#include "ledger/store/format.h"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/check.h"
#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/bytes.h"
#include "ledger/store/commit.h"
#include "ledger/store/state.h"

namespace qmarket::store_format {
namespace {

constexpr std::size_t kChecksumBytes = 4;

std::string TableKey(char table) {
  return std::string(1, table);
}

std::string TableKey(char table, std::uint32_t id) {
  std::string key(1, table);
  PutFixed32(key, id);
  return key;
}

// CRC-32 over the key and the value, so that a value in the wrong place is noticed too.
std::uint32_t Checksum(absl::string_view key, absl::string_view value) {
  uLong sum = crc32(0, nullptr, 0);
  for (const absl::string_view part : {key, value}) {
    sum = crc32_z(sum, reinterpret_cast<const Bytef*>(part.data()), part.size());
  }
  return static_cast<std::uint32_t>(sum);
}

std::string Sealed(absl::string_view key, std::string value) {
  PutFixed32(value, Checksum(key, value));
  return value;
}

absl::Status Damaged(absl::string_view what) {
  return absl::DataLossError(absl::StrCat("the ledger's store is damaged: ", what));
}

absl::StatusOr<absl::string_view> Unsealed(absl::string_view key, absl::string_view value) {
  if (value.size() >= kChecksumBytes) {
    const absl::string_view body = value.substr(0, value.size() - kChecksumBytes);
    if (ByteReader(value.substr(body.size())).Fixed32() == Checksum(key, body)) return body;
  }
  return Damaged(absl::StrCat("the checksum of the value under key 0x", absl::BytesToHexString(key),
                              " is wrong"));
}

template <typename Hash>
absl::StatusOr<Hash> DecodeHash(absl::string_view bytes) {
  Hash hash{};
  if (bytes.size() != hash.size()) return Damaged("a hash is not of its length");
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

void PutDigest(std::string& out, const Digest& digest) {
  out.append(digest.begin(), digest.end());
}

Digest GetDigest(ByteReader& reader) {
  Digest digest{};
  const absl::string_view bytes = reader.Bytes(digest.size());
  std::copy(bytes.begin(), bytes.end(), digest.begin());
  return digest;
}

}  // namespace

std::string FormatKey() {
  return TableKey('F');
}

std::string StateKey() {
  return TableKey('S');
}

std::string CurrencyKey(CurrencyId id) {
  return TableKey('C', id.index());
}

std::string AccountKey(AccountId id) {
  return TableKey('A', id.index());
}

std::string AccountNamePrefix(absl::string_view name) {
  return absl::StrCat("N", name, absl::string_view("\0", 1));
}

std::string AccountNameKey(absl::string_view name, CurrencyId currency) {
  std::string key = AccountNamePrefix(name);
  PutFixed32(key, currency.index());
  return key;
}

std::string BalancePrefix(AccountId id) {
  return TableKey('B', id.index());
}

std::string JournalPrefix() {
  return TableKey('J');
}

std::string OutcomePrefix() {
  return TableKey('O');
}

std::string TimePrefix() {
  return TableKey('T');
}

std::string OffsetTimePrefix() {
  return TableKey('U');
}

std::string RecordPrefix() {
  return TableKey('R');
}

std::string DigestPrefix() {
  return TableKey('D');
}

std::string IndexKindPrefix(std::uint8_t kind) {
  std::string key(1, 'I');
  key.push_back(static_cast<char>(kind));
  return key;
}

std::string IndexPrefix(std::uint8_t kind, absl::string_view name) {
  return absl::StrCat(IndexKindPrefix(kind), name, absl::string_view("\0", 1));
}

absl::string_view BytesOf(absl::Span<const std::uint8_t> hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

absl::StatusOr<Fingerprint> DecodeFingerprint(absl::string_view bytes) {
  return DecodeHash<Fingerprint>(bytes);
}

absl::StatusOr<Digest> DecodeDigest(absl::string_view bytes) {
  return DecodeHash<Digest>(bytes);
}

std::string EncodeVersion(std::uint32_t version) {
  std::string bytes;
  PutFixed32(bytes, version);
  return bytes;
}

absl::StatusOr<std::uint32_t> DecodeVersion(absl::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint32_t version = reader.Fixed32();
  if (!reader.finished()) return Damaged("the format's version is no number of four bytes");
  return version;
}

std::string EncodeState(const StoreState& state) {
  std::string bytes;
  PutString(bytes, state.log_identity);
  PutVarint(bytes, state.rules_version);
  PutVarint(bytes, state.next_offset);
  PutVarint(bytes, state.last_offset.has_value() ? 1 : 0);
  PutVarint(bytes, state.last_offset.value_or(0));
  PutDigest(bytes, state.last_record_hash);
  PutDigest(bytes, state.digest);
  PutVarint(bytes, state.currencies);
  PutVarint(bytes, state.accounts);
  return Sealed(StateKey(), std::move(bytes));
}

absl::StatusOr<StoreState> DecodeState(absl::string_view bytes) {
  const absl::StatusOr<absl::string_view> body = Unsealed(StateKey(), bytes);
  if (!body.ok()) return body.status();
  ByteReader reader(*body);
  StoreState state;
  state.log_identity = std::string(reader.String());
  state.rules_version = static_cast<std::uint32_t>(reader.Varint());
  state.next_offset = reader.Varint();
  const bool has_last = reader.Varint() != 0;
  const std::uint64_t last = reader.Varint();
  if (has_last) state.last_offset = last;
  state.last_record_hash = GetDigest(reader);
  state.digest = GetDigest(reader);
  state.currencies = static_cast<std::uint32_t>(reader.Varint());
  state.accounts = static_cast<std::uint32_t>(reader.Varint());
  if (!reader.finished()) return Damaged("its state is not of the expected form");
  return state;
}

std::string EncodeAccount(const NewAccount& account) {
  std::string bytes;
  PutString(bytes, account.name);
  PutVarint(bytes, account.currency.index());
  PutVarint(bytes, account.floor == Floor::kZero ? 1 : 0);
  return bytes;
}

absl::StatusOr<NewAccount> DecodeAccount(absl::string_view bytes) {
  ByteReader reader(bytes);
  NewAccount account;
  account.name = std::string(reader.String());
  account.currency = CurrencyId(static_cast<std::uint32_t>(reader.Varint()));
  account.floor = reader.Varint() == 1 ? Floor::kZero : Floor::kNone;
  if (!reader.finished()) return Damaged("an account is not of the expected form");
  return account;
}

std::string EncodeAccountId(AccountId id) {
  std::string bytes;
  PutFixed32(bytes, id.index());
  return bytes;
}

absl::StatusOr<AccountId> DecodeAccountId(absl::string_view bytes) {
  ByteReader reader(bytes);
  const AccountId id(reader.Fixed32());
  if (!reader.finished()) return Damaged("an account's id is no number of four bytes");
  return id;
}

void AppendBalance(std::string& out, Int128 balance) {
  PutSigned(out, balance);
}

absl::StatusOr<Int128> DecodeBalance(absl::string_view bytes) {
  ByteReader reader(bytes);
  const Int128 balance = reader.Signed();
  if (!reader.finished()) return Damaged("a balance is not of the expected form");
  return balance;
}

void AppendPostings(std::string& out, absl::Span<const Posting> postings) {
  for (const Posting& posting : postings) {
    PutVarint(out, posting.from.index());
    PutVarint(out, posting.to.index());
    PutSigned(out, posting.amount.value());
    out.push_back(static_cast<char>(posting.kind));
  }
}

absl::StatusOr<std::vector<Posting>> DecodePostings(absl::string_view bytes) {
  ByteReader reader(bytes);
  std::vector<Posting> postings;
  while (reader.ok() && !reader.empty()) {
    Posting posting;
    posting.from = AccountId(static_cast<std::uint32_t>(reader.Varint()));
    posting.to = AccountId(static_cast<std::uint32_t>(reader.Varint()));
    posting.amount = Credits(static_cast<std::int64_t>(reader.Signed()));
    posting.kind = reader.Byte();
    postings.push_back(posting);
  }
  if (!reader.finished()) return Damaged("postings are not of the expected form");
  return postings;
}

void AppendNumber(std::string& out, std::uint64_t number) {
  PutVarint(out, number);
}

absl::StatusOr<std::uint64_t> DecodeNumber(absl::string_view bytes) {
  ByteReader reader(bytes);
  const std::uint64_t number = reader.Varint();
  if (!reader.finished()) return Damaged("an offset or a time is not of the expected form");
  return number;
}

void BlockBuilder::Add(std::uint64_t position, absl::string_view value) {
  if (bytes_.empty()) {
    first_ = position;
    last_ = position;
  } else {
    QM_CHECK(position > last_, "the positions of a series must grow");
  }
  PutVarint(bytes_, position - last_);
  PutString(bytes_, value);
  last_ = position;
}

BlockBuilder::Block BlockBuilder::Finish(absl::string_view prefix) {
  QM_CHECK(!bytes_.empty(), "an empty block");
  Block block;
  block.key = std::string(prefix);
  PutFixed64(block.key, first_);
  block.value = Sealed(block.key, std::exchange(bytes_, {}));
  return block;
}

absl::StatusOr<std::uint64_t> BlockPosition(absl::string_view key, std::size_t prefix_size) {
  ByteReader reader(key.substr(std::min(prefix_size, key.size())));
  const std::uint64_t position = reader.Fixed64();
  if (!reader.finished()) {
    return Damaged(absl::StrCat("key 0x", absl::BytesToHexString(key), " is too short"));
  }
  return position;
}

absl::StatusOr<std::vector<Entry>> DecodeBlock(absl::string_view key, absl::string_view value) {
  const absl::StatusOr<absl::string_view> body = Unsealed(key, value);
  if (!body.ok()) return body.status();
  absl::StatusOr<std::uint64_t> position = BlockPosition(key, key.size() - sizeof(std::uint64_t));
  if (!position.ok()) return position.status();
  ByteReader reader(*body);
  std::vector<Entry> entries;
  while (reader.ok() && !reader.empty()) {
    *position += reader.Varint();
    entries.push_back({.position = *position, .value = reader.String()});
  }
  if (!reader.finished() || entries.empty()) {
    return Damaged(absl::StrCat("the block under key 0x", absl::BytesToHexString(key),
                                " is not of the expected form"));
  }
  return entries;
}

}  // namespace qmarket::store_format
