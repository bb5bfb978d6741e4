#include "connectors/books/usage_meter.h"

#include "events/check.h"

namespace qmarket {

void UsageMeter::Holding::AdvanceTo(std::int64_t time_ms) {
  QM_CHECK(time_ms >= since_ms, "time runs backwards");
  const Int128 passed = time_ms - since_ms;
  used.held_ms += chips * passed;
  used.paid_ms += paid * passed;
  since_ms = time_ms;
}

void UsageMeter::Fill(const BidFilled& fill) {
  const auto [place, is_new] = holdings_.try_emplace({fill.team, fill.resource});
  Holding& holding = place->second;
  if (is_new) holding.since_ms = fill.time_ms;
  holding.AdvanceTo(fill.time_ms);
  BidChips& bid = bids_[fill.bid];
  holding.chips += fill.chips - bid.chips;
  holding.paid += fill.paid - bid.paid;
  bid = {.chips = fill.chips, .paid = fill.paid};
  if (fill.chips == 0) bids_.erase(fill.bid);
}

std::map<TeamResource, ChipTime> UsageMeter::TakeUpTo(std::int64_t time_ms) {
  std::map<TeamResource, ChipTime> taken;
  for (auto it = holdings_.begin(); it != holdings_.end();) {
    Holding& holding = it->second;
    holding.AdvanceTo(time_ms);
    if (holding.used.held_ms != 0) taken[it->first] = holding.used;
    holding.used = {};
    it = holding.chips == 0 ? holdings_.erase(it) : std::next(it);
  }
  return taken;
}

}  // namespace qmarket
