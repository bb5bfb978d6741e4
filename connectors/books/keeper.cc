#include "connectors/books/keeper.h"

#include <map>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace qmarket {
namespace {

std::string ResourceOf(PostingKind kind, const BookAccount& to) {
  return kind == PostingKind::kCharge || kind == PostingKind::kChips ? to.resource : "";
}

}  // namespace

absl::StatusOr<BookKeeper> BookKeeper::Make(const LedgerStore& store, const BookChart& chart,
                                            const BookSelection& selection, std::uint64_t from) {
  BookKeeper keeper(chart, selection);
  if (from == 0) return keeper;
  for (std::size_t i = 0; i < chart.accounts.size(); ++i) {
    const AccountId id(static_cast<std::uint32_t>(i));
    if (!selection.IsWhole(id)) continue;
    const absl::StatusOr<Int128> balance = store.BalanceAt(id, from - 1);
    if (!balance.ok()) return balance.status();
    keeper.balances_[i] = *balance;
  }
  return keeper;
}

ExportedTransaction BookKeeper::Opening(std::int64_t time_ms) const {
  ExportedTransaction opening{.time_ms = time_ms, .type = "opening balances"};
  std::map<std::uint32_t, Int128> sums;  // by currency
  for (std::size_t i = 0; i < chart_->accounts.size(); ++i) {
    if (balances_[i] == 0) continue;
    const BookAccount& account = chart_->accounts[i];
    opening.postings.push_back({.account = &account,
                                .currency = account.currency,
                                .amount = balances_[i],
                                .balance = balances_[i]});
    sums[account.currency] += balances_[i];
  }
  for (const auto& [currency, sum] : sums) {
    if (sum != 0) opening.postings.push_back({.currency = currency, .amount = -sum});
  }
  return opening;
}

std::vector<ExportedPosting> BookKeeper::Take(absl::Span<const Posting> postings) {
  std::vector<ExportedPosting> taken;
  std::map<std::tuple<std::uint32_t, PostingKind, std::string>, std::size_t> places;
  for (const Posting& posting : postings) {
    if (!selection_->Takes(posting)) continue;
    const auto kind = static_cast<PostingKind>(posting.kind);
    const std::string resource = ResourceOf(kind, chart_->Account(posting.to));
    for (const AccountId id : {posting.from, posting.to}) {
      const BookAccount& account = chart_->Account(id);
      const auto [place, is_new] = places.try_emplace({id.index(), kind, resource}, taken.size());
      if (is_new) {
        taken.push_back({.account = &account,
                         .currency = account.currency,
                         .kind = kind,
                         .resource = resource});
      }
      const Int128 amount{posting.amount.value()};
      taken[place->second].amount += id == posting.from ? -amount : amount;
    }
  }
  for (ExportedPosting& posting : taken) {
    const auto index = static_cast<std::size_t>(posting.account - chart_->accounts.data());
    if (!selection_->IsWhole(AccountId(static_cast<std::uint32_t>(index)))) continue;
    balances_[index] += posting.amount;
    posting.balance = balances_[index];
  }
  return taken;
}

absl::Status BookKeeper::Check(const LedgerStore& store, std::uint64_t offset) const {
  for (std::size_t i = 0; i < chart_->accounts.size(); ++i) {
    const AccountId id(static_cast<std::uint32_t>(i));
    if (!selection_->IsWhole(id)) continue;
    const absl::StatusOr<Int128> stored = store.BalanceAt(id, offset);
    if (!stored.ok()) return stored.status();
    if (*stored == balances_[i]) continue;
    return absl::DataLossError(absl::StrCat(
        "the balance of ", chart_->accounts[i].name, " at offset ", offset, " is ",
        ToString(*stored), ", but the movements before it add up to ", ToString(balances_[i])));
  }
  return absl::OkStatus();
}

}  // namespace qmarket
