#include "replay/audit/accounts.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace qmarket {
namespace {

std::string KeyOf(absl::string_view currency, absl::string_view name) {
  return absl::StrCat(currency, absl::string_view("\0", 1), name);
}

// The role that the name has in its currency, and whose account it is.
void Describe(AuditAccount& account) {
  const bool reference = account.currency.empty();
  const auto is = [&](absl::string_view prefix, AccountRole role) {
    const std::optional<absl::string_view> owner = AfterPrefix(account.name, prefix);
    if (!owner.has_value()) return false;
    account.role = role;
    account.owner = std::string(*owner);
    return true;
  };
  if (reference) {
    if (account.name == kIssueAccount) {
      account.role = AccountRole::kIssue;
    } else if (!is(kPurseAccount, AccountRole::kPurse)) {
      is(kSoldAccount, AccountRole::kSold);
    }
    return;
  }
  if (is(kTeamAccount, AccountRole::kTeam)) return;
  if (account.name == absl::StrCat(kMintAccount, account.currency)) {
    account.role = AccountRole::kMint;
    account.owner = account.currency;
  } else if (const auto resource = ResourceOfSpent(account.name, account.currency)) {
    account.role = AccountRole::kSpent;
    account.owner = std::string(*resource);
  }
}

}  // namespace

AuditAccounts::AuditAccounts(absl::Span<const std::string> currencies,
                             absl::Span<const NewAccount> accounts) {
  accounts_.reserve(accounts.size());
  for (const NewAccount& stored : accounts) {
    AuditAccount account{.name = stored.name,
                         .currency = currencies[stored.currency.index()],
                         .currency_id = stored.currency,
                         .floor = stored.floor,
                         .owner = {}};
    Describe(account);
    by_name_.emplace(KeyOf(account.currency, account.name),
                     AccountId(static_cast<std::uint32_t>(accounts_.size())));
    if (account.role == AccountRole::kTeam) pools_[account.owner] = account.currency;
    accounts_.push_back(std::move(account));
  }
}

std::optional<AccountId> AuditAccounts::Find(absl::string_view currency,
                                             absl::string_view name) const {
  const auto found = by_name_.find(KeyOf(currency, name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

std::optional<absl::string_view> AuditAccounts::PoolOf(absl::string_view team) const {
  const auto found = pools_.find(team);
  if (found == pools_.end()) return std::nullopt;
  return found->second;
}

std::optional<absl::string_view> ResourceOfSpent(absl::string_view account,
                                                 absl::string_view pool) {
  if (!absl::ConsumePrefix(&account, kSpentAccount) || !absl::ConsumePrefix(&account, pool) ||
      !absl::ConsumePrefix(&account, ":") || account.empty()) {
    return std::nullopt;
  }
  return account;
}

std::optional<absl::string_view> AfterPrefix(absl::string_view account, absl::string_view prefix) {
  if (!absl::ConsumePrefix(&account, prefix) || account.empty()) return std::nullopt;
  return account;
}

}  // namespace qmarket
