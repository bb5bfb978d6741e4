// Looks at a market after every cycle: what must hold whatever happens (mechanism §2, §5, §6).
//
// Works from the market's views and outcomes, and from a second account of who holds what. A
// violation is recorded, not fatal: a simulation goes on and fails at its end. Not thread-safe.
#ifndef QMARKET_CONNECTORS_SIMULATE_CHECKS_H_
#define QMARKET_CONNECTORS_SIMULATE_CHECKS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "connectors/simulate/holdings.h"
#include "connectors/simulate/scenario.h"
#include "events/outcome.h"
#include "matcher/core/market.h"

namespace qmarket {

class CycleChecks {
 public:
  // `scenario` must outlive this.
  explicit CycleChecks(const Scenario& scenario);

  // After a tick with these outcomes. `holdings` has them already. Checks that
  //   - no more chips are held than there are, and those that a pool does not lend by it alone;
  //   - no chip is idle that a standing bid with standby could use (`usable_idle`, by resource);
  //   - no paid chip costs more than its bid's limit, and a pool buys what its price pays for;
  //   - no team pays more than its burn-rate cap;
  //   - no wallet and no purse is below zero, every currency adds up to zero, and nothing was left
  //     uncollected.
  void Check(std::int64_t time_ms, absl::Span<const Outcome> outcomes, const Market& market,
             Holdings& holdings, absl::Span<const std::int64_t> usable_idle);

  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

  [[nodiscard]] std::uint64_t violations() const { return violations_; }

  // The first of them: when, and what.
  [[nodiscard]] const std::vector<std::string>& examples() const { return examples_; }

 private:
  struct LocalPrice {
    std::optional<std::int64_t> micros;
  };

  void CheckCleared(const MarketCleared& cleared, const Holdings& holdings);
  void CheckPoolPurchase(const MarketCleared& cleared, const PoolCleared& pool);
  void CheckSupply(std::uint32_t resource, const Holdings& holdings, std::int64_t usable_idle);
  void CheckBids(Holdings& holdings);
  void CheckTeams(const Market& market);
  void CheckPools(const Market& market);
  void CheckBook(const Book& book);
  void Violation(absl::string_view what);

  const Scenario& scenario_;
  absl::flat_hash_map<std::string, std::uint32_t> pool_numbers_;
  absl::flat_hash_map<std::string, std::uint32_t> team_numbers_;
  absl::flat_hash_map<std::string, std::uint32_t> resource_numbers_;
  std::vector<LocalPrice> prices_;  // pools x resources
  std::vector<Int128> burns_;       // by team: what its paid chips cost in an hour
  std::int64_t time_ms_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t violations_ = 0;
  std::vector<std::string> examples_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_CHECKS_H_
