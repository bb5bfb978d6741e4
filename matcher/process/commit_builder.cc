#include "matcher/process/commit_builder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"

#include "events/check.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "events/units.h"
#include "ledger/core/book.h"
#include "ledger/store/commit.h"
#include "matcher/core/market.h"
#include "matcher/process/outcome_index.h"
#include "matcher/process/record.h"

namespace qmarket {
namespace {

// The balances of all accounts that the steps touch, by id.
std::vector<AccountBalance> BalancesAfter(const std::vector<StepEffects>& steps, const Book& book) {
  std::vector<AccountId> touched;
  for (const StepEffects& step : steps) {
    for (const Posting& posting : step.postings) {
      touched.push_back(posting.from);
      touched.push_back(posting.to);
    }
  }
  std::ranges::sort(touched);
  touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
  std::vector<AccountBalance> balances;
  balances.reserve(touched.size());
  for (const AccountId account : touched) {
    balances.push_back({.account = account, .balance = book.Balance(account)});
  }
  return balances;
}

}  // namespace

void CommitBuilder::Add(const Market& market, const LogRecord& record, const Step& step,
                        std::string canonical) {
  ++records_;
  last_offset_ = record.offset;
  last_record_hash_ = RecordHash(record);
  StepEffects effects = {.offset = record.offset, .postings = step.postings};
  effects.record_hash = FrontOf(last_record_hash_);
  if (!step.rejected()) effects.time_ms = market.time_ms();
  effects.outcomes = std::move(canonical);
  effects.index = IndexOf(step.outcomes);
  // The outcomes lie twice in a commit, once in the index.
  bytes_ += 2 * effects.outcomes.size() + effects.postings.size() * sizeof(Posting);
  steps_.push_back(std::move(effects));
}

LedgerCommit CommitBuilder::Take(const Market& market, std::uint64_t next_offset,
                                 const Digest& digest) {
  QM_CHECK(records_ > 0, "a commit of no record");
  const Book& book = market.book();
  LedgerCommit commit;
  commit.next_offset = next_offset;
  commit.last_offset = last_offset_;
  commit.last_record_hash = last_record_hash_;
  commit.digest = digest;
  commit.new_currencies.assign(
      book.currencies().begin() + static_cast<std::ptrdiff_t>(stored_currencies_),
      book.currencies().end());
  for (const Account& account : book.accounts().subspan(stored_accounts_)) {
    commit.new_accounts.push_back(
        {.name = account.name, .currency = account.currency, .floor = account.floor});
  }
  commit.balances = BalancesAfter(steps_, book);
  commit.steps = std::exchange(steps_, {});
  stored_currencies_ = book.currencies().size();
  stored_accounts_ = book.accounts().size();
  records_ = 0;
  bytes_ = 0;
  return commit;
}

}  // namespace qmarket
