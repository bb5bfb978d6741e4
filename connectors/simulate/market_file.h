// The market file of a simulation: what a trace does not say (TOML; docs/simulate.md).
//
// Settings of the market, how the overlay fills in what is not stated, and stated weights, incomes
// and properties of bids. Amounts are micro-credits. Plain values.
#ifndef QMARKET_CONNECTORS_SIMULATE_MARKET_FILE_H_
#define QMARKET_CONNECTORS_SIMULATE_MARKET_FILE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/event.h"

namespace qmarket {

// How what nobody states is filled in.
struct Overlay {
  std::int64_t credits_per_chip_hour_micros =
      1'000'000;                            // all weights together buy the fleet at it
  std::uint64_t seed = 1;                   // of all that is drawn
  bool seeded_limits = false;               // draw limit prices, else there are none
  std::uint32_t elastic_percent = 0;        // of the jobs on several chips: may run on a quarter
  std::uint32_t opportunistic_percent = 0;  // of all jobs: run on idle chips only

  friend bool operator==(const Overlay&, const Overlay&) = default;
};

struct PoolRule {
  std::optional<std::int64_t> market_weight_micros;
  std::optional<bool> lend_idle;

  friend bool operator==(const PoolRule&, const PoolRule&) = default;
};

struct TeamRule {
  std::optional<std::int64_t> income_micros;
  std::uint32_t income_leverage_percent = 0;
  std::int64_t grant_micros = 0;  // given at the start

  friend bool operator==(const TeamRule&, const TeamRule&) = default;
};

// What the bids that match get. Conditions and properties left out do not matter.
struct BidRule {
  std::optional<std::string> pool;
  std::optional<std::string> team;  // as the trace names it
  std::optional<std::string> resource;
  std::optional<std::int64_t> at_least_chips;
  std::optional<std::int64_t> at_most_chips;

  std::optional<std::int64_t> limit_price_micros;  // -1: none
  std::optional<std::int32_t> priority;
  std::optional<bool> opportunistic;
  std::optional<bool> standby;
  std::optional<std::int64_t> min_chips_percent;

  friend bool operator==(const BidRule&, const BidRule&) = default;
};

struct MarketFile {
  MarketConfigured market;
  Overlay overlay;
  std::map<std::string, PoolRule> pools;
  std::map<std::string, TeamRule> teams;
  std::vector<BidRule> bids;  // the last that matches and states a property gives it
};

// `file` is the name for messages. Error: InvalidArgument with file, line, key, value and what was
// expected; a key that is not known is an error too.
[[nodiscard]] absl::StatusOr<MarketFile> ParseMarketFile(absl::string_view file,
                                                         absl::string_view text);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_MARKET_FILE_H_
