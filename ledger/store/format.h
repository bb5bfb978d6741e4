// The byte format of the ledger's store: every key and every value, in one place. Private to the
// store. Described for people in docs/formats-store.md; change the two together.
//
// All keys begin with the letter of their table. A *series* is a sequence of (position, value) with
// growing positions; it lies in blocks, each under the series' prefix and the position of its first
// entry, so that one backward seek finds the entry in force at any position.
#ifndef QMARKET_LEDGER_STORE_FORMAT_H_
#define QMARKET_LEDGER_STORE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "ledger/store/state.h"

namespace qmarket::store_format {

// Goes up with every change of what follows.
inline constexpr std::uint32_t kFormatVersion = 2;

// The tables that are no series.
[[nodiscard]] std::string FormatKey();                 // the format's version
[[nodiscard]] std::string StateKey();                  // where the store stands
[[nodiscard]] std::string CurrencyKey(CurrencyId id);  // its name
[[nodiscard]] std::string AccountKey(AccountId id);    // the account
[[nodiscard]] std::string AccountNamePrefix(absl::string_view name);
[[nodiscard]] std::string AccountNameKey(absl::string_view name, CurrencyId currency);  // its id

// The prefixes of the series.
[[nodiscard]] std::string BalancePrefix(AccountId id);  // offset -> the balance after it
[[nodiscard]] std::string JournalPrefix();              // offset -> its postings
[[nodiscard]] std::string OutcomePrefix();              // offset -> its outcomes, canonical bytes
[[nodiscard]] std::string TimePrefix();                 // effective time -> the last offset at it
[[nodiscard]] std::string OffsetTimePrefix();           // offset -> its effective time
[[nodiscard]] std::string RecordPrefix();               // offset -> the hash of its record
[[nodiscard]] std::string DigestPrefix();               // last offset of a commit -> the digest
[[nodiscard]] std::string IndexKindPrefix(std::uint8_t kind);
[[nodiscard]] std::string IndexPrefix(std::uint8_t kind, absl::string_view name);

// Values. Decoders give DataLoss where the bytes are not what the encoders make.
[[nodiscard]] std::string EncodeVersion(std::uint32_t version);
absl::StatusOr<std::uint32_t> DecodeVersion(absl::string_view bytes);

[[nodiscard]] std::string EncodeState(const StoreState& state);
absl::StatusOr<StoreState> DecodeState(absl::string_view bytes);

[[nodiscard]] std::string EncodeAccount(const NewAccount& account);
absl::StatusOr<NewAccount> DecodeAccount(absl::string_view bytes);

[[nodiscard]] std::string EncodeAccountId(AccountId id);
absl::StatusOr<AccountId> DecodeAccountId(absl::string_view bytes);

void AppendBalance(std::string& out, Int128 balance);
absl::StatusOr<Int128> DecodeBalance(absl::string_view bytes);

void AppendPostings(std::string& out, absl::Span<const Posting> postings);
absl::StatusOr<std::vector<Posting>> DecodePostings(absl::string_view bytes);

// An offset or a time as the value of a series.
void AppendNumber(std::string& out, std::uint64_t number);
absl::StatusOr<std::uint64_t> DecodeNumber(absl::string_view bytes);

// A hash, as its bytes.
[[nodiscard]] absl::string_view BytesOf(absl::Span<const std::uint8_t> hash);
absl::StatusOr<Fingerprint> DecodeFingerprint(absl::string_view bytes);
absl::StatusOr<Digest> DecodeDigest(absl::string_view bytes);

// One entry of a block.
struct Entry {
  std::uint64_t position = 0;
  absl::string_view value;  // within the block's bytes
};

// Builds one block.
class BlockBuilder {
 public:
  // Positions grow.
  void Add(std::uint64_t position, absl::string_view value);

  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  [[nodiscard]] std::size_t size() const { return bytes_.size(); }

  // The key and the value of what was added, which is then forgotten.
  struct Block {
    std::string key;
    std::string value;
  };

  Block Finish(absl::string_view prefix);

 private:
  std::string bytes_;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
};

// How a block's key ends: with the position of its first entry.
inline constexpr std::size_t kPositionBytes = sizeof(std::uint64_t);

// The position in a block's key.
absl::StatusOr<std::uint64_t> BlockPosition(absl::string_view key, std::size_t prefix_size);

// The entries of a block, whose checksum is looked at first. They point into `value`.
absl::StatusOr<std::vector<Entry>> DecodeBlock(absl::string_view key, absl::string_view value);

}  // namespace qmarket::store_format

#endif  // QMARKET_LEDGER_STORE_FORMAT_H_
