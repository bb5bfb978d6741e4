// What happened: the events of the contract as plain values.
//
// Numbers are as they stand in the record and may be outside their range: field_rules.h checks
// them. Units are part of the names: _micros are micro-credits, _ms milliseconds. Defaults are
// those of the contract. All types are values without identity; use them from any thread.
#ifndef QMARKET_EVENTS_EVENT_H_
#define QMARKET_EVENTS_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace qmarket {

struct PoolConfigured {
  std::string pool;
  std::int64_t market_weight_micros_per_hour = 0;  // in reference credits
  bool lend_idle = true;

  friend bool operator==(const PoolConfigured&, const PoolConfigured&) = default;
};

struct TeamConfigured {
  std::string team;
  std::string pool;
  std::int64_t income_micros_per_hour = 0;
  std::uint32_t income_leverage_percent = 0;  // 0: no leverage

  friend bool operator==(const TeamConfigured&, const TeamConfigured&) = default;
};

struct BudgetGranted {
  std::string team;
  std::int64_t amount_micros = 0;  // negative takes credits back
  std::string memo;

  friend bool operator==(const BudgetGranted&, const BudgetGranted&) = default;
};

struct CreditsTransferred {
  std::string from_team;
  std::string to_team;
  std::int64_t amount_micros = 0;
  std::string memo;

  friend bool operator==(const CreditsTransferred&, const CreditsTransferred&) = default;
};

struct SupplyChanged {
  std::string resource;
  std::string owner;        // a pool; empty: shared
  std::uint32_t chips = 0;  // the new total
  std::string reason;

  friend bool operator==(const SupplyChanged&, const SupplyChanged&) = default;
};

struct BidPlaced {
  std::string bid;
  std::string team;
  std::string resource;
  std::uint32_t chips = 0;
  std::uint32_t min_chips = 0;           // 0: all of chips
  std::int64_t limit_price_micros = -1;  // -1: no limit
  std::int32_t priority = 0;
  bool opportunistic = false;
  bool standby = true;

  friend bool operator==(const BidPlaced&, const BidPlaced&) = default;
};

struct BidAmended {
  std::string bid;
  std::optional<std::uint32_t> chips;
  std::optional<std::uint32_t> min_chips;
  std::optional<std::int64_t> limit_price_micros;
  std::optional<std::int32_t> priority;
  std::optional<bool> standby;

  friend bool operator==(const BidAmended&, const BidAmended&) = default;
};

struct BidWithdrawn {
  std::string bid;
  std::string reason;  // finished, cancelled, failed, ...

  friend bool operator==(const BidWithdrawn&, const BidWithdrawn&) = default;
};

struct ChipsPreempted {
  std::string bid;
  std::uint32_t chips = 0;
  std::string reason;  // node_failure, serving_clawback, maintenance, ...

  friend bool operator==(const ChipsPreempted&, const ChipsPreempted&) = default;
};

struct UsageReported {
  std::string bid;   // either this
  std::string team;  // or these two
  std::string resource;
  std::uint32_t chips_in_use = 0;
  std::int64_t from_ms = 0;
  std::int64_t to_ms = 0;

  friend bool operator==(const UsageReported&, const UsageReported&) = default;
};

// The newest version of the market's rules (mechanism.md) that this program knows. It goes with
// every stored state.
inline constexpr std::uint32_t kNewestRulesVersion = 1;

struct MarketConfigured {
  std::int64_t cycle_ms = 60'000;
  std::int64_t settlement_ms = 300'000;
  std::int64_t min_affordable_ms = 7'200'000;
  std::int64_t keep_affordable_ms = 1'800'000;
  std::uint32_t entry_margin_percent = 25;
  std::uint32_t purse_hours = 168;
  std::uint32_t rules_version = 1;  // that its cycles follow; 1 ... kNewestRulesVersion

  friend bool operator==(const MarketConfigured&, const MarketConfigured&) = default;
};

struct ClockTicked {
  friend bool operator==(const ClockTicked&, const ClockTicked&) = default;
};

// The order is that of the union in events.fbs: append only.
using Payload = std::variant<PoolConfigured, TeamConfigured, BudgetGranted, CreditsTransferred,
                             SupplyChanged, BidPlaced, BidAmended, BidWithdrawn, ChipsPreempted,
                             UsageReported, MarketConfigured, ClockTicked>;

struct Event {
  std::string event_id;  // the idempotency key
  std::int64_t time_ms = 0;
  std::string actor;   // free text, kept for the audit
  std::string source;  // free text, kept for the audit
  Payload payload;

  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_EVENT_H_
