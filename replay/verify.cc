#include "replay/verify.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/digest.h"
#include "events/int128.h"
#include "events/outcome_codec.h"
#include "events/outcome_wire.h"
#include "matcher/core/market.h"

namespace qmarket {
namespace {

// What was recorded of a stretch of offsets.
struct Recorded {
  std::map<std::uint64_t, std::string> outcomes;
  std::map<std::uint64_t, std::vector<Posting>> postings;
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
  return recorded;
}

// What differs between two lists of outcomes in canonical bytes that are not equal.
std::string DescribeOutcomes(std::uint64_t offset, absl::string_view recorded,
                             absl::Span<const Outcome> replayed) {
  const absl::StatusOr<std::vector<Outcome>> decoded = DecodeOutcomes(recorded);
  if (!recorded.empty() && !decoded.ok()) {
    return absl::StrCat("the recorded outcomes cannot be read: ", decoded.status().message());
  }
  const std::vector<Outcome> stored = decoded.ok() ? *decoded : std::vector<Outcome>();
  const auto text = [offset](absl::Span<const Outcome> outcomes, std::size_t index) {
    return index < outcomes.size()
               ? OutcomeToJson(offset, static_cast<std::uint32_t>(index), outcomes[index])
               : std::string("nothing");
  };
  std::size_t index = 0;
  while (index < stored.size() && index < replayed.size() && stored[index] == replayed[index]) {
    ++index;
  }
  return absl::StrCat("outcome ", index, ": recorded ", text(stored, index), ", replayed ",
                      text(replayed, index));
}

class Verifier {
 public:
  explicit Verifier(const LedgerStore& store) : store_(store) {}

  // Holds a batch of inputs against the store. None where they agree.
  absl::StatusOr<std::optional<Difference>> Check(const std::vector<Input>& inputs,
                                                  const RebuildProgress& progress) {
    absl::StatusOr<Recorded> recorded =
        ReadRecorded(store_, {.from = next_offset_, .to = inputs.back().offset});
    if (!recorded.ok()) return recorded.status();
    for (const Input& input : inputs) {
      if (const auto extra = OffsetWithout(*recorded, input.offset); extra.has_value()) {
        return Difference{*extra, "the log has no event there, but effects are recorded"};
      }
      if (auto difference = CheckStep(input, *recorded); difference.has_value()) return difference;
      progress(++events_);
    }
    next_offset_ = inputs.back().offset + 1;
    return std::nullopt;
  }

  // Holds the end against the store's.
  absl::StatusOr<std::optional<Difference>> CheckEnd() const {
    const StoreState state = store_.state();
    if (state.last_offset.has_value() && next_offset_ <= *state.last_offset) {
      return Difference{next_offset_,
                        absl::StrCat("the log has no event from there on, but the ledger has "
                                     "applied offset ",
                                     *state.last_offset)};
    }
    // Accounts are recorded with the first record, those that every market begins with, too.
    if (next_offset_ == 0) return std::nullopt;
    const std::uint64_t last = next_offset_ - 1;
    const absl::StatusOr<std::vector<StoredAccount>> accounts = store_.Accounts();
    if (!accounts.ok()) return accounts.status();
    const absl::Span<const Account> replayed = market_.book().accounts();
    if (accounts->size() != replayed.size()) {
      return Difference{last, absl::StrCat("recorded ", accounts->size(), " accounts, replayed ",
                                           replayed.size())};
    }
    for (std::size_t i = 0; i < replayed.size(); ++i) {
      const StoredAccount& account = (*accounts)[i];
      const absl::StatusOr<Int128> balance = store_.BalanceAt(account.id, last);
      if (!balance.ok()) return balance.status();
      if (account.name == replayed[i].name && *balance == replayed[i].balance) continue;
      return Difference{last, absl::StrCat("account ", account.name, ": recorded ",
                                           ToString(*balance), ", replayed ", replayed[i].name,
                                           " with ", ToString(replayed[i].balance))};
    }
    if (state.digest != digest_.value()) {
      return Difference{last, absl::StrCat("digest: recorded ", ToHex(state.digest), ", replayed ",
                                           ToHex(digest_.value()))};
    }
    return std::nullopt;
  }

 private:
  // An offset below `offset` that something is recorded of, and that no input had.
  static std::optional<std::uint64_t> OffsetWithout(const Recorded& recorded,
                                                    std::uint64_t offset) {
    for (const std::optional<std::uint64_t> first :
         {recorded.outcomes.empty() ? std::nullopt
                                    : std::optional(recorded.outcomes.begin()->first),
          recorded.postings.empty() ? std::nullopt
                                    : std::optional(recorded.postings.begin()->first)}) {
      if (first.has_value() && *first < offset) return first;
    }
    return std::nullopt;
  }

  std::optional<Difference> CheckStep(const Input& input, Recorded& recorded) {
    const Step step = market_.Apply(input);
    const auto outcomes = recorded.outcomes.extract(input.offset);
    const auto postings = recorded.postings.extract(input.offset);
    const std::string stored = outcomes.empty() ? "" : outcomes.mapped();
    bytes_.clear();
    if (!step.outcomes.empty()) {
      AppendOutcomes(step.outcomes, bytes_);
      digest_.Add(input.offset, bytes_);
    }
    if (stored != bytes_) {
      return Difference{input.offset, DescribeOutcomes(input.offset, stored, step.outcomes)};
    }
    const bool same = postings.empty() ? step.postings.empty() : postings.mapped() == step.postings;
    if (!same) return Difference{input.offset, "the recorded postings are not those of the replay"};
    return std::nullopt;
  }

  const LedgerStore& store_;
  Market market_;
  DigestChain digest_;
  std::uint64_t next_offset_ = 0;
  std::uint64_t events_ = 0;
  std::string bytes_;  // of the outcomes of a step; kept for its memory
};

}  // namespace

absl::StatusOr<std::optional<Difference>> VerifyStore(InputSource& source, const LedgerStore& store,
                                                      const RebuildProgress& progress) {
  Verifier verifier(store);
  while (true) {
    const absl::StatusOr<std::vector<Input>> inputs = source.Next();
    if (!inputs.ok()) return inputs.status();
    if (inputs->empty()) return verifier.CheckEnd();
    absl::StatusOr<std::optional<Difference>> difference = verifier.Check(*inputs, progress);
    if (!difference.ok() || difference->has_value()) return difference;
  }
}

}  // namespace qmarket
