// All that the market knows: who there is, what was stated, what is in force, who holds what.
//
// Private to matcher/core. `standing` has what the clearing works on; the tables here have the
// rest, indexed by the same ids. "Stated" values come from configuration events and are in force
// from the next tick on (mechanism §6).
#ifndef QMARKET_MATCHER_CORE_MARKET_STATE_H_
#define QMARKET_MATCHER_CORE_MARKET_STATE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include "events/event.h"
#include "events/outcome.h"
#include "ledger/core/book.h"
#include "matcher/core/accrual.h"
#include "matcher/core/id_vector.h"
#include "matcher/core/input.h"
#include "matcher/core/market.h"
#include "matcher/core/standing.h"

namespace qmarket {

// Names of one kind of thing and their ids. Looked up by name, never walked in hashed order. Copies
// share what they have until one of them adds a name: a trial of a market with many bids is cheap.
template <typename IdType>
class Names {
 public:
  [[nodiscard]] std::optional<IdType> Find(const std::string& name) const {
    const auto found = table_->ids.find(name);
    if (found == table_->ids.end()) return std::nullopt;
    return found->second;
  }

  IdType Add(const std::string& name) {
    if (table_.use_count() > 1) table_ = std::make_shared<Table>(*table_);
    const IdType id = table_->names.Add(name);
    table_->ids.emplace(name, id);
    return id;
  }

  const std::string& operator[](IdType id) const { return table_->names[id]; }

  [[nodiscard]] std::size_t size() const { return table_->names.size(); }

 private:
  struct Table {
    IdVector<IdType, std::string> names;
    absl::flat_hash_map<std::string, IdType> ids;
  };

  std::shared_ptr<Table> table_ = std::make_shared<Table>();
};

// What a team holds of one resource.
struct Holding {
  ResourceId resource;
  Chips held;
  Chips paid;
  Chips published;  // the quota last told
  Accrual charge;
};

struct Team {
  PoolId pool;
  AccountId account;
  Credits stated_income;  // per hour
  std::uint32_t stated_leverage_percent = 0;
  Credits income;
  std::uint32_t leverage_percent = 0;
  Accrual accrued_income;
  std::vector<Holding> holdings;  // by resource name
  Uint128 charged = 0;
  Int128 minted = 0;
  Uint128 uncollected = 0;
  bool caps_changed = true;  // something that its burn-rate caps depend on
};

// A pool's dealings in one resource.
struct PoolResource {
  Chips paid;  // by its teams, now
  std::optional<AccountId> spent;
  Accrual outflow;
};

struct Pool {
  CurrencyId currency;
  AccountId mint;
  AccountId purse;
  Credits stated_weight;  // per hour
  bool stated_lend_idle = true;
  Credits weight;
  Accrual inflow;
  Credits stated_incomes;  // of its teams together
  Credits incomes;         // in force
  Credits balances;        // of its teams together, posted
  Uint128 uncollected = 0;
  std::vector<TeamId> teams;
  IdVector<ResourceId, PoolResource> resources;
  bool rate_changed = true;  // something that its exchange rate depends on
};

struct Resource {
  Chips stated_shared;
  IdVector<PoolId, Chips> stated_owned;
  std::optional<AccountId> sold;
  Chips allocated;             // now
  bool in_last_cycle = false;  // had supply or standing bids
};

struct MarketState {
  MarketState();

  Standing standing;
  Names<PoolId> pool_names;
  Names<TeamId> team_names;
  Names<ResourceId> resource_names;
  Names<BidId> bid_names;
  IdVector<PoolId, Pool> pools;
  IdVector<TeamId, Team> teams;
  IdVector<ResourceId, Resource> resources;
  std::vector<ResourceId> resources_by_name;
  IdVector<BidId, std::uint64_t> bid_offsets;  // where each bid was placed
  std::vector<BidId> ended_bids;               // in the order in which they ended

  Book book;
  CurrencyId reference_currency;
  AccountId issue;

  MarketConfigured settings;         // in force
  MarketConfigured stated_settings;  // from the next tick on
  bool stated_changed = false;       // some stated value may differ from the one in force

  std::optional<TimeMs> time;  // effective, of the last event that was not rejected
  TimeMs settled;              // time of the last tick that settled; at first of the first event
  std::uint64_t cycles = 0;

  // Of the step that is being made.
  Step step;
  std::vector<std::pair<TeamId, ResourceId>> touched;  // holdings whose quota may have changed

  // The time at which an event that claims `claimed` takes effect.
  [[nodiscard]] TimeMs EffectiveTime(TimeMs claimed) const {
    return time && *time > claimed ? *time : claimed;
  }

  [[nodiscard]] Credits BalanceOf(TeamId team) const {
    return book.SmallBalance(teams[team].account);
  }

  // The holding of a team, made where there is none yet.
  Holding& HoldingOf(TeamId team, ResourceId resource);
  [[nodiscard]] const Holding* FindHolding(TeamId team, ResourceId resource) const;

  // The id of a resource, known from now on.
  ResourceId ResourceNamed(const std::string& name);
};

// The word before the colon of an account's name.
[[nodiscard]] std::string AccountName(absl::string_view kind, absl::string_view owner);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_CORE_MARKET_STATE_H_
