#include "connectors/cli/commands/accounts.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include "connectors/cli/text.h"
#include "events/check.h"

namespace qmarket {

absl::StatusOr<AccountList> AccountList::Read(const LedgerStore& store) {
  absl::StatusOr<std::vector<std::string>> currencies = store.Currencies();
  if (!currencies.ok()) return currencies.status();
  absl::StatusOr<std::vector<StoredAccount>> accounts = store.Accounts();
  if (!accounts.ok()) return accounts.status();
  AccountList list;
  list.currencies_ = *std::move(currencies);
  list.by_id_ = *std::move(accounts);
  list.accounts_ = list.by_id_;
  std::ranges::sort(list.accounts_, {}, &StoredAccount::name);
  return list;
}

std::string AccountList::CurrencyOf(const StoredAccount& account) const {
  QM_CHECK(account.currency.index() < currencies_.size(), "an account has an unknown currency");
  const std::string& name = currencies_[account.currency.index()];
  return name.empty() ? kReferenceCurrency : name;
}

const StoredAccount& AccountList::ById(AccountId id) const {
  QM_CHECK(id.index() < by_id_.size(), "a posting has an unknown account");
  return by_id_[id.index()];
}

absl::StatusOr<StoredAccount> AccountList::Find(absl::string_view name) const {
  for (const std::string& wanted : {absl::StrCat(kTeamPrefix, name), std::string(name)}) {
    const auto found = std::ranges::lower_bound(accounts_, wanted, {}, &StoredAccount::name);
    if (found != accounts_.end() && found->name == wanted) return *found;
  }
  if (absl::StrContains(name, ':')) {
    return absl::NotFoundError(UnknownName("account", name, NamesAfter("")));
  }
  return CheckTeam(name);
}

absl::Status AccountList::CheckTeam(absl::string_view team) const {
  const std::vector<std::string> teams = NamesAfter(kTeamPrefix);
  if (std::ranges::find(teams, team) != teams.end()) return absl::OkStatus();
  return absl::NotFoundError(UnknownName("team", team, teams));
}

absl::Status AccountList::CheckPool(absl::string_view pool) const {
  const std::vector<std::string> pools = NamesAfter(kPursePrefix);
  if (std::ranges::find(pools, pool) != pools.end()) return absl::OkStatus();
  return absl::NotFoundError(UnknownName("pool", pool, pools));
}

std::map<std::string, std::string> AccountList::PoolsOfTeams() const {
  std::map<std::string, std::string> pools;
  for (const StoredAccount& account : accounts_) {
    absl::string_view name = account.name;
    if (absl::ConsumePrefix(&name, kTeamPrefix)) pools[std::string(name)] = CurrencyOf(account);
  }
  return pools;
}

std::vector<std::string> AccountList::NamesAfter(absl::string_view prefix) const {
  std::vector<std::string> names;
  for (const StoredAccount& account : accounts_) {
    absl::string_view name = account.name;
    if (absl::ConsumePrefix(&name, prefix)) names.emplace_back(name);
  }
  return names;
}

}  // namespace qmarket
