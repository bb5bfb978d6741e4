#include "replay/audit/balances.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

#include "replay/audit/store_damage.h"

namespace qmarket {
namespace {

constexpr std::size_t kMostChanges = std::size_t{1} << 20;

}  // namespace

BalanceAudit::BalanceAudit(const StoreScan& scan, const AuditAccounts& accounts,
                           AuditReport& report)
    : scan_(scan), accounts_(accounts), check_(report.Begin("balances", "balances")) {}

void BalanceAudit::Add(std::uint64_t offset, AccountId account, Int128 balance) {
  if (changes_.size() >= kMostChanges && changes_.back().offset < offset) {
    Compare(changes_.back().offset);
  }
  changes_.push_back({account, offset, balance});
}

void BalanceAudit::Finish() {
  Compare(UINT64_MAX);
}

void BalanceAudit::Sort() {
  std::ranges::stable_sort(changes_, [](const Change& a, const Change& b) {
    return std::tie(a.account, a.offset) < std::tie(b.account, b.offset);
  });
  std::size_t kept = 0;
  for (const Change& change : changes_) {
    const bool same = kept > 0 && changes_[kept - 1].account == change.account &&
                      changes_[kept - 1].offset == change.offset;
    changes_[same ? kept - 1 : kept++] = change;
  }
  changes_.resize(kept);
}

void BalanceAudit::Compare(std::uint64_t to) {
  Sort();
  std::size_t next = 0;
  // Those before a place of the table, which has none of them.
  const auto pass = [&](AccountId account, std::uint64_t offset) {
    for (; next < changes_.size() &&
           std::tie(changes_[next].account, changes_[next].offset) < std::tie(account, offset);
         ++next) {
      Find(changes_[next],
           absl::StrCat("no balance is kept, expected ", ToString(changes_[next].balance)));
    }
  };
  StoreCursor cursor = scan_.Read(StoreTable::kBalances);
  for (; cursor.valid(); cursor.Next()) {
    if (cursor.position() < from_ || cursor.position() > to) continue;
    check_.Count();
    const absl::StatusOr<AccountId> account = AccountOfSeries(cursor.series());
    const absl::StatusOr<Int128> balance = StoredBalance(cursor.value());
    if (!account.ok() || !balance.ok()) {
      check_.Find(
          {.where = AuditPart::kStore,
           .object = "balances",
           .offset = cursor.position(),
           .what = std::string((account.ok() ? balance.status() : account.status()).message())});
      continue;
    }
    pass(*account, cursor.position());
    const Change kept{*account, cursor.position(), *balance};
    if (next == changes_.size() || changes_[next].account != *account ||
        changes_[next].offset != cursor.position()) {
      Find(kept, absl::StrCat("a balance of ", ToString(*balance),
                              " is kept, and nothing is posted there"));
      continue;
    }
    if (changes_[next].balance != *balance) {
      Find(kept, absl::StrCat("a balance of ", ToString(*balance), " is kept, expected ",
                              ToString(changes_[next].balance)));
    }
    ++next;
  }
  if (!changes_.empty()) pass(AccountId(), UINT64_MAX);
  ReportDamages(cursor.damages(), check_);
  changes_.clear();
  from_ = to == UINT64_MAX ? to : to + 1;
}

void BalanceAudit::Find(const Change& change, std::string what) {
  const std::string name = accounts_.Has(change.account)
                               ? accounts_[change.account].name
                               : absl::StrCat("with id ", change.account.index());
  check_.Find({.where = AuditPart::kStore,
               .object = absl::StrCat("balances, account ", name),
               .offset = change.offset,
               .what = std::move(what)});
}

}  // namespace qmarket
