// The accounts of a ledger, and what their names say of them (mechanism §6, double entry).
//
// Read from the store alone: the audit of the books knows nothing of the market. Not thread-safe
// while it is made, a constant afterwards.
#ifndef QMARKET_REPLAY_AUDIT_ACCOUNTS_H_
#define QMARKET_REPLAY_AUDIT_ACCOUNTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"

namespace qmarket {

enum class AccountRole { kMint, kTeam, kSpent, kIssue, kPurse, kSold, kUnknown };

struct AuditAccount {
  std::string name;      // "spent:search:h100"
  std::string currency;  // the pool; empty: reference credits
  CurrencyId currency_id;
  Floor floor = Floor::kNone;
  AccountRole role = AccountRole::kUnknown;
  std::string owner;  // the team, the pool, or the resource that it is named after; else empty
};

class AuditAccounts {
 public:
  // By id, as the store has them.
  AuditAccounts(absl::Span<const std::string> currencies, absl::Span<const NewAccount> accounts);

  [[nodiscard]] std::size_t size() const { return accounts_.size(); }

  [[nodiscard]] bool Has(AccountId id) const { return id.index() < accounts_.size(); }

  [[nodiscard]] const AuditAccount& operator[](AccountId id) const { return accounts_[id.index()]; }

  // The account of this name in a currency.
  [[nodiscard]] std::optional<AccountId> Find(absl::string_view currency,
                                              absl::string_view name) const;

  // The pool of a team; none where no account says so.
  [[nodiscard]] std::optional<absl::string_view> PoolOf(absl::string_view team) const;

 private:
  std::vector<AuditAccount> accounts_;
  absl::flat_hash_map<std::string, std::string> pools_;  // by team
  absl::flat_hash_map<std::string, AccountId> by_name_;  // by currency, zero byte, name
};

// The resource that "spent:POOL:RESOURCE" and "sold:RESOURCE" are of; none where it is none.
[[nodiscard]] std::optional<absl::string_view> ResourceOfSpent(absl::string_view account,
                                                               absl::string_view pool);

// What follows the prefix in an account's name, e.g. of "team:"; none where it has another.
[[nodiscard]] std::optional<absl::string_view> AfterPrefix(absl::string_view account,
                                                           absl::string_view prefix);

inline constexpr char kTeamAccount[] = "team:";
inline constexpr char kMintAccount[] = "mint:";
inline constexpr char kSpentAccount[] = "spent:";
inline constexpr char kPurseAccount[] = "purse:";
inline constexpr char kSoldAccount[] = "sold:";
inline constexpr char kIssueAccount[] = "issue";

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_ACCOUNTS_H_
