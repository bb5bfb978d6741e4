#include "ledger/core/book.h"

#include <cstdint>
#include <utility>

#include "events/check.h"

namespace qmarket {

CurrencyId Book::AddCurrency(std::string name) {
  currencies_.push_back(std::move(name));
  return CurrencyId(static_cast<std::uint32_t>(currencies_.size() - 1));
}

AccountId Book::Open(std::string name, CurrencyId currency, Floor floor) {
  return Restore({.name = std::move(name), .currency = currency, .floor = floor, .balance = 0});
}

AccountId Book::Restore(Account account) {
  QM_CHECK(account.currency.index() < currencies_.size(), "an account of an unknown currency");
  QM_CHECK(account.floor == Floor::kNone || account.balance >= 0,
           "an account below its floor of zero");
  accounts_.push_back(std::move(account));
  return AccountId(static_cast<std::uint32_t>(accounts_.size() - 1));
}

void Book::Post(const Posting& posting) {
  QM_CHECK(posting.from.index() < accounts_.size() && posting.to.index() < accounts_.size(),
           "a posting names an unknown account");
  Account& from = accounts_[posting.from.index()];
  Account& to = accounts_[posting.to.index()];
  const Int128 amount = posting.amount.value();
  QM_CHECK(amount >= 0, "a posting of a negative amount");
  QM_CHECK(posting.from != posting.to, "a posting from an account to itself");
  QM_CHECK(from.currency == to.currency, "a posting between two currencies");
  QM_CHECK(from.floor == Floor::kNone || from.balance >= amount,
           "a posting would take an account below zero");
  from.balance -= amount;
  to.balance += amount;
  postings_.push_back(posting);
}

Credits Book::SmallBalance(AccountId id) const {
  const Int128 balance = Balance(id);
  QM_CHECK(balance >= INT64_MIN && balance <= INT64_MAX, "a balance does not fit in 64 bits");
  return Credits(static_cast<std::int64_t>(balance));
}

Int128 Book::Sum(CurrencyId currency) const {
  Int128 sum = 0;
  for (const Account& account : accounts_) {
    if (account.currency == currency) sum += account.balance;
  }
  return sum;
}

std::vector<Posting> Book::TakePostings() {
  return std::exchange(postings_, {});
}

}  // namespace qmarket
