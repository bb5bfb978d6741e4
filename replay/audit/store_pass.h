// One pass over all that a ledger's store holds, without the log: the books, the charges, the
// chain of digests, the balances and the index, each from what is recorded of outcomes and
// postings.
#ifndef QMARKET_REPLAY_AUDIT_STORE_PASS_H_
#define QMARKET_REPLAY_AUDIT_STORE_PASS_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "ledger/store/scan.h"
#include "replay/audit/report.h"

namespace qmarket {

class StorePass {
 public:
  // Begins the checks. Both must outlive this.
  StorePass(const StoreScan& scan, AuditReport& report);

  StorePass(const StorePass&) = delete;
  StorePass& operator=(const StorePass&) = delete;
  ~StorePass();

  // Makes them; once. It may run in a thread of its own.
  void Run();

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_STORE_PASS_H_
