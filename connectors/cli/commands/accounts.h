// The accounts of a store by name, and the names of teams, pools and resources in them.
//
// Accounts are named `team:<team>`, `mint:<pool>`, `spent:<pool>:<resource>` in the currency of a
// pool, and `issue`, `purse:<pool>`, `sold:<resource>` in reference credits (mechanism §6).
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_ACCOUNTS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_ACCOUNTS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "ledger/store/store.h"

namespace qmarket {

inline constexpr char kTeamPrefix[] = "team:";
inline constexpr char kPursePrefix[] = "purse:";

// What people and programs see for the currency that is no pool's.
inline constexpr char kReferenceCurrency[] = "(reference)";

class AccountList {
 public:
  [[nodiscard]] static absl::StatusOr<AccountList> Read(const LedgerStore& store);

  // Sorted by name.
  [[nodiscard]] const std::vector<StoredAccount>& accounts() const { return accounts_; }

  // The pool's name, or kReferenceCurrency.
  [[nodiscard]] std::string CurrencyOf(const StoredAccount& account) const;

  // By id, as postings have it.
  [[nodiscard]] const StoredAccount& ById(AccountId id) const;

  // The account of that name, or of the team of that name. NotFound names those that are near.
  [[nodiscard]] absl::StatusOr<StoredAccount> Find(absl::string_view name) const;

  [[nodiscard]] std::map<std::string, std::string> PoolsOfTeams() const;

  // NotFound, with the names that are near, where there is no such team or pool.
  [[nodiscard]] absl::Status CheckTeam(absl::string_view team) const;
  [[nodiscard]] absl::Status CheckPool(absl::string_view pool) const;

 private:
  // What follows `prefix` in the names that begin with it.
  [[nodiscard]] std::vector<std::string> NamesAfter(absl::string_view prefix) const;

  std::vector<std::string> currencies_;
  std::vector<StoredAccount> by_id_;
  std::vector<StoredAccount> accounts_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_ACCOUNTS_H_
