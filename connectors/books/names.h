// Names of pools, teams, resources and events in the words of each format (docs/audit-export.md).
//
// Every mapping is injective: different names stay different, and no two accounts or commodities
// fall together. Pure functions.
#ifndef QMARKET_CONNECTORS_BOOKS_NAMES_H_
#define QMARKET_CONNECTORS_BOOKS_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"

#include "connectors/books/chart.h"
#include "events/int128.h"

namespace qmarket {

// Micro-credits as credits with all six decimals: -1'500'000 is "-1.500000".
[[nodiscard]] std::string SixDecimals(Int128 micros);

// Percent-encoded where hledger or ledger could read more into it: all but letters, digits and
// `. _ @ / + = -` and, in a value, `:`. A name of so many colons that it would become longer than
// the 255 bytes that ledger takes has `~` for each.
[[nodiscard]] std::string PercentName(absl::string_view name);
[[nodiscard]] std::string PercentValue(absl::string_view value);

// An account of hledger and ledger: the ledger's own name, with the parts between its colons
// percent-encoded. `team:vision`, `spent:a%3Ab:h100`.
[[nodiscard]] std::string JournalAccount(const BookAccount& account);

// A commodity of hledger and ledger, in quotes: the pool's name, `"reference credits"` for those.
[[nodiscard]] std::string JournalCommodity(const BookCurrency& currency);

// An account of beancount: `Assets:Team:Vision`.
[[nodiscard]] std::string BeancountAccount(const BookAccount& account);

// A part of such an account. A first letter becomes upper case; what cannot stand there is `-X` and
// two hex digits; a name that does not begin with a small letter or a digit is put behind `Z-Z`.
[[nodiscard]] std::string BeancountPart(absl::string_view name);

// A commodity of beancount, at most 24 bytes: `SEARCH` for the pool `search`; for a name that is
// not 2 to 24 small letters, digits and hyphens, its beginning and the currency's number:
// `A-B-C.P3`.
[[nodiscard]] std::string BeancountCommodity(const BookCurrency& currency);

// In double quotes, as beancount reads it. Control characters of free texts become `%` and two hex
// digits.
[[nodiscard]] std::string BeancountText(absl::string_view text);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_NAMES_H_
