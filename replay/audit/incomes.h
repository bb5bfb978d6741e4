// What teams are given over time, and what pools' weights bring their purses, computed again from
// the events that state them and held against what was posted (mechanism §6: stated values are in
// force from the next tick on, after its settlement).
//
//   Incomes incomes(report);
//   incomes.Take(input, recorded);   // of each record, in the order of the log
//
// It knows nothing of the market. Exact, as charges are (charges.h). Not thread-safe.
#ifndef QMARKET_REPLAY_AUDIT_INCOMES_H_
#define QMARKET_REPLAY_AUDIT_INCOMES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/types/span.h"

#include "events/event.h"
#include "events/int128.h"
#include "events/outcome.h"
#include "matcher/core/input.h"
#include "replay/audit/report.h"

namespace qmarket {

class Incomes {
 public:
  // The report must outlive this.
  explicit Incomes(AuditReport& report) : check_(report.Begin("incomes", "payments")) {}

  // With the outcomes that are recorded of it.
  void Take(const Input& input, absl::Span<const Outcome> recorded);

  void GiveUp() { check_.GiveUp(); }

 private:
  // Of a team, or of a pool.
  struct Source {
    std::int64_t stated = 0;  // per hour
    std::int64_t in_force = 0;
    Uint128 sum = 0;  // in micro-credits times milliseconds per hour
    std::int64_t since_ms = 0;

    void MoveTo(std::int64_t now_ms);
    Uint128 TakeWhole(std::int64_t now_ms);
  };

  void TakeTick(std::uint64_t offset, std::int64_t now_ms, absl::Span<const Outcome> recorded);
  void Compare(std::uint64_t offset, std::int64_t now_ms, const CreditsPosted& posted);
  void Find(std::uint64_t offset, std::string what);

  AuditCheck& check_;
  std::optional<std::int64_t> now_ms_;        // effective, of the last event that took effect
  std::map<std::string, Source> by_account_;  // "team:vision", "purse:search"
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_AUDIT_INCOMES_H_
