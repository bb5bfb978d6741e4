#include "replay/audit/books.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace qmarket {
namespace {

// Between which accounts a movement of each kind goes, by its number.
constexpr std::array<std::pair<AccountRole, AccountRole>, 8> kWays = {{
    {AccountRole::kMint, AccountRole::kTeam},    // income
    {AccountRole::kTeam, AccountRole::kSpent},   // charge
    {AccountRole::kMint, AccountRole::kTeam},    // grant
    {AccountRole::kTeam, AccountRole::kMint},    // claw-back
    {AccountRole::kTeam, AccountRole::kTeam},    // transfer
    {AccountRole::kIssue, AccountRole::kPurse},  // weight
    {AccountRole::kPurse, AccountRole::kSold},   // chips
    {AccountRole::kPurse, AccountRole::kIssue},  // lapse
}};

AuditFinding InJournal(std::uint64_t offset, std::string what) {
  return {
      .where = AuditPart::kStore, .object = "journal", .offset = offset, .what = std::move(what)};
}

std::string TextOf(const CreditsPosted& told) {
  return absl::StrCat(PostingKindName(told.kind), " of ", told.amount_micros, " from ", told.from,
                      " to ", told.to, " in ",
                      told.currency.empty() ? absl::string_view("reference credits")
                                            : absl::string_view(told.currency));
}

}  // namespace

Books::Books(const AuditAccounts& accounts, AuditReport& report)
    : accounts_(accounts),
      double_entry_(report.Begin("double entry", "postings")),
      overdraft_(report.Begin("no overdraft", "postings")),
      told_(report.Begin("postings told", "postings")),
      balances_(accounts.size()) {}

void Books::Take(std::uint64_t offset, absl::Span<const Posting> postings,
                 absl::Span<const Outcome> outcomes) {
  for (const Posting& posting : postings)
    Post(offset, posting);
  CheckTold(offset, postings, outcomes);
}

Int128 Books::Balance(AccountId account) const {
  return accounts_.Has(account) ? balances_[account.index()] : Int128{0};
}

bool Books::Post(std::uint64_t offset, const Posting& posting) {
  double_entry_.Count();
  if (const std::optional<std::string> why = WhyNot(posting)) {
    double_entry_.Find(InJournal(offset, absl::StrCat(TextOf(posting), ": ", *why)));
  }
  // What is owed to one account is due from another: the sum of a currency stays what it was only
  // if both accounts are there, and both of the currency.
  if (!accounts_.Has(posting.from) || !accounts_.Has(posting.to)) return false;
  balances_[posting.from.index()] -= posting.amount.value();
  balances_[posting.to.index()] += posting.amount.value();
  for (const AccountId id : {posting.from, posting.to}) {
    if (accounts_[id].floor != Floor::kZero) continue;
    overdraft_.Count();
    if (balances_[id.index()] >= 0) continue;
    overdraft_.Find(InJournal(offset, absl::StrCat("account ", accounts_[id].name, " has ",
                                                   ToString(balances_[id.index()]),
                                                   " micro-credits, expected none below zero")));
  }
  return true;
}

std::optional<std::string> Books::WhyNot(const Posting& posting) const {
  if (!accounts_.Has(posting.from) || !accounts_.Has(posting.to)) {
    return absl::StrCat("there are ", accounts_.size(), " accounts");
  }
  const AuditAccount& from = accounts_[posting.from];
  const AuditAccount& to = accounts_[posting.to];
  if (from.currency_id != to.currency_id) {
    return absl::StrCat("the accounts are of two currencies, \"", from.currency, "\" and \"",
                        to.currency, "\"");
  }
  if (posting.amount <= Credits(0)) return std::string("expected an amount above zero");
  if (posting.from == posting.to) return std::string("expected two accounts");
  if (posting.kind >= kWays.size()) return absl::StrCat("there is no kind ", posting.kind);
  if (kWays[posting.kind] != std::pair(from.role, to.role)) {
    return absl::StrCat("no ", PostingKindName(static_cast<PostingKind>(posting.kind)),
                        " goes between such accounts");
  }
  return std::nullopt;
}

void Books::CheckTold(std::uint64_t offset, absl::Span<const Posting> postings,
                      absl::Span<const Outcome> outcomes) {
  std::size_t next = 0;
  const auto find = [&](std::string what) {
    told_.Find({.where = AuditPart::kStore,
                .object = "outcomes",
                .offset = offset,
                .what = std::move(what)});
  };
  for (const Outcome& outcome : outcomes) {
    const auto* told = std::get_if<CreditsPosted>(&outcome);
    if (told == nullptr) continue;
    if (told->uncollected_micros != 0) CheckUncollected(offset, *told);
    if (told->amount_micros == 0) continue;  // that nothing could be taken is told, not posted
    told_.Count();
    if (next == postings.size()) {
      find(absl::StrCat("told is a ", qmarket::TextOf(*told), ", and nothing of it is posted"));
      return;
    }
    const Posting& posting = postings[next++];
    if (!IsTold(posting, *told)) {
      find(absl::StrCat("told is a ", qmarket::TextOf(*told), ", and posted a ", TextOf(posting)));
    }
  }
  for (; next < postings.size(); ++next) {
    told_.Count();
    find(absl::StrCat("posted is a ", TextOf(postings[next]), ", and nothing of it is told"));
  }
}

// Only what an account does not have stays uncollected.
void Books::CheckUncollected(std::uint64_t offset, const CreditsPosted& told) {
  const std::optional<AccountId> from = accounts_.Find(told.currency, told.from);
  const Int128 left = from.has_value() ? Balance(*from) : Int128{0};
  const bool due = told.kind == PostingKind::kCharge || told.kind == PostingKind::kChips;
  if (due && told.uncollected_micros > 0 && left == 0) return;
  told_.Find({.where = AuditPart::kStore,
              .object = "outcomes",
              .offset = offset,
              .what = absl::StrCat("of a ", qmarket::TextOf(told), ", ", told.uncollected_micros,
                                   " are uncollected, and the account has ", ToString(left))});
}

bool Books::IsTold(const Posting& posting, const CreditsPosted& told) const {
  if (!accounts_.Has(posting.from) || !accounts_.Has(posting.to)) return false;
  const AuditAccount& from = accounts_[posting.from];
  return static_cast<std::uint8_t>(told.kind) == posting.kind && told.from == from.name &&
         told.to == accounts_[posting.to].name && told.currency == from.currency &&
         told.amount_micros == posting.amount.value();
}

std::string Books::TextOf(const Posting& posting) const {
  const auto name = [&](AccountId id) {
    return accounts_.Has(id) ? accounts_[id].name : absl::StrCat("account ", id.index());
  };
  const std::string kind = posting.kind < kWays.size()
                               ? PostingKindName(static_cast<PostingKind>(posting.kind))
                               : absl::StrCat("kind ", posting.kind);
  const std::string currency =
      accounts_.Has(posting.from) ? accounts_[posting.from].currency : std::string("?");
  return absl::StrCat(kind, " of ", posting.amount.value(), " from ", name(posting.from), " to ",
                      name(posting.to), " in ", currency.empty() ? "reference credits" : currency);
}

}  // namespace qmarket
