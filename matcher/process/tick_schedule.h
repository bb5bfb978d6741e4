// When the matcher ticks: at the multiples of cycle_ms since the epoch.
//
// A boundary that was missed is not made up for: the next tick settles all that accrued. Times are
// milliseconds since the Unix epoch. Not thread-safe.
#ifndef QMARKET_MATCHER_PROCESS_TICK_SCHEDULE_H_
#define QMARKET_MATCHER_PROCESS_TICK_SCHEDULE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "events/event.h"

namespace qmarket {

class TickSchedule {
 public:
  // Of one run that starts at `now_ms`: the first tick is at the first boundary after it. `run`
  // goes into the ids of all its ticks and differs from run to run.
  TickSchedule(std::int64_t now_ms, std::string run) : last_ms_(now_ms), run_(std::move(run)) {}

  // The tick that is due at `now_ms`, if one is: at most once for a boundary.
  std::optional<Event> Due(std::int64_t now_ms, std::int64_t cycle_ms);

  // When the next one will be, as things stand.
  [[nodiscard]] std::int64_t NextMs(std::int64_t cycle_ms) const;

 private:
  std::int64_t last_ms_;  // of the last tick, or the start
  std::string run_;
};

// A word that no other run has had.
[[nodiscard]] std::string RandomRunId();

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_TICK_SCHEDULE_H_
