#include "connectors/simulate/checks.h"

#include <algorithm>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/text.h"
#include "events/check.h"
#include "events/int128.h"

namespace qmarket {
namespace {

constexpr std::size_t kMostExamples = 10;

// The most that a team may pay in an hour for what it keeps (mechanism §3.1).
Int128 KeepCap(const TeamView& team, std::int64_t keep_affordable_ms) {
  const Int128 flow = Int128{team.income_micros_per_hour} +
                      Int128{team.balance_micros} * kMsPerHour / keep_affordable_ms;
  if (team.income_leverage_percent == 0) return flow;
  return std::min(flow, Int128{team.income_micros_per_hour} * team.income_leverage_percent / 100);
}

bool MayNotBeNegative(absl::string_view account) {
  return absl::StartsWith(account, "team:") || absl::StartsWith(account, "purse:");
}

}  // namespace

CycleChecks::CycleChecks(const Scenario& scenario)
    : scenario_(scenario),
      prices_(scenario.pools.size() * scenario.resources.size()),
      burns_(scenario.teams.size()) {
  for (std::uint32_t k = 0; k < scenario.pools.size(); ++k) {
    pool_numbers_.emplace(scenario.pools[k].name, k);
  }
  for (std::uint32_t i = 0; i < scenario.teams.size(); ++i) {
    team_numbers_.emplace(scenario.teams[i].name, i);
  }
  for (std::uint32_t r = 0; r < scenario.resources.size(); ++r) {
    resource_numbers_.emplace(scenario.resources[r], r);
  }
}

void CycleChecks::Check(std::int64_t time_ms, absl::Span<const Outcome> outcomes,
                        const Market& market, Holdings& holdings,
                        absl::Span<const std::int64_t> usable_idle) {
  ++cycles_;
  time_ms_ = time_ms;
  std::fill(prices_.begin(), prices_.end(), LocalPrice{});
  std::fill(burns_.begin(), burns_.end(), 0);
  for (const Outcome& outcome : outcomes) {
    if (const auto* cleared = std::get_if<MarketCleared>(&outcome)) {
      CheckCleared(*cleared, holdings);
    } else if (const auto* posted = std::get_if<CreditsPosted>(&outcome)) {
      if (posted->uncollected_micros != 0) {
        Violation(absl::StrCat("account ", posted->from, " owes ",
                               CreditsText(posted->uncollected_micros), " more than it has"));
      }
    }
  }
  for (std::uint32_t r = 0; r < scenario_.resources.size(); ++r) {
    CheckSupply(r, holdings, usable_idle[r]);
  }
  CheckBids(holdings);
  CheckTeams(market);
  CheckPools(market);
  CheckBook(market.book());
}

void CycleChecks::CheckCleared(const MarketCleared& cleared, const Holdings& holdings) {
  const auto resource = resource_numbers_.find(cleared.resource);
  if (resource == resource_numbers_.end()) {
    Violation(absl::StrCat("a resource that nobody named: ", cleared.resource));
    return;
  }
  const std::int64_t held = holdings.resource(resource->second).chips;
  const std::int64_t supply = holdings.supply(resource->second);
  if (cleared.allocated != held || cleared.supply != supply) {
    Violation(absl::StrCat(cleared.resource, ": the market says that ", cleared.allocated, " of ",
                           cleared.supply, " chips are held; its bids hold ", held, " of ",
                           supply));
  }
  for (const PoolCleared& pool : cleared.pools) {
    const auto number = pool_numbers_.find(pool.pool);
    if (number == pool_numbers_.end()) {
      Violation(absl::StrCat("a pool that nobody named: ", pool.pool));
      continue;
    }
    prices_[number->second * scenario_.resources.size() + resource->second].micros =
        pool.price_micros;
    const Holding of_pool = holdings.pool(number->second, resource->second);
    if (of_pool.paid != pool.paid || of_pool.chips != pool.allocated) {
      Violation(absl::StrCat(cleared.resource, ": the market says that pool ", pool.pool,
                             " pays for ", pool.paid, " of ", pool.allocated,
                             " chips; its bids pay for ", of_pool.paid, " of ", of_pool.chips));
    }
    CheckPoolPurchase(cleared, pool);
  }
}

// A pool's price, over all its paid chips, covers the shared chips that it buys (mechanism §4).
void CycleChecks::CheckPoolPurchase(const MarketCleared& cleared, const PoolCleared& pool) {
  const Int128 own = pool.owned - pool.lent;
  if (!cleared.reference_price_micros || !pool.reference_price_micros) {
    if (pool.paid > own) {
      Violation(absl::StrCat(cleared.resource, ": pool ", pool.pool, " pays for ", pool.paid,
                             " chips where nothing shared is sold"));
    }
    return;
  }
  const Int128 price = *cleared.reference_price_micros;
  if (Int128{pool.paid} * (price - *pool.reference_price_micros) > own * price) {
    Violation(absl::StrCat(cleared.resource, ": pool ", pool.pool, " buys ", pool.paid,
                           " chips at ", CreditsText(*pool.reference_price_micros),
                           ", which does not pay for those that are not its own"));
  }
}

void CycleChecks::CheckSupply(std::uint32_t resource, const Holdings& holdings,
                              std::int64_t usable_idle) {
  const std::int64_t idle = holdings.FindIdle(resource).common;
  if (idle < 0) {
    Violation(absl::StrCat(scenario_.resources[resource], ": ", -idle,
                           " chips more are held than there are for all"));
  }
  if (usable_idle > 0) {
    Violation(absl::StrCat(scenario_.resources[resource], ": ", usable_idle,
                           " chips are idle that standing bids could use"));
  }
}

void CycleChecks::CheckBids(Holdings& holdings) {
  for (const std::uint32_t number : holdings.standing()) {
    const Holding holding = holdings.job(number);
    if (holding.chips == 0) continue;
    const ScenarioJob& job = scenario_.jobs[number];
    if (holding.chips < job.min_chips || holding.chips > job.chips || holding.paid < 0 ||
        holding.paid > holding.chips) {
      Violation(absl::StrCat("bid ", job.id, " for ", job.min_chips, " to ", job.chips,
                             " chips holds ", holding.chips, " and pays for ", holding.paid));
    }
    if (holding.paid == 0) continue;
    const std::uint32_t pool = scenario_.teams[job.team].pool;
    const LocalPrice& price = prices_[pool * scenario_.resources.size() + job.resource];
    if (!price.micros) {
      Violation(absl::StrCat("bid ", job.id, " pays for chips that have no price"));
      continue;
    }
    if (job.limit_price_micros >= 0 && *price.micros > job.limit_price_micros) {
      Violation(absl::StrCat("bid ", job.id, " pays ", CreditsText(*price.micros),
                             ", above its limit of ", CreditsText(job.limit_price_micros)));
    }
    if (job.opportunistic) Violation(absl::StrCat("opportunistic bid ", job.id, " pays"));
    burns_[job.team] += Int128{holding.paid} * *price.micros;
  }
}

void CycleChecks::CheckTeams(const Market& market) {
  const std::int64_t keep_ms = market.settings().keep_affordable_ms;
  for (const TeamView& team : market.Teams()) {
    const auto number = team_numbers_.find(team.team);
    if (number == team_numbers_.end()) {
      Violation(absl::StrCat("a team that nobody named: ", team.team));
      continue;
    }
    const Int128 burn = burns_[number->second];
    const Int128 cap = KeepCap(team, keep_ms);
    if (burn > cap) {
      Violation(absl::StrCat("team ", team.team, " pays ", CreditsText(burn),
                             " an hour, above its cap of ", CreditsText(cap)));
    }
    if (ToUint128(burn) != team.burn_micros_per_hour ||
        ToUint128(cap) != team.keep_cap_micros_per_hour) {
      Violation(absl::StrCat("team ", team.team, " pays ", CreditsText(burn), " of at most ",
                             CreditsText(cap), " an hour; the market says ",
                             ToString(team.burn_micros_per_hour), " of ",
                             ToString(team.keep_cap_micros_per_hour), " micro-credits"));
    }
    if (team.balance_micros < 0 || team.uncollected_micros != 0) {
      Violation(absl::StrCat("team ", team.team, " has ", CreditsText(team.balance_micros),
                             " and owes ", CreditsText(team.uncollected_micros)));
    }
  }
}

void CycleChecks::CheckPools(const Market& market) {
  for (const PoolView& pool : market.Pools()) {
    if (pool.purse_micros >= 0 && pool.uncollected_micros == 0) continue;
    Violation(absl::StrCat("the purse of pool ", pool.pool, " has ", CreditsText(pool.purse_micros),
                           " and owes ", CreditsText(pool.uncollected_micros)));
  }
}

void CycleChecks::CheckBook(const Book& book) {
  std::vector<Int128> sums(book.currencies().size());
  for (const Account& account : book.accounts()) {
    sums[account.currency.index()] += account.balance;
    if (account.balance < 0 && MayNotBeNegative(account.name)) {
      Violation(absl::StrCat("account ", account.name, " has ", CreditsText(account.balance)));
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    Violation(absl::StrCat("the books of currency ", book.currencies()[i], " add up to ",
                           CreditsText(sums[i]), " instead of zero"));
  }
}

void CycleChecks::Violation(absl::string_view what) {
  ++violations_;
  if (examples_.size() < kMostExamples) {
    examples_.push_back(absl::StrCat("at ", TimeText(time_ms_), ": ", what));
  }
}

}  // namespace qmarket
