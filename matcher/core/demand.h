// A pool's demand for one resource as a falling step function of the price (mechanism §4, D_k).
#ifndef QMARKET_MATCHER_CORE_DEMAND_H_
#define QMARKET_MATCHER_CORE_DEMAND_H_

#include <vector>

#include "absl/types/span.h"

#include "events/units.h"
#include "matcher/core/exchange_rate.h"
#include "matcher/core/unit_run.h"

namespace qmarket {

class Demand {
 public:
  struct Step {
    Price price;
    Chips chips;  // wanted at this price or above it, by the runs that want all of theirs at once
  };

  // The demand of some runs, which must outlive it.
  void Assign(absl::Span<UnitRun* const> runs, const ExchangeRate& rate);

  // D(price): the chips of units with rho_ref >= price.
  [[nodiscard]] Chips AtLeast(Price price) const;

  // The highest reservation price; 0 where there is none.
  [[nodiscard]] Price highest() const { return highest_; }

  // Highest price first.
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

  // True where demand changes only at the steps.
  [[nodiscard]] bool has_only_steps() const { return slopes_.empty(); }

 private:
  ExchangeRate rate_;
  Price highest_;
  Chips total_;
  std::vector<Step> steps_;
  std::vector<const UnitRun*> slopes_;  // runs whose units differ in price: counted by formula
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_DEMAND_H_
