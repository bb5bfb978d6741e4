// Which part of the books is exported: all, one pool, or one team.
//
// Some accounts are exported whole: every movement of theirs is in the export, so their balances
// can be proved. The accounts on the other side of those movements are partly there, and nothing is
// said of their balances. Of everything, all accounts are whole; of a pool, those in its currency
// and its purse; of a team, its own. Not thread-safe.
#ifndef QMARKET_CONNECTORS_BOOKS_SELECTION_H_
#define QMARKET_CONNECTORS_BOOKS_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/books/chart.h"
#include "ledger/core/book.h"

namespace qmarket {

class BookSelection {
 public:
  // Empty: any. InvalidArgument where the team is not of the pool. Both must be in the chart.
  [[nodiscard]] static absl::StatusOr<BookSelection> Make(const BookChart& chart,
                                                          const std::string& team,
                                                          const std::string& pool);

  [[nodiscard]] bool IsWhole(AccountId account) const { return whole_[account.index()]; }

  [[nodiscard]] bool Takes(const Posting& posting) const {
    return IsWhole(posting.from) || IsWhole(posting.to);
  }

 private:
  std::vector<bool> whole_;  // by account
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_BOOKS_SELECTION_H_
