// Plain values that describe the market's state, for reports, queries and checks.
//
// Units are part of the names. Words are those of the contract (`replay --events`).
#ifndef QMARKET_MATCHER_CORE_VIEW_H_
#define QMARKET_MATCHER_CORE_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/int128.h"

namespace qmarket {

struct TeamView {
  std::string team;
  std::string pool;
  std::int64_t income_micros_per_hour = 0;  // in force since the last tick
  std::uint32_t income_leverage_percent = 0;
  std::int64_t balance_micros = 0;
  Int128 charged_micros = 0;  // posted so far
  Int128 minted_micros = 0;   // income and grants, net of claw-backs
  Int128 uncollected_micros = 0;
  Uint128 enter_cap_micros_per_hour = 0;  // beta_enter of the last cycle
  Uint128 keep_cap_micros_per_hour = 0;   // beta_keep of the last cycle
  Uint128 burn_micros_per_hour = 0;       // what its paid chips cost now
};

// A rate N / D: reference credits a local credit is worth.
struct ExchangeRateView {
  Uint128 numerator = 0;
  Uint128 denominator = 1;
};

struct PoolView {
  std::string pool;
  std::int64_t market_weight_micros_per_hour = 0;  // in force since the last tick
  bool lend_idle = true;
  std::int64_t purse_micros = 0;
  Int128 uncollected_micros = 0;
  std::optional<ExchangeRateView> exchange_rate;  // of the last cycle, reduced
};

struct ResourcePoolView {
  std::string pool;
  std::int64_t owned = 0;                              // as the last cycle used it
  std::optional<std::int64_t> price_micros;            // local
  std::optional<std::int64_t> reference_price_micros;  // x_k
  std::int64_t lent = 0;
  std::int64_t demand = 0;  // chips that its standing bids ask for, now
};

struct ResourceView {
  std::string resource;
  bool cleared = false;  // had supply or standing bids at the last cycle
  std::optional<std::int64_t> reference_price_micros;
  std::int64_t supply = 0;              // of all owners together, as the last cycle used it
  std::int64_t shared = 0;              // of it shared
  std::int64_t allocated = 0;           // now
  std::vector<ResourcePoolView> pools;  // every pool, by name
};

enum class BidState : std::uint8_t { kRunning, kUnpaid, kWaiting, kEnded };

// "running", "unpaid", "waiting" or "ended".
[[nodiscard]] const char* BidStateName(BidState state);

struct BidView {
  std::string bid;
  std::string team;
  std::string resource;
  BidState state = BidState::kWaiting;
  std::int64_t chips = 0;  // it holds
  std::int64_t paid = 0;   // of them at the price
  std::int64_t wanted = 0;
  std::int64_t min_chips = 0;
  std::optional<std::int64_t> limit_price_micros;  // none: no limit
  std::int32_t priority = 0;
  bool opportunistic = false;
  bool standby = true;
  bool set_aside = false;   // at the last cycle: needs more chips than there are
  std::uint64_t place = 0;  // in the log
  std::optional<std::int64_t> reservation_price_micros;  // of its first unit, at the last cycle
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_VIEW_H_
