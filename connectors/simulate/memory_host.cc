#include "connectors/simulate/memory_host.h"

#include <optional>
#include <utility>

#include "events/event_codec.h"
#include "events/fingerprint.h"
#include "events/outcome_codec.h"

namespace qmarket {

absl::StatusOr<std::vector<Outcome>> MemoryHost::Apply(const Event& event) {
  Input input{.offset = next_offset_++,
              .append_time_ms = std::nullopt,
              .event = event,
              .id = FingerprintOf(event.event_id),
              .content = FingerprintOf(CanonicalEvent(event))};
  Step step = market_.Apply(input);
  if (!step.outcomes.empty()) digest_.Add(input.offset, EncodeOutcomes(step.outcomes));
  return std::move(step.outcomes);
}

absl::StatusOr<std::string> MemoryHost::Finish() {
  return ToHex(digest_.value());
}

}  // namespace qmarket
