// Where a simulation's events go: a market that applies each one at once.
//
// Implementations: an engine on a data directory (engine_host.h), and a bare market in memory
// (memory_host.h) for quick tests. Not thread-safe.
#ifndef QMARKET_CONNECTORS_SIMULATE_MARKET_HOST_H_
#define QMARKET_CONNECTORS_SIMULATE_MARKET_HOST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "events/event.h"
#include "events/outcome.h"
#include "matcher/core/market.h"

namespace qmarket {

class MarketHost {
 public:
  MarketHost() = default;
  MarketHost(const MarketHost&) = delete;
  MarketHost& operator=(const MarketHost&) = delete;
  virtual ~MarketHost() = default;

  // Logs the event and applies it. The outcomes are those of the market. Errors: those of the log
  // and the store; a rejection is an outcome, not an error.
  virtual absl::StatusOr<std::vector<Outcome>> Apply(const Event& event) = 0;

  // Makes durable what was applied, and gives the digest of all outcomes so far, in hexadecimal.
  virtual absl::StatusOr<std::string> Finish() = 0;

  [[nodiscard]] virtual const Market& market() const = 0;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_MARKET_HOST_H_
