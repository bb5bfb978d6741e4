// What an export writes, one after the other: the movements of one event, as plain values.
#ifndef QMARKET_CONNECTORS_BOOKS_TRANSACTION_H_
#define QMARKET_CONNECTORS_BOOKS_TRANSACTION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connectors/books/chart.h"
#include "events/int128.h"
#include "events/outcome.h"

namespace qmarket {

// What one account gains (or loses, below zero) of what one kind of movement brings, in
// micro-credits.
struct ExportedPosting {
  const BookAccount* account = nullptr;  // null: where balances from before the export come from
  std::uint32_t currency = 0;            // index in BookChart::currencies
  Int128 amount = 0;
  std::optional<PostingKind> kind{};  // none: an opening balance
  std::string resource{};             // of charges and chips
  std::optional<Int128> balance{};    // after it, where all of the account is exported
};

// The movements that one event made. Amounts of each currency add up to zero.
struct ExportedTransaction {
  std::optional<std::uint64_t> offset{};  // none: opening balances
  std::string event_id{};
  std::int64_t time_ms = 0;  // effective
  std::string type{};        // of the event; "opening balances"
  std::string actor{};
  std::string source{};
  std::vector<ExportedPosting> postings{};
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_TRANSACTION_H_
