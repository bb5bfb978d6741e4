#include "tests/matcher/invariants.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "tests/matcher/values.h"

namespace qmarket {

namespace {

struct PoolHolds {
  std::int64_t held = 0;
  std::int64_t paid = 0;
};

class Inspection {
 public:
  explicit Inspection(const Market& market)
      : book_(market.book()),
        teams_(market.Teams()),
        pools_(market.Pools()),
        resources_(market.Resources()),
        bids_(market.Bids()) {
    for (const TeamView& team : teams_)
      pool_of_[team.team] = team.pool;
    for (const BidView& bid : bids_) {
      PoolHolds& holds = holds_[{bid.resource, pool_of_[bid.team]}];
      holds.held += bid.chips;
      holds.paid += bid.paid;
    }
  }

  void Always() {
    CheckBooks();
    CheckTeams();
    CheckBids();
    CheckSupply();
  }

  void AfterTick() {
    CheckCaps();
    CheckPrices();
    for (const ResourceView& resource : resources_)
      CheckIdle(resource);
  }

  std::vector<std::string> Take() { return std::move(broken_); }

 private:
  template <typename... Parts>
  void Require(bool holds, const Parts&... parts) {
    if (!holds) broken_.push_back(absl::StrCat(parts...));
  }

  void CheckBooks() {
    for (std::uint32_t i = 0; i < book_.currencies().size(); ++i) {
      const Int128 sum = book_.Sum(CurrencyId(i));
      Require(sum == 0, "the balances of currency \"", book_.currencies()[i], "\" add up to ",
              FormatMicros(sum));
    }
    for (const Account& account : book_.accounts()) {
      const bool may_owe = absl::StartsWith(account.name, "mint:") || account.name == "issue";
      Require(may_owe || account.balance >= 0, "account ", account.name,
              " is below zero: ", FormatMicros(account.balance));
    }
  }

  // What teams were given and charged is what the accounts of their pool say.
  void CheckTeams() {
    std::map<std::string, Int128> minted;
    std::map<std::string, Int128> charged;
    for (const TeamView& team : teams_) {
      minted[team.pool] += team.minted_micros;
      charged[team.pool] += team.charged_micros;
    }
    std::map<std::string, Int128> spent;
    for (const Account& account : book_.accounts()) {
      const std::string& currency = book_.currencies()[account.currency.index()];
      if (absl::StartsWith(account.name, "spent:")) spent[currency] += account.balance;
      if (!absl::StartsWith(account.name, "mint:")) continue;
      Require(minted[currency] == -account.balance, "the teams of ", currency, " were given ",
              FormatMicros(minted[currency]), ", but its mint gave ",
              FormatMicros(-account.balance));
    }
    for (const auto& [pool, amount] : charged) {
      Require(amount == spent[pool], "the teams of ", pool, " were charged ", FormatMicros(amount),
              ", but its accounts have ", FormatMicros(spent[pool]));
    }
  }

  void CheckBids() {
    for (const BidView& bid : bids_) {
      Require(0 <= bid.paid && bid.paid <= bid.chips && bid.chips <= bid.wanted, "bid ", bid.bid,
              " wants ", bid.wanted, ", holds ", bid.chips, ", pays for ", bid.paid);
      Require(1 <= bid.min_chips && bid.min_chips <= bid.wanted, "bid ", bid.bid, " wants ",
              bid.wanted, " with min_chips ", bid.min_chips);
      Require(bid.state != BidState::kEnded || bid.chips == 0, "bid ", bid.bid,
              " has ended and holds chips");
      Require(!bid.opportunistic || bid.paid == 0, "bid ", bid.bid, " is opportunistic and pays");
    }
  }

  void CheckSupply() {
    for (const ResourceView& resource : resources_) {
      std::int64_t held = 0;
      for (const ResourcePoolView& pool : resource.pools)
        held += holds_[{resource.resource, pool.pool}].held;
      Require(held == resource.allocated, resource.resource, ": bids hold ", held,
              " chips, allocated are ", resource.allocated);
      Require(held <= resource.supply, resource.resource, ": ", held, " chips are given out of ",
              resource.supply);
    }
  }

