#include "connectors/books/chart.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include "events/check.h"

namespace qmarket {
namespace {

// In the currency of the pool `pool`.
std::optional<BookAccount> PoolAccount(const std::string& full_name, const std::string& pool) {
  BookAccount account{.name = full_name, .pool = pool};
  absl::string_view name = full_name;
  if (absl::ConsumePrefix(&name, "team:")) {
    account.kind = BookAccountKind::kTeam;
    account.team = std::string(name);
    return account;
  }
  if (name == absl::StrCat("mint:", pool)) {
    account.kind = BookAccountKind::kMint;
    return account;
  }
  if (absl::ConsumePrefix(&name, absl::StrCat("spent:", pool, ":"))) {
    account.kind = BookAccountKind::kSpent;
    account.resource = std::string(name);
    return account;
  }
  return std::nullopt;
}

// In reference credits.
std::optional<BookAccount> ReferenceAccount(const std::string& full_name) {
  BookAccount account{.name = full_name};
  absl::string_view name = full_name;
  if (name == "issue") return account;
  if (absl::ConsumePrefix(&name, "purse:")) {
    account.kind = BookAccountKind::kPurse;
    account.pool = std::string(name);
    return account;
  }
  if (absl::ConsumePrefix(&name, "sold:")) {
    account.kind = BookAccountKind::kSold;
    account.resource = std::string(name);
    return account;
  }
  return std::nullopt;
}

}  // namespace

const BookAccount& BookChart::Account(AccountId id) const {
  QM_CHECK(id.index() < accounts.size(), "a posting has an unknown account");
  return accounts[id.index()];
}

const BookCurrency& BookChart::CurrencyOf(const BookAccount& account) const {
  return currencies[account.currency];
}

absl::StatusOr<BookChart> MakeBookChart(absl::Span<const std::string> currencies,
                                        absl::Span<const StoredAccount> accounts) {
  BookChart chart;
  for (std::size_t i = 0; i < currencies.size(); ++i) {
    chart.currencies.push_back({.pool = currencies[i], .number = static_cast<std::uint32_t>(i)});
  }
  for (const StoredAccount& stored : accounts) {
    QM_CHECK(stored.currency.index() < currencies.size(), "an account has an unknown currency");
    const std::string& pool = currencies[stored.currency.index()];
    std::optional<BookAccount> account =
        pool.empty() ? ReferenceAccount(stored.name) : PoolAccount(stored.name, pool);
    if (!account.has_value()) {
      return absl::InternalError(
          absl::StrCat("account ", stored.name, " is of no kind that can be exported"));
    }
    account->currency = stored.currency.index();
    chart.accounts.push_back(*std::move(account));
  }
  return chart;
}

}  // namespace qmarket
