#include "replay/verify.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/fingerprint.h"
#include "events/int128.h"
#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "matcher/core/market.h"
#include "matcher/process/record.h"

namespace qmarket {
namespace {

// What was recorded of a stretch of offsets.
struct Recorded {
  std::map<std::uint64_t, std::string> outcomes;
  std::map<std::uint64_t, std::vector<Posting>> postings;
  std::map<std::uint64_t, Digest> digests;

  // The first offset that something is recorded of.
  [[nodiscard]] std::optional<std::uint64_t> First() const {
    std::optional<std::uint64_t> first;
    const auto look = [&first](const auto& recorded) {
      if (recorded.empty()) return;
      first = std::min(first.value_or(UINT64_MAX), recorded.begin()->first);
    };
    look(outcomes);
    look(postings);
    look(digests);
    return first;
  }
};

absl::StatusOr<Recorded> ReadRecorded(const LedgerStore& store, OffsetRange range) {
  Recorded recorded;
  absl::Status read = store.Outcomes(range, [&](std::uint64_t offset, absl::string_view canonical) {
    recorded.outcomes.emplace(offset, canonical);
    return true;
  });
  if (!read.ok()) return read;
  read = store.Journal(range, [&](std::uint64_t offset, absl::Span<const Posting> postings) {
    recorded.postings[offset].assign(postings.begin(), postings.end());
    return true;
  });
  if (!read.ok()) return read;
  read = store.Digests(range, [&](std::uint64_t offset, const Digest& digest) {
    recorded.digests.emplace(offset, digest);
    return true;
  });
  if (!read.ok()) return read;
  return recorded;
}

// What differs between two lists of outcomes in canonical bytes that are not equal.
Difference CompareOutcomes(std::uint64_t offset, absl::string_view recorded,
                           absl::Span<const Outcome> replayed) {
  if (recorded.empty()) return FirstDifference(offset, {}, replayed);
  const absl::StatusOr<std::vector<Outcome>> stored = DecodeOutcomes(recorded);
  if (stored.ok()) return FirstDifference(offset, *stored, replayed);
  return {offset, "outcomes",
          absl::StrCat("bytes that cannot be read: ", stored.status().message()),
          absl::StrCat(replayed.size(), " outcomes")};
}

// The accounts' names, for messages; a number where the store has other accounts.
std::string PostingText(const Book& book, const Posting& posting) {
  const auto name = [&book](AccountId id) {
    return id.index() < book.accounts().size() ? book.accounts()[id.index()].name
                                               : absl::StrCat("account ", id.index());
  };
  return absl::StrCat(PostingKindName(static_cast<PostingKind>(posting.kind)), " of ",
                      posting.amount.value(), " from ", name(posting.from), " to ",
                      name(posting.to));
}

Difference ComparePostings(std::uint64_t offset, const Book& book,
                           absl::Span<const Posting> recorded, absl::Span<const Posting> replayed) {
  std::size_t index = 0;
  while (index < recorded.size() && index < replayed.size() && recorded[index] == replayed[index]) {
    ++index;
  }
  const auto text = [&](absl::Span<const Posting> postings) {
    return index < postings.size() ? PostingText(book, postings[index]) : std::string(kNothing);
  };
  return {offset, absl::StrCat("posting ", index), text(recorded), text(replayed)};
}

class Verifier {
 public:
  Verifier(const LedgerStore& store, Stretch stretch)
      : store_(store),
        replica_(std::move(stretch.start)),
        first_(stretch.first),
        next_offset_(stretch.first),
        last_(std::min(stretch.last, store.state().last_offset.value_or(0))) {}

  // Holds a batch of inputs against the store. None where they agree.
  absl::StatusOr<std::optional<Difference>> Check(const std::vector<Input>& inputs,
                                                  const RebuildProgress& progress) {
    const std::uint64_t end = inputs.back().offset;
    Recorded recorded;
    if (end >= first_) {
      absl::StatusOr<Recorded> read =
          ReadRecorded(store_, {.from = next_offset_, .to = std::min(end, last_)});
      if (!read.ok()) return read.status();
      recorded = *std::move(read);
    }
    for (const Input& input : inputs) {
      if (input.offset > last_) break;
      if (const auto first = recorded.First(); first.has_value() && *first < input.offset) {
        return Difference{*first, "the event", "its effects", kNothing};
      }
      if (auto difference = Step(input, recorded); difference.has_value()) return difference;
      progress(replica_.events());
    }
    next_offset_ = std::max(next_offset_, end + 1);
    return std::nullopt;
  }

  // Holds the end against the store's.
  absl::StatusOr<std::optional<Difference>> CheckEnd() const {
    const StoreState state = store_.state();
    if (state.last_offset.has_value() && next_offset_ <= last_) {
      return Difference{next_offset_, "the event", absl::StrCat("applied up to offset ", last_),
                        kNothing};
    }
    // Accounts are recorded with the first record, those that every market begins with, too.
    if (!replica_.offset().has_value()) return std::nullopt;
    if (auto difference = CompareAccounts(); !difference.ok() || difference->has_value()) {
      return difference;
    }
    const bool whole = last_ == state.last_offset;
    if (whole && state.digest != replica_.digest()) {
      return Difference{last_, "digest", ToHex(state.digest), ToHex(replica_.digest())};
    }
    return std::nullopt;
  }

  [[nodiscard]] Verified Result(std::optional<Difference> difference) const {
    return {std::move(difference), events_, compared_, replica_.digest()};
  }

