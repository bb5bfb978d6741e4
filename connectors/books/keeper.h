// Turns the ledger's journal into transactions of an export, with running balances.
//
//   absl::StatusOr<BookKeeper> keeper = BookKeeper::Make(store, chart, selection, range.from);
//   ExportedTransaction opening = keeper->Opening(from_ms);
//   transaction.postings = keeper->Take(postings);  // for each offset, in order
//   absl::Status status = keeper->Check(store, range.to);
//
// What several movements of a kind bring to one account in one event is one posting: a settlement
// pays the income of all teams of a pool from one account. What they are of is kept apart: each
// team, purse and resource has postings of its own. Keeps a balance an account. Not thread-safe.
#ifndef QMARKET_CONNECTORS_BOOKS_KEEPER_H_
#define QMARKET_CONNECTORS_BOOKS_KEEPER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "connectors/books/chart.h"
#include "connectors/books/selection.h"
#include "connectors/books/transaction.h"
#include "ledger/store/store.h"

namespace qmarket {

class BookKeeper {
 public:
  // For an export that begins at the offset `from`. Chart and selection outlive it. Errors: those
  // of the store.
  [[nodiscard]] static absl::StatusOr<BookKeeper> Make(const LedgerStore& store,
                                                       const BookChart& chart,
                                                       const BookSelection& selection,
                                                       std::uint64_t from);

  // The balances before `from` of all accounts that are whole, and where they come from. Without
  // postings where there are none.
  [[nodiscard]] ExportedTransaction Opening(std::int64_t time_ms) const;

  // The postings of an event; none where it is of no account that is whole.
  [[nodiscard]] std::vector<ExportedPosting> Take(absl::Span<const Posting> postings);

  // DataLoss where the balances that add up so are not those that the store has after `offset`.
  [[nodiscard]] absl::Status Check(const LedgerStore& store, std::uint64_t offset) const;

 private:
  BookKeeper(const BookChart& chart, const BookSelection& selection)
      : chart_(&chart), selection_(&selection), balances_(chart.accounts.size()) {}

  const BookChart* chart_;
  const BookSelection* selection_;
  std::vector<Int128> balances_;  // by account; of those that are whole
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_KEEPER_H_
