// Double-entry accounts in memory: the ledger's pure core.
//
// Every posting moves an amount from one account to another of the same currency, so the balances
// of a currency always add up to zero. An account may have a floor of zero; a posting below it, or
// between currencies, is a broken invariant: the caller checks first what can be paid. The book
// knows nothing of markets: who posts what, and why, is the caller's.
//
// Amounts are micro-credits. Not thread-safe. Source: mechanism §6, double entry.
#ifndef QMARKET_LEDGER_CORE_BOOK_H_
#define QMARKET_LEDGER_CORE_BOOK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

#include "events/int128.h"
#include "events/units.h"

namespace qmarket {

enum class Floor : std::uint8_t { kNone, kZero };

struct Account {
  std::string name;  // e.g. "team:vision"
  CurrencyId currency;
  Floor floor = Floor::kNone;
  Int128 balance = 0;
};

// One movement. `kind` is the caller's word for what it was for, kept with it.
struct Posting {
  AccountId from;
  AccountId to;
  Credits amount;
  std::uint8_t kind = 0;

  friend bool operator==(const Posting&, const Posting&) = default;
};

class Book {
 public:
  // Ids are dense and given in the order of the calls, so the same calls give the same ids.
  CurrencyId AddCurrency(std::string name);
  AccountId Open(std::string name, CurrencyId currency, Floor floor);

  // An account as it was when it was stored. The caller sees to it that each currency adds up to
  // zero again.
  AccountId Restore(Account account);

  // Moves posting.amount (>= 0) between two accounts.
  void Post(const Posting& posting);

  [[nodiscard]] Int128 Balance(AccountId id) const { return accounts_[id.index()].balance; }

  // The balance of an account that the ranges of the contract keep within 64 bits.
  [[nodiscard]] Credits SmallBalance(AccountId id) const;

  [[nodiscard]] absl::Span<const Account> accounts() const { return accounts_; }

  [[nodiscard]] absl::Span<const std::string> currencies() const { return currencies_; }

  // The sum of all balances of a currency: zero, always. Walks all accounts.
  [[nodiscard]] Int128 Sum(CurrencyId currency) const;

  // What was posted since the last call, in order.
  [[nodiscard]] std::vector<Posting> TakePostings();

 private:
  std::vector<std::string> currencies_;
  std::vector<Account> accounts_;
  std::vector<Posting> postings_;
};

}  // namespace qmarket

#endif  // QMARKET_LEDGER_CORE_BOOK_H_
