// The pure clearing function: one cycle of one resource (`qmarket clear`; mechanism §3-§5).
//
// Everything is in reference credits: exchange rates are 1, each team's budget is its beta_enter,
// and other resources do not count. The numbers must be within the ranges of the contract, names
// and orders unique: the reader of the JSON form checks that. A pure function; use it from any
// thread.
#ifndef QMARKET_MATCHER_CORE_SNAPSHOT_H_
#define QMARKET_MATCHER_CORE_SNAPSHOT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "events/int128.h"

namespace qmarket {

struct SnapshotBid {
  std::string bid;
  std::uint32_t chips = 0;
  std::uint32_t min_chips = 0;           // 1 ... chips
  std::int64_t limit_price_micros = -1;  // -1: no limit
  std::int32_t priority = 0;
  std::uint32_t held = 0;
  std::uint32_t paid = 0;
  bool opportunistic = false;
  bool standby = true;
  std::uint64_t order = 0;  // place in the log, unique
};

struct SnapshotTeam {
  std::string team;
  std::int64_t budget_micros_per_hour = 0;       // beta_enter
  std::int64_t keep_budget_micros_per_hour = 0;  // beta_keep
  std::vector<SnapshotBid> bids;
};

struct SnapshotPool {
  std::string pool;
  std::uint32_t owned = 0;
  bool lend_idle = true;
  std::optional<std::int64_t> plan_price_micros;
  std::vector<SnapshotTeam> teams;
};

struct Snapshot {
  std::string resource;
  std::uint32_t shared = 0;
  std::uint32_t entry_margin_percent = 25;
  std::vector<SnapshotPool> pools;
};

enum class FilledAs : std::uint8_t { kNothing, kPrice, kMarginal, kUnpaid };

struct ClearedBid {
  std::string bid;
  std::int64_t chips = 0;
  std::int64_t paid = 0;
  std::optional<std::int64_t> reservation_price_micros;
  FilledAs filled_as = FilledAs::kNothing;
};

struct ClearedTeam {
  std::string team;
  std::int64_t quota = 0;
  Uint128 spend_micros_per_hour = 0;
  std::vector<ClearedBid> bids;
};

struct ClearedPool {
  std::string pool;
  std::optional<std::int64_t> price_micros;
  std::int64_t lent = 0;
  std::vector<ClearedTeam> teams;
};

struct ClearedSnapshot {
  std::string resource;
  std::optional<std::int64_t> reference_price_micros;
  std::int64_t shared_supply = 0;
  std::vector<ClearedPool> pools;
};

// Order in is order out.
[[nodiscard]] ClearedSnapshot Clear(const Snapshot& snapshot);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_SNAPSHOT_H_
