#include "matcher/process/replica.h"

#include <utility>
#include <variant>

#include "events/outcome_codec.h"

namespace qmarket {

Replica::Replica(Parts parts)
    : market_(std::move(parts.market)),
      digest_(parts.digest),
      offset_(parts.offset),
      events_(parts.events),
      rejected_(std::move(parts.rejected)),
      preempted_(std::move(parts.preempted)) {}

Replica::Applied Replica::Apply(const Input& input) {
  Applied applied;
  applied.step = market_.Apply(input);
  offset_ = input.offset;
  ++events_;
  if (applied.step.outcomes.empty()) return applied;
  applied.canonical = EncodeOutcomes(applied.step.outcomes);
  digest_.Add(input.offset, applied.canonical);
  for (const Outcome& outcome : applied.step.outcomes) {
    if (const auto* rejected = std::get_if<EventRejected>(&outcome)) {
      rejected_.push_back({rejected->event_id, input.offset, rejected->code});
    } else if (const auto* lost = std::get_if<BidPreempted>(&outcome)) {
      if (lost->chips == 0) preempted_.push_back({lost->bid, input.offset, lost->reason});
    }
  }
  return applied;
}

}  // namespace qmarket
