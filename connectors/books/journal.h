// What the journals of hledger and ledger have in common.
#ifndef QMARKET_CONNECTORS_BOOKS_JOURNAL_H_
#define QMARKET_CONNECTORS_BOOKS_JOURNAL_H_

#include <string>

#include "absl/types/span.h"

#include "connectors/books/chart.h"
#include "connectors/books/transaction.h"

namespace qmarket {

// Where balances from before the export come from.
inline constexpr char kJournalOpeningAccount[] = "equity:opening";

// A posting without its comment: `    team:vision  -1.500000 "search" = 2.000000 "search"`.
[[nodiscard]] std::string JournalPosting(const BookChart& chart, const ExportedPosting& posting);

[[nodiscard]] std::string JournalIncludes(absl::Span<const std::string> files);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_JOURNAL_H_
