// Whether the store knows when each event took effect: at its own time, but never before the one
// before it (mechanism §6, Time), and whether it was told where that is later.
//
//   EffectiveTimes times(scan, report);
//   times.Take(input, recorded);   // of each record, in the order of the log
//   times.Finish();
//
// It holds both tables of the store against the log: offset -> time and time -> offset. Not
// thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_EFFECTIVE_TIMES_H_
#define QMARKET_REPLAY_AUDIT_EFFECTIVE_TIMES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/types/span.h"

#include "events/outcome.h"
#include "ledger/store/scan.h"
#include "matcher/core/input.h"
#include "replay/audit/report.h"

namespace qmarket {

class EffectiveTimes {
 public:
  // Both must outlive this.
  EffectiveTimes(const StoreScan& scan, AuditReport& report);

  // With the outcomes that are recorded of it.
  void Take(const Input& input, absl::Span<const Outcome> recorded);

  // Call once, after all that the store has applied.
  void Finish();

  // Not all can be taken.
  void GiveUp() { check_.GiveUp(); }

 private:
  // The events that took effect at the newest time, first to last.
  struct Moment {
    std::int64_t time_ms = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  void CheckLate(const Input& input, const Event& event, std::int64_t time_ms,
                 absl::Span<const Outcome> recorded);
  void CheckTimeAt(std::uint64_t offset, std::int64_t time_ms);
  void PassTimesBefore(std::uint64_t offset);
  // Nothing more takes effect at moment_.
  void CheckOffsetAt();
  void Find(StoreTable table, std::optional<std::uint64_t> offset, std::string what);

  AuditCheck& check_;
  StoreCursor offset_times_;
  StoreCursor times_;
  std::optional<std::uint64_t> in_force_;  // the time that the store says is, by its last entry
  std::optional<Moment> moment_;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_EFFECTIVE_TIMES_H_
