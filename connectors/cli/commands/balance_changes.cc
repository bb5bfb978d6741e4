#include "connectors/cli/commands/balance_changes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "events/outcome.h"

namespace qmarket {

absl::StatusOr<RunningBalances> RunningBalances::Before(const LedgerStore& store,
                                                        absl::Span<const StoredAccount> accounts,
                                                        std::uint64_t from) {
  RunningBalances running;
  for (const StoredAccount& account : accounts) {
    Running start = {.place = running.accounts_.size(), .account = &account};
    if (from > 0) {
      const absl::StatusOr<Int128> balance = store.BalanceAt(account.id, from - 1);
      if (!balance.ok()) return balance.status();
      start.balance = *balance;
    }
    running.accounts_.emplace(account.id, start);
  }
  return running;
}

std::vector<BalanceChange> RunningBalances::Take(absl::Span<const Posting> postings) {
  std::map<std::size_t, BalanceChange> changes;  // by place
  const auto add = [&](AccountId id, Int128 amount, std::uint8_t kind) {
    const auto found = accounts_.find(id);
    if (found == accounts_.end()) return;
    Running& running = found->second;
    running.balance += amount;
    BalanceChange& change = changes[running.place];
    change.account = running.account;
    change.amount += amount;
    change.balance = running.balance;
    const std::string name = PostingKindName(static_cast<PostingKind>(kind));
    if (std::ranges::find(change.kinds, name) == change.kinds.end()) change.kinds.push_back(name);
  };
  for (const Posting& posting : postings) {
    const Int128 amount = posting.amount.value();
    add(posting.from, -amount, posting.kind);
    add(posting.to, amount, posting.kind);
  }
  std::vector<BalanceChange> list;
  list.reserve(changes.size());
  for (auto& [place, change] : changes)
    list.push_back(std::move(change));
  return list;
}

absl::Status RunningBalances::Check(const LedgerStore& store, std::uint64_t to) const {
  for (const auto& [id, running] : accounts_) {
    const absl::StatusOr<Int128> balance = store.BalanceAt(id, to);
    if (!balance.ok()) return balance.status();
    if (*balance == running.balance) continue;
    return absl::DataLossError(absl::StrCat("the ledger's store is damaged: after offset ", to,
                                            " the balance of ", running.account->name, " is ",
                                            ToString(*balance), ", but its journal adds up to ",
                                            ToString(running.balance)));
  }
  return absl::OkStatus();
}

}  // namespace qmarket