  void CheckCaps() {
    for (const TeamView& team : teams_) {
      Require(team.burn_micros_per_hour <= team.keep_cap_micros_per_hour, "team ", team.team,
              " spends ", FormatMicros(static_cast<Int128>(team.burn_micros_per_hour)),
              " an hour, above its cap of ",
              FormatMicros(static_cast<Int128>(team.keep_cap_micros_per_hour)));
    }
  }

  // No paid chip above its bid's limit, no pool that buys more than its blended price pays for.
  void CheckPrices() {
    for (const ResourceView& resource : resources_) {
      for (const ResourcePoolView& pool : resource.pools)
        CheckPrice(resource, pool);
    }
    for (const BidView& bid : bids_) {
      Require(bid.chips == 0 || bid.chips >= bid.min_chips, "bid ", bid.bid, " holds ", bid.chips,
              " chips, fewer than its min_chips ", bid.min_chips);
    }
  }

  void CheckPrice(const ResourceView& resource, const ResourcePoolView& pool) {
    const std::int64_t paid = holds_[{resource.resource, pool.pool}].paid;
    Require(paid == 0 || pool.price_micros.has_value(), pool.pool, " pays for ", paid, " ",
            resource.resource, " without a price");
    for (const BidView& bid : bids_) {
      if (bid.paid == 0 || bid.resource != resource.resource || pool_of_[bid.team] != pool.pool) {
        continue;
      }
      Require(!bid.limit_price_micros || pool.price_micros <= bid.limit_price_micros, "bid ",
              bid.bid, " pays above its limit");
    }
    if (!pool.reference_price_micros || paid == 0) return;
    const std::int64_t own = pool.owned - pool.lent;
    if (!resource.reference_price_micros) {
      Require(paid <= own, pool.pool, " pays for more ", resource.resource, " than it owns");
      return;
    }
    const Int128 p = *resource.reference_price_micros;
    const Int128 x = *pool.reference_price_micros;
    Require(paid * (p - x) <= own * p, pool.pool, " buys more ", resource.resource,
            " than its blended price pays for");
  }

  // No chip stays idle that a standing bid could use, unless that bid is not on standby or the
  // chip's pool does not lend.
  void CheckIdle(const ResourceView& resource) {
    std::map<std::string, std::int64_t> reserved;  // idle chips that a pool does not lend
    std::int64_t all_reserved = 0;
    for (const PoolView& pool : pools_) {
      if (pool.lend_idle) continue;
      const auto cell = std::ranges::find(resource.pools, pool.pool, &ResourcePoolView::pool);
      const std::int64_t idle = cell->owned - holds_[{resource.resource, pool.pool}].held;
      reserved[pool.pool] = std::max<std::int64_t>(0, idle);
      all_reserved += reserved[pool.pool];
    }
    const std::int64_t common = resource.supply - resource.allocated - all_reserved;
    for (const BidView& bid : bids_) {
      if (bid.resource != resource.resource || bid.state == BidState::kEnded) continue;
      if (!bid.opportunistic && !bid.standby) continue;
      const std::int64_t usable =
          std::min(bid.wanted - bid.chips, common + reserved[pool_of_[bid.team]]);
      Require(usable <= 0 || bid.chips + usable < bid.min_chips, usable, " ", resource.resource,
              " stay idle that bid ", bid.bid, " could use");
    }
  }

  const Book& book_;
  std::vector<TeamView> teams_;
  std::vector<PoolView> pools_;
  std::vector<ResourceView> resources_;
  std::vector<BidView> bids_;
  std::map<std::string, std::string> pool_of_;                      // team -> pool
  std::map<std::pair<std::string, std::string>, PoolHolds> holds_;  // by resource and pool
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> BrokenInvariants(const Market& market, bool right_after_tick) {
  Inspection inspection(market);
  inspection.Always();
  if (right_after_tick) inspection.AfterTick();
  return inspection.Take();
}

}  // namespace qmarket
