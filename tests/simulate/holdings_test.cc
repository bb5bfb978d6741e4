#include "connectors/simulate/holdings.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulate/testing.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;

// Pools x-pool and y-pool with a job each of up to `x` and `y` chips.
Scenario TwoPools(std::uint32_t x, std::uint32_t y) {
  Trace trace;
  trace.jobs = {Job("a", "x", 0, x, kHour), Job("b", "y", 0, y, kHour)};
  trace.supply = {Shared(0, 0)};
  return BuildOrDie(trace);
}

class Fixture {
 public:
  explicit Fixture(Scenario of) : scenario(std::move(of)), holdings(scenario) {
    holdings.Place(0);
    holdings.Place(1);
  }

  void Supply(std::optional<std::uint32_t> pool, std::uint32_t chips) {
    holdings.Announce({.time_ms = kStart, .resource = 0, .pool = pool, .chips = chips});
    holdings.TakeSupply();
  }

  Scenario scenario;
  Holdings holdings;
};

TEST(HoldingsTest, AddsUpByPoolAndResource) {
  Fixture book(TwoPools(4, 6));
  book.holdings.Set(0, {.chips = 4, .paid = 3});
  book.holdings.Set(1, {.chips = 2, .paid = 0});
  EXPECT_EQ(book.holdings.pool(0, 0).chips, 4);
  EXPECT_EQ(book.holdings.pool(0, 0).paid, 3);
  EXPECT_EQ(book.holdings.resource(0).chips, 6);
  EXPECT_EQ(book.holdings.resource(0).paid, 3);
  EXPECT_THAT(book.holdings.standing(), ElementsAre(0, 1));
  book.holdings.End(0);
  EXPECT_EQ(book.holdings.pool(0, 0).chips, 0);
  EXPECT_EQ(book.holdings.resource(0).chips, 2);
  EXPECT_THAT(book.holdings.standing(), ElementsAre(1));
}

TEST(HoldingsTest, SupplyCountsFromTheNextTickOn) {
  Fixture book(TwoPools(4, 6));
  book.holdings.Announce({.time_ms = kStart, .resource = 0, .chips = 5});
  EXPECT_EQ(book.holdings.supply(0), 0);
  book.holdings.TakeSupply();
  book.Supply(1, 3);
  EXPECT_EQ(book.holdings.supply(0), 8);
  EXPECT_EQ(book.holdings.shared(0), 5);
  EXPECT_EQ(book.holdings.owned(1, 0), 3);
  book.Supply(1, 2);
  EXPECT_EQ(book.holdings.supply(0), 7);
}

TEST(HoldingsTest, ChipsOfALenderAreForAll) {
  Fixture book(TwoPools(4, 6));
  book.Supply(0, 10);
  EXPECT_EQ(book.holdings.FindIdle(0).common, 10);
  EXPECT_THAT(book.holdings.FindUsableIdle(), ElementsAre(10));
  book.holdings.Set(1, {.chips = 6, .paid = 6});
  EXPECT_EQ(book.holdings.FindIdle(0).common, 4);
  EXPECT_THAT(book.holdings.FindUsableIdle(), ElementsAre(4));
}

TEST(HoldingsTest, ChipsThatAreNotLentAreForTheirOwner) {
  Scenario scenario = TwoPools(4, 6);
  scenario.pools[0].lend_idle = false;
  Fixture book(std::move(scenario));
  book.Supply(0, 10);
  book.Supply(std::nullopt, 5);
  // Four for the owner; the other's gang of six does not fit into the five.
  EXPECT_THAT(book.holdings.FindIdle(0).own, ElementsAre(10, 0));
  EXPECT_THAT(book.holdings.FindUsableIdle(), ElementsAre(4));
  book.Supply(std::nullopt, 6);
  EXPECT_THAT(book.holdings.FindUsableIdle(), ElementsAre(10));
  // One more than the shared chips is too many, though the owner has idle ones.
  book.holdings.Set(1, {.chips = 7, .paid = 0});
  EXPECT_EQ(book.holdings.FindIdle(0).common, -1);
}

TEST(HoldingsTest, BidsWithoutStandbyCannotUseIdleChips) {
  Scenario scenario = TwoPools(4, 6);
  scenario.jobs[0].standby = false;
  scenario.jobs[1].standby = false;
  scenario.jobs[1].opportunistic = true;
  Fixture book(std::move(scenario));
  book.Supply(std::nullopt, 20);
  EXPECT_THAT(book.holdings.FindUsableIdle(), ElementsAre(6));
}

TEST(HoldingsTest, PartlyFilledBidsCanUseMore) {
  Scenario scenario = TwoPools(4, 6);
  scenario.jobs[1].min_chips = 3;
  Fixture book(std::move(scenario));
  book.Supply(std::nullopt, 5);
  book.holdings.Set(1, {.chips = 3, .paid = 3});
  EXPECT_THAT(book.holdings.FindUsableIdle(), ElementsAre(2));
}

}  // namespace
}  // namespace qmarket
