#include "matcher/core/demand.h"

#include <algorithm>

namespace qmarket {

void Demand::Assign(absl::Span<UnitRun* const> runs, const ExchangeRate& rate) {
  rate_ = rate;
  highest_ = Price(0);
  total_ = Chips(0);
  steps_.clear();
  slopes_.clear();
  for (const UnitRun* run : runs) {
    highest_ = std::max(highest_, run->first_reference);
    total_ += run->chips();
    if (run->first_reference == run->last_reference) {
      steps_.push_back({.price = run->first_reference, .chips = run->chips()});
    } else {
      slopes_.push_back(run);
    }
  }
  std::ranges::sort(steps_, std::ranges::greater(), &Step::price);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (kept > 0 && steps_[kept - 1].price == steps_[i].price) {
      steps_[kept - 1].chips += steps_[i].chips;
    } else {
      const Chips above = kept > 0 ? steps_[kept - 1].chips : Chips(0);
      steps_[kept++] = {.price = steps_[i].price, .chips = steps_[i].chips + above};
    }
  }
  steps_.resize(kept);
}

Chips Demand::AtLeast(Price price) const {
  if (price <= Price(0)) return total_;
  if (price > highest_) return Chips(0);
  const auto below = std::ranges::partition_point(
      steps_, [price](const Step& step) { return step.price >= price; });
  Chips chips = below == steps_.begin() ? Chips(0) : std::prev(below)->chips;
  for (const UnitRun* run : slopes_) {
    chips += Chips(UnitsWorth(*run, rate_, price) * run->unit_chips.value());
  }
  return chips;
}

}  // namespace qmarket
