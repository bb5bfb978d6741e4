#include "replay/audit/replayed.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/outcome_codec.h"
#include "ledger/core/book.h"
#include "matcher/core/market.h"
#include "replay/difference.h"

namespace qmarket {
Replayed::Replayed(const StoreScan& scan, AuditReport& report)
    : scan_(scan),
      check_(report.Begin("replay", "events")),
      outcomes_(scan.Read(StoreTable::kOutcomes)),
      journal_(scan.Read(StoreTable::kJournal)) {}

absl::Span<const Outcome> Replayed::Take(const Input& input, bool changed) {
  check_.Count();
  log_changed_ = log_changed_ || changed;
  PassBefore(input.offset);
  applied_ = replica_.Apply(input);
  const bool is_recorded = outcomes_.valid() && outcomes_.position() == input.offset;
  const absl::string_view canonical = is_recorded ? outcomes_.value() : absl::string_view();
  const bool same = canonical == applied_.canonical;
  if (!same) {
    recorded_.clear();
    if (absl::StatusOr<std::vector<Outcome>> read = DecodeOutcomes(canonical); read.ok()) {
      recorded_ = *std::move(read);
    }
    Find("outcomes", input.offset,
         DescribeDifference(FirstDifference(input.offset, recorded_, applied_.step.outcomes)));
  }
  if (is_recorded) outcomes_.Next();
  CheckPostings(input.offset, applied_.step.postings);
  return same ? absl::MakeConstSpan(applied_.step.outcomes) : absl::MakeConstSpan(recorded_);
}

void Replayed::CheckPostings(std::uint64_t offset, absl::Span<const Posting> replayed) {
  std::vector<Posting> recorded;
  if (journal_.valid() && journal_.position() == offset) {
    if (absl::StatusOr<std::vector<Posting>> read = StoredPostings(journal_.value()); read.ok()) {
      recorded = *std::move(read);
    }
    journal_.Next();
  }
  if (absl::MakeConstSpan(recorded) == replayed) return;
  const auto differ = std::ranges::mismatch(recorded, replayed);
  Find("journal", offset,
       absl::StrCat("recorded are ", recorded.size(), " postings, replayed ", replayed.size(),
                    ", and posting ", differ.in1 - recorded.begin(), " is another one"));
}

void Replayed::PassBefore(std::uint64_t offset) {
  for (StoreCursor* cursor : {&outcomes_, &journal_}) {
    for (; cursor->valid() && cursor->position() < offset; cursor->Next()) {
      Find(cursor == &outcomes_ ? "outcomes" : "journal", cursor->position(),
           "something is recorded there, and the log has no event there");
    }
  }
}

void Replayed::Finish() {
  PassBefore(UINT64_MAX);
  CheckAccounts();
  if (replica_.digest() == scan_.state().digest) return;
  Find("digest", replica_.offset().value_or(0),
       absl::StrCat("recorded is ", ToHex(scan_.state().digest), ", replayed ",
                    ToHex(replica_.digest())));
}

void Replayed::CheckAccounts() {
  // Those that every market begins with are recorded with the first record.
  if (!replica_.offset().has_value()) return;
  const Book& book = replica_.market().book();
  const std::uint64_t last = *replica_.offset();
  if (!std::ranges::equal(scan_.currencies(), book.currencies())) {
    Find("currencies", last, "they are not those of the replay");
  }
  const std::vector<NewAccount>& accounts = scan_.accounts();
  if (accounts.size() != book.accounts().size()) {
    Find("accounts", last,
         absl::StrCat("recorded are ", accounts.size(), ", replayed ", book.accounts().size()));
    return;
  }
  for (std::size_t i = 0; i < accounts.size(); ++i) {
    const Account& replayed = book.accounts()[i];
    if (accounts[i].name == replayed.name && accounts[i].currency == replayed.currency &&
        accounts[i].floor == replayed.floor) {
      continue;
    }
    Find("accounts", last,
         absl::StrCat("account ", i, " is recorded as ", accounts[i].name, ", and replayed as ",
                      replayed.name, ", or its currency or floor is another one"));
  }
}

void Replayed::Find(const char* object, std::uint64_t offset, std::string what) {
  check_.Find({.where = log_changed_ ? AuditPart::kLog : AuditPart::kStore,
               .object = object,
               .offset = offset,
               .what = std::move(what)});
}

}  // namespace qmarket