 private:
  std::optional<Difference> Step(const Input& input, Recorded& recorded) {
    const Replica::Applied applied = replica_.Apply(input);
    if (input.offset < first_) return std::nullopt;
    ++events_;
    compared_ = input.offset;
    const auto outcomes = recorded.outcomes.extract(input.offset);
    const auto postings = recorded.postings.extract(input.offset);
    const auto digest = recorded.digests.extract(input.offset);
    const std::string stored = outcomes.empty() ? "" : outcomes.mapped();
    if (stored != applied.canonical) {
      return CompareOutcomes(input.offset, stored, applied.step.outcomes);
    }
    const std::vector<Posting> posted =
        postings.empty() ? std::vector<Posting>() : postings.mapped();
    if (posted != applied.step.postings) {
      return ComparePostings(input.offset, replica_.market().book(), posted, applied.step.postings);
    }
    if (!digest.empty() && digest.mapped() != replica_.digest()) {
      return Difference{input.offset, "digest", ToHex(digest.mapped()), ToHex(replica_.digest())};
    }
    return std::nullopt;
  }

  // At the end of the stretch. Accounts that came later have nothing yet.
  [[nodiscard]] absl::StatusOr<std::optional<Difference>> CompareAccounts() const {
    const std::uint64_t last = *replica_.offset();
    const absl::StatusOr<std::vector<StoredAccount>> accounts = store_.Accounts();
    if (!accounts.ok()) return accounts.status();
    const absl::Span<const Account> replayed = replica_.market().book().accounts();
    const bool whole = last_ == store_.state().last_offset;
    if (accounts->size() < replayed.size() || (whole && accounts->size() != replayed.size())) {
      return Difference{last, "number of accounts", absl::StrCat(accounts->size()),
                        absl::StrCat(replayed.size())};
    }
    for (std::size_t i = 0; i < replayed.size(); ++i) {
      const StoredAccount& account = (*accounts)[i];
      if (account.name != replayed[i].name || account.currency != replayed[i].currency) {
        return Difference{last, absl::StrCat("account ", i), account.name, replayed[i].name};
      }
      const absl::StatusOr<Int128> balance = store_.BalanceAt(account.id, last);
      if (!balance.ok()) return balance.status();
      if (*balance == replayed[i].balance) continue;
      return Difference{last, absl::StrCat("account ", account.name), ToString(*balance),
                        ToString(replayed[i].balance)};
    }
    return std::nullopt;
  }

  const LedgerStore& store_;
  Replica replica_;
  std::uint64_t first_;
  std::uint64_t next_offset_;  // where what is recorded is read on
  std::uint64_t last_;
  std::uint64_t events_ = 0;
  std::optional<std::uint64_t> compared_;
};

}  // namespace

absl::StatusOr<Verified> VerifyStore(InputSource& source, const LedgerStore& store, Stretch stretch,
                                     const RebuildProgress& progress) {
  Verifier verifier(store, std::move(stretch));
  while (true) {
    const absl::StatusOr<std::vector<Input>> inputs = source.Next();
    if (!inputs.ok()) return inputs.status();
    absl::StatusOr<std::optional<Difference>> difference =
        inputs->empty() ? verifier.CheckEnd() : verifier.Check(*inputs, progress);
    if (!difference.ok()) return difference.status();
    if (inputs->empty() || difference->has_value()) return verifier.Result(*std::move(difference));
  }
}

absl::StatusOr<std::optional<Difference>> VerifyRecords(EventLog& log, const LedgerStore& store,
                                                        OffsetRange range,
                                                        const RebuildProgress& progress) {
  constexpr std::size_t kBatchRecords = 1024;
  constexpr std::size_t kBatchBytes = 1U << 20U;
  const StoreState state = store.state();
  if (!state.last_offset.has_value()) return std::nullopt;
  const std::uint64_t last = std::min(range.to, *state.last_offset);
  std::uint64_t records = 0;
  for (std::uint64_t next = range.from; next <= last;) {
    const absl::StatusOr<LogBatch> batch = log.Read(next, kBatchRecords, kBatchBytes);
    if (!batch.ok()) return batch.status();
    if (batch->records.empty() && batch->at_end) {
      return Difference{next, "the record", absl::StrCat("applied up to offset ", last), kNothing};
    }
    if (batch->next_offset == next) continue;  // a broker has not said yet
    const std::uint64_t end = std::min(last, batch->next_offset - 1);
    std::map<std::uint64_t, Fingerprint> recorded;
    const absl::Status read = store.RecordHashes(
        {.from = next, .to = end}, [&](std::uint64_t offset, const Fingerprint& hash) {
          recorded.emplace(offset, hash);
          return true;
        });
    if (!read.ok()) return read;
    for (const LogRecord& record : batch->records) {
      if (record.offset > last) break;
      const Fingerprint hash = FrontOf(RecordHash(record));
      const auto stored = recorded.extract(record.offset);
      if (stored.empty()) return Difference{record.offset, "the record", kNothing, ToHex(hash)};
      if (stored.mapped() != hash) {
        return Difference{record.offset, "the record's hash", ToHex(stored.mapped()), ToHex(hash)};
      }
      progress(++records);
    }
    if (!recorded.empty()) {
      return Difference{recorded.begin()->first, "the record", ToHex(recorded.begin()->second),
                        kNothing};
    }
    next = batch->next_offset;
  }
  return std::nullopt;
}

}  // namespace qmarket
