#include "matcher/process/tick_schedule.h"

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"

#include "events/event.h"

namespace qmarket {

std::optional<Event> TickSchedule::Due(std::int64_t now_ms, std::int64_t cycle_ms) {
  // The clock was set back: waiting until it has caught up would stop the market for as long.
  if (now_ms < last_ms_ - cycle_ms) last_ms_ = now_ms;
  if (now_ms < NextMs(cycle_ms)) return std::nullopt;
  last_ms_ = now_ms / cycle_ms * cycle_ms;
  return Event{.event_id = absl::StrCat("tick-", last_ms_, "-", run_),
               .time_ms = last_ms_,
               .actor = "",
               .source = "qmarket",
               .payload = ClockTicked{}};
}

std::int64_t TickSchedule::NextMs(std::int64_t cycle_ms) const {
  return (last_ms_ / cycle_ms + 1) * cycle_ms;
}

std::string RandomRunId() {
  std::random_device random;
  std::string id;
  for (const std::uint32_t part : std::array<std::uint32_t, 2>{random(), random()}) {
    absl::StrAppend(&id, absl::Hex(part, absl::kZeroPad8));
  }
  return id;
}

}  // namespace qmarket
