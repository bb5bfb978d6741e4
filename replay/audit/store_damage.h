// What could not be read of the store, as findings.
#ifndef QMARKET_REPLAY_AUDIT_STORE_DAMAGE_H_
#define QMARKET_REPLAY_AUDIT_STORE_DAMAGE_H_

#include <vector>

#include "ledger/store/scan.h"
#include "replay/audit/report.h"

namespace qmarket {

inline void ReportDamages(const std::vector<StoreDamage>& damages, AuditCheck& check) {
  for (const StoreDamage& damage : damages) {
    check.Find({.where = AuditPart::kStore, .object = damage.object, .what = damage.what});
  }
}

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_STORE_DAMAGE_H_
