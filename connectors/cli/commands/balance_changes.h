// How balances change from offset to offset, and what for: from the postings of the journal.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_BALANCE_CHANGES_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_BALANCE_CHANGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "events/int128.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/store.h"

namespace qmarket {

// What the postings of one offset did to one account. The sum may be zero.
struct BalanceChange {
  const StoredAccount* account = nullptr;  // one of those given to RunningBalances
  Int128 amount = 0;
  Int128 balance = 0;              // after it
  std::vector<std::string> kinds;  // of its postings, each once, in their order
};

class RunningBalances {
 public:
  // The balances of these accounts before offset `from`. `accounts` must outlive it. Errors: those
  // of the store.
  [[nodiscard]] static absl::StatusOr<RunningBalances> Before(
      const LedgerStore& store, absl::Span<const StoredAccount> accounts, std::uint64_t from);

  // Takes the postings of the next offset in; gives the changes of accounts, in their order.
  [[nodiscard]] std::vector<BalanceChange> Take(absl::Span<const Posting> postings);

  // DataLoss where these are not the balances that the store has after offset `to`.
  [[nodiscard]] absl::Status Check(const LedgerStore& store, std::uint64_t to) const;

 private:
  struct Running {
    std::size_t place = 0;  // among the accounts
    const StoredAccount* account = nullptr;
    Int128 balance = 0;
  };

  std::map<AccountId, Running> accounts_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_BALANCE_CHANGES_H_
