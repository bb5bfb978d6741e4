// The accounts and currencies of the books that are exported, as writers need them.
//
// An account of the ledger is named `team:<team>`, `mint:<pool>`, `spent:<pool>:<resource>` in the
// currency of a pool, and `issue`, `purse:<pool>`, `sold:<resource>` in reference credits
// (mechanism §6, double entry). Names may hold colons, so an account is taken apart by its currency
// and never by splitting. Plain values.
#ifndef QMARKET_CONNECTORS_BOOKS_CHART_H_
#define QMARKET_CONNECTORS_BOOKS_CHART_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "events/units.h"
#include "ledger/store/store.h"

namespace qmarket {

enum class BookAccountKind : std::uint8_t { kTeam, kMint, kSpent, kIssue, kPurse, kSold };

// The credits of a pool, or reference credits where `pool` is empty. `number` is that of the
// ledger: given in the order in which currencies came to be, and never changed.
struct BookCurrency {
  std::string pool;
  std::uint32_t number = 0;
};

struct BookAccount {
  BookAccountKind kind = BookAccountKind::kIssue;
  std::string name;            // the ledger's
  std::string team{};          // of kTeam
  std::string pool{};          // of kTeam, kMint, kSpent, kPurse
  std::string resource{};      // of kSpent, kSold
  std::uint32_t currency = 0;  // index in BookChart::currencies
};

struct BookChart {
  std::vector<BookCurrency> currencies;  // by the ledger's id
  std::vector<BookAccount> accounts;     // likewise

  [[nodiscard]] const BookAccount& Account(AccountId id) const;

  [[nodiscard]] const BookCurrency& CurrencyOf(const BookAccount& account) const;
};

// `currencies` and `accounts` as the store gives them. Internal where an account is of no kind that
// is known here.
[[nodiscard]] absl::StatusOr<BookChart> MakeBookChart(absl::Span<const std::string> currencies,
                                                      absl::Span<const StoredAccount> accounts);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_CHART_H_
