// Whether the balances that the store keeps of every account are the running sums of its journal,
// at every change, and no others.
//
//   BalanceAudit audit(scan, accounts, report);
//   audit.Add(offset, account, balance);   // after each posting, in the order of the journal
//   audit.Finish();
//
// Changes are gathered and compared by stretches of offsets, so that memory is bounded. Not
// thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_BALANCES_H_
#define QMARKET_REPLAY_AUDIT_BALANCES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "events/int128.h"
#include "events/units.h"
#include "ledger/store/scan.h"
#include "replay/audit/accounts.h"
#include "replay/audit/report.h"

namespace qmarket {

class BalanceAudit {
 public:
  // All must outlive this.
  BalanceAudit(const StoreScan& scan, const AuditAccounts& accounts, AuditReport& report);

  // Offsets do not fall.
  void Add(std::uint64_t offset, AccountId account, Int128 balance);

  // Call once, at the end.
  void Finish();

 private:
  struct Change {
    AccountId account;
    std::uint64_t offset = 0;
    Int128 balance = 0;
  };

  // Compares the changes gathered with what the store has from from_ on up to and including `to`.
  void Compare(std::uint64_t to);
  // One change for an account and offset, the last, by account and offset.
  void Sort();
  void Find(const Change& change, std::string what);

  const StoreScan& scan_;
  const AuditAccounts& accounts_;
  AuditCheck& check_;
  std::uint64_t from_ = 0;
  std::vector<Change> changes_;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_BALANCES_H_
