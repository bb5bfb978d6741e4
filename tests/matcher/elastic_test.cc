// An elastic bid of a million chips is no more work than one of eight (mechanism §3, Units: single
// chips come in runs with one formula and are never enumerated). Counted in runs and in allocations
// of memory, not in time.

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "matcher/core/bidder.h"
#include "matcher/core/market.h"
#include "matcher/core/standing.h"
#include "tests/matcher/allocation_counter.h"
#include "tests/matcher/inputs.h"
#include "tests/matcher/values.h"

namespace qmarket {
namespace {

class Log {
 public:
  void Add(Payload payload) {
    Event event;
    event.event_id = absl::StrCat("event-", next_);
    event.time_ms = kDayStartMs + static_cast<std::int64_t>(next_) * 1000;
    event.payload = std::move(payload);
    market_.Apply(InputOf(std::move(event), next_++));
  }

  [[nodiscard]] const Market& market() const { return market_; }

 private:
  Market market_;
  std::uint64_t next_ = 0;
};

struct Work {
  Allocations asked_for;
  std::int64_t filled = 0;
};

// What a few cycles ask for in which two elastic bids of `chips` compete for as many.
Work WorkOf(std::uint32_t chips) {
  Log log;
  log.Add(PoolConfigured{.pool = "p", .market_weight_micros_per_hour = 1'000'000'000'000});
  for (const char* team : {"a", "b"}) {
    log.Add(TeamConfigured{.team = team, .pool = "p", .income_micros_per_hour = 500'000'000'000});
  }
  log.Add(SupplyChanged{.resource = "r", .owner = "", .chips = chips, .reason = ""});
  for (const char* team : {"a", "b"}) {
    log.Add(BidPlaced{.bid = absl::StrCat("bid-", team),
                      .team = team,
                      .resource = "r",
                      .chips = chips,
                      .min_chips = 1});
  }
  log.Add(ClockTicked{});
  const Allocations before = AllocationsSoFar();
  for (std::uint32_t i = 0; i < 5; ++i) {
    // Something changes each time, so that each cycle plans and clears.
    log.Add(BidAmended{.bid = "bid-a",
                       .chips = std::nullopt,
                       .min_chips = std::nullopt,
                       .limit_price_micros = 900'000'000'000 - i,
                       .priority = std::nullopt,
                       .standby = std::nullopt});
    log.Add(ClockTicked{});
  }
  const Allocations after = AllocationsSoFar();
  return {.asked_for = {.count = after.count - before.count, .bytes = after.bytes - before.bytes},
          .filled = log.market().Resources().front().allocated};
}

TEST(ElasticTest, AMillionChipsAskForNoMoreMemoryThanEight) {
  const Work eight = WorkOf(8);
  ASSERT_EQ(eight.filled, 8);
  for (const std::uint32_t chips : {100U, 10'000U, 1'000'000U}) {
    const Work work = WorkOf(chips);
    EXPECT_EQ(work.filled, chips);
    EXPECT_LE(work.asked_for.count, eight.asked_for.count + 4) << chips;
    EXPECT_LE(work.asked_for.bytes, eight.asked_for.bytes + 1024) << chips;
  }
}

TEST(ElasticTest, ABidIsAtMostAFewRuns) {
  for (const std::int64_t chips : {8, 100, 1'000'000}) {
    Standing standing;
    const PoolId pool = standing.pools.Add({.rate = ExchangeRate(1, 1), .lend_idle = true});
    TeamQueue queue;
    queue.pool = pool;
    queue.enter_cap = 1'000'000;
    queue.keep_cap = 2'000'000;
    const TeamId team = standing.teams.Add(queue);
    const ResourceId resource = standing.resources.Add({});
    Cell cell;
    cell.planning = Price(1'000);
    standing.resources[resource].cells.Add(cell);
    StandingBid bid;
    bid.team = team;
    bid.resource = resource;
    bid.chips = Chips(chips);
    bid.min_chips = Chips(1);
    bid.paid = Chips(chips / 2);
    bid.held = bid.paid;
    standing.teams[team].bids.push_back(standing.bids.Add(bid));
    PlanTeams(standing);
    std::int64_t in_runs = 0;
    for (const UnitRun& run : standing.teams[team].runs)
      in_runs += run.chips().value();
    EXPECT_EQ(in_runs, chips);
    // The block, running and waiting single chips; one of these cut where the plan ends.
    EXPECT_LE(standing.teams[team].runs.size(), 4U) << chips;
  }
}

}  // namespace
}  // namespace qmarket
