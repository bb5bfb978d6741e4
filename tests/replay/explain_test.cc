#include "replay/explain.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "events/event_codec.h"
#include "events/fingerprint.h"
#include "replay/trial.h"

namespace qmarket {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

using Answer = Counterfactual::Answer;

constexpr std::int64_t kStart = 1'767'225'600'000;
constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kCredit = 1'000'000;

// Inputs a second apart, ticks on the minute.
class Events {
 public:
  Events& Add(Payload payload) {
    time_ms_ += 1'000;
    return Put(std::move(payload));
  }

  Events& Tick() {
    time_ms_ = (time_ms_ / kMinute + 1) * kMinute;
    return Put(ClockTicked{});
  }

  [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }

 private:
  Events& Put(Payload payload) {
    const Event event{.event_id = absl::StrCat("e", inputs_.size()),
                      .time_ms = time_ms_,
                      .actor = "",
                      .source = "",
                      .payload = std::move(payload)};
    inputs_.push_back({.offset = inputs_.size(),
                       .append_time_ms = std::nullopt,
                       .event = event,
                       .id = FingerprintOf(event.event_id),
                       .content = FingerprintOf(CanonicalEvent(event))});
    return *this;
  }

  std::int64_t time_ms_ = kStart;
  std::vector<Input> inputs_;
};

BidPlaced Bid(const std::string& bid, const std::string& team, std::uint32_t chips,
              std::int64_t limit = -1) {
  BidPlaced placed;
  placed.bid = bid;
  placed.team = team;
  placed.resource = "h100";
  placed.chips = chips;
  placed.limit_price_micros = limit;
  return placed;
}

// Two teams of one pool, each with 50 credits an hour, and eight shared chips.
Events TwoTeams() {
  Events events;
  events.Add(PoolConfigured{.pool = "search", .market_weight_micros_per_hour = 100 * kCredit});
  for (const char* team : {"rank", "lab"}) {
    events.Add(
        TeamConfigured{.team = team, .pool = "search", .income_micros_per_hour = 50 * kCredit});
  }
  events.Add(SupplyChanged{.resource = "h100", .owner = "", .chips = 8, .reason = ""});
  return events;
}

class VectorSource : public InputSource {
 public:
  explicit VectorSource(std::vector<Input> inputs) : inputs_(std::move(inputs)) {}

  absl::StatusOr<std::vector<Input>> Next() override { return std::exchange(inputs_, {}); }

 private:
  std::vector<Input> inputs_;
};

// The answer after all events, where the last tick among them is the cycle.
std::optional<Explanation> Explain(const Events& events, const std::string& bid) {
  std::size_t tick = events.inputs().size();
  for (const Input& input : events.inputs()) {
    const bool is_tick = std::holds_alternative<ClockTicked>(std::get<Event>(input.event).payload);
    if (is_tick) tick = input.offset;
  }
  Replica replica;
  for (std::size_t i = 0; i < tick; ++i)
    replica.Apply(events.inputs()[i]);
  VectorSource source(
      {events.inputs().begin() + static_cast<std::ptrdiff_t>(tick), events.inputs().end()});
  absl::StatusOr<std::optional<Explanation>> answer = ExplainAt(replica, source, bid);
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? *std::move(answer) : std::nullopt;
}

Counterfactual Of(const Explanation& explanation, Lever lever) {
  for (const Counterfactual& claim : explanation.counterfactuals)
    if (claim.lever == lever) return claim;
  ADD_FAILURE() << "nothing is said of " << LeverName(lever);
  return {};
}

TEST(ExplainAt, ABidThatRunsSaysHowFarItWould) {
  Events events = TwoTeams();
  events.Add(Bid("a", "rank", 4)).Add(Bid("b", "lab", 8, 3 * kCredit)).Tick();
  const auto told = Explain(events, "a");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->verdict, Verdict::kRunning);
  EXPECT_EQ(told->binding, Binding::kNothing);
  // a offers 50 / (1.25 * 4) = 10; b of eight chips sets the price of 3 and finds but four left.
  EXPECT_EQ(told->cycle->cell.price_micros, 3 * kCredit);
  EXPECT_EQ(told->cycle->unit->reservation_price_micros, 10 * kCredit);
  ASSERT_TRUE(told->cycle->competitor.has_value());
  EXPECT_EQ(told->cycle->competitor->bid, "b");
  const Counterfactual limit = Of(*told, Lever::kLimit);
  EXPECT_EQ(limit.recorded, kNoLimit);
  EXPECT_EQ(limit.answer, Answer::kFrom);
  const Counterfactual supply = Of(*told, Lever::kSharedSupply);
  EXPECT_EQ(supply.recorded, 8);
  EXPECT_EQ(supply.enough, 4);
}

TEST(ExplainAt, ABidBelowThePriceSaysWhatItsLimitCosts) {
  Events events = TwoTeams();
  events.Add(Bid("a", "rank", 8)).Add(Bid("c", "rank", 8, 4 * kCredit));
  events.Add(Bid("b", "lab", 8, kCredit)).Tick();
  const auto told = Explain(events, "b");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->verdict, Verdict::kWaiting);
  EXPECT_EQ(told->binding, Binding::kLimit);
  // a and b could offer 50 / (1.25 * 8) = 5 each, c half of it: 2.5 is the price while b stays
  // below it. At 5, b ties with a, which came first; so no limit does.
  EXPECT_EQ(told->cycle->cell.price_micros, 2'500'000);
  EXPECT_EQ(told->cycle->competitor->bid, "a");
  EXPECT_EQ(Of(*told, Lever::kLimit).answer, Answer::kNone);
  EXPECT_EQ(Of(*told, Lever::kLimit).highest, kNoLimit);
  EXPECT_EQ(Of(*told, Lever::kSharedSupply).enough, 24);
}

TEST(ExplainAt, APreemptedBidSaysWhoGotItsChips) {
  Events events = TwoTeams();
  events.Add(Bid("a", "rank", 8, 2 * kCredit)).Tick();
  events.Add(Bid("b", "lab", 8)).Tick();
  const auto told = Explain(events, "a");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->verdict, Verdict::kPreempted);
  ASSERT_TRUE(told->loss.has_value());
  EXPECT_EQ(told->loss->reason, "outbid");
  EXPECT_EQ(told->loss->lost, 8);
  EXPECT_THAT(told->gains, ElementsAre(Gain{.bid = "b", .team = "lab", .chips = 8, .paid = 8}));
  const Counterfactual limit = Of(*told, Lever::kLimit);
  // b offers 50 / (1.25 * 8) = 5, and a, which ran already, comes first at a tie.
  EXPECT_EQ(limit.answer, Answer::kFrom);
  EXPECT_EQ(limit.enough, 5 * kCredit);
}

TEST(ExplainAt, ChipsThatASmallerBidBehindItTookWereLeftForIt) {
  Events events = TwoTeams();
  BidPlaced block = Bid("block", "lab", 3, kCredit);
  block.min_chips = 2;
  events.Add(Bid("a", "rank", 7)).Add(block).Add(Bid("small", "lab", 1, kCredit)).Tick();
  const auto told = Explain(events, "block");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->binding, Binding::kTie);
  EXPECT_EQ(told->cycle->cell.price_micros, kCredit);
  ASSERT_TRUE(told->cycle->turn.has_value());
  EXPECT_EQ(told->cycle->turn->left, 1);
  EXPECT_EQ(told->cycle->free_chips, 0);
  EXPECT_EQ(Explain(events, "small")->verdict, Verdict::kRunning);
}

TEST(ExplainAt, ChipsThatWouldRaiseThePriceOfItsPoolAreNoRoom) {
  Events events = TwoTeams();
  events.Add(PoolConfigured{.pool = "maps", .market_weight_micros_per_hour = 50 * kCredit});
  events.Add(TeamConfigured{.team = "geo", .pool = "maps", .income_micros_per_hour = 50 * kCredit});
  events.Add(SupplyChanged{.resource = "h100", .owner = "maps", .chips = 4, .reason = ""});
  events.Add(Bid("own", "geo", 4)).Add(Bid("more", "geo", 4, kCredit));
  events.Add(Bid("a", "rank", 8, 3 * kCredit)).Add(Bid("b", "lab", 8, 3 * kCredit)).Tick();
  const auto told = Explain(events, "more");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->binding, Binding::kTie);
  // A shared chip costs 3. To pay 1 for each, maps, which owns four, may have six chips:
  // n * (3 - 1) <= 4 * 3. Four are paid.
  EXPECT_EQ(told->cycle->resource.reference_price_micros, 3 * kCredit);
  EXPECT_EQ(told->cycle->cell.reference_price_micros, kCredit);
  ASSERT_TRUE(told->cycle->turn.has_value());
  EXPECT_EQ(told->cycle->turn->left, 8);
  EXPECT_EQ(told->cycle->turn->room, 2);
}

TEST(ExplainAt, WhatTheFleetTookSinceIsToldWithItsReason) {
  Events events = TwoTeams();
  events.Add(Bid("a", "rank", 8)).Tick();
  events.Add(ChipsPreempted{.bid = "a", .chips = 1, .reason = "node_failure"});
  const auto told = Explain(events, "a");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->verdict, Verdict::kTaken);
  ASSERT_TRUE(told->loss.has_value());
  EXPECT_EQ(told->loss->reason, "node_failure");
  EXPECT_EQ(told->loss->lost, 8);
  EXPECT_THAT(told->counterfactuals, IsEmpty());
}

TEST(ExplainAt, PartOfTheChipsTakenLeavesItRunning) {
  Events events = TwoTeams();
  BidPlaced bid = Bid("a", "rank", 8);
  bid.min_chips = 2;
  events.Add(bid).Tick();
  events.Add(ChipsPreempted{.bid = "a", .chips = 3, .reason = "node_failure"});
  const auto told = Explain(events, "a");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->verdict, Verdict::kRunning);
  EXPECT_EQ(told->now.chips, 5);
  EXPECT_EQ(told->cycle->bid.chips, 8);
  EXPECT_EQ(told->loss->left, 5);
}

TEST(ExplainAt, WhatIsPlacedAfterTheCycleWaitsForTheNext) {
  Events events = TwoTeams();
  events.Tick().Add(Bid("a", "rank", 8));
  const auto told = Explain(events, "a");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->verdict, Verdict::kPlacedSince);
  EXPECT_FALSE(told->cycle.has_value());
  EXPECT_THAT(told->counterfactuals, IsEmpty());
}

TEST(ExplainAt, BeforeTheFirstCycleABidWaitsForIt) {
  Events events = TwoTeams();
  events.Add(Bid("a", "rank", 8));
  const auto told = Explain(events, "a");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->verdict, Verdict::kPlacedSince);
}

TEST(ExplainAt, AnEndedBidHasNoCycle) {
  Events events = TwoTeams();
  events.Add(Bid("a", "rank", 8)).Tick();
  events.Add(BidWithdrawn{.bid = "a", .reason = "finished"});
  EXPECT_EQ(Explain(events, "a")->verdict, Verdict::kEnded);
  EXPECT_FALSE(Explain(events, "a")->cycle.has_value());
  events.Tick();
  EXPECT_EQ(Explain(events, "a")->verdict, Verdict::kEnded);
}

TEST(ExplainAt, AnAmendmentAfterTheCycleIsToldAndDoesNotCountYet) {
  Events events = TwoTeams();
  events.Add(Bid("a", "rank", 8)).Add(Bid("b", "lab", 8, kCredit)).Tick();
  BidAmended amended;
  amended.bid = "b";
  amended.limit_price_micros = 40 * kCredit;
  events.Add(amended);
  const auto told = Explain(events, "b");
  ASSERT_TRUE(told.has_value());
  EXPECT_TRUE(told->amended_since);
  EXPECT_EQ(told->now.limit_price_micros, 40 * kCredit);
  EXPECT_EQ(told->cycle->bid.limit_price_micros, kCredit);
  EXPECT_EQ(Of(*told, Lever::kLimit).recorded, kCredit);
}

TEST(ExplainAt, AnUnknownBidHasNoAnswer) {
  EXPECT_FALSE(Explain(TwoTeams().Tick(), "nobody").has_value());
}

TEST(ExplainAt, WhatItsTeamPutsBeforeItIsListed) {
  Events events = TwoTeams();
  events.Add(Bid("first", "rank", 4)).Add(Bid("second", "rank", 4));
  events.Add(Bid("other", "lab", 4)).Tick();
  const auto told = Explain(events, "second");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->cycle->queue.place, 2);
  EXPECT_EQ(told->cycle->queue.bids, 2);
  EXPECT_THAT(
      told->cycle->queue.before,
      ElementsAre(QueuedBefore{.bid = "first", .resource = "h100", .chips = 4, .filled = 4}));
  EXPECT_EQ(told->cycle->unit->chips_before, 4);
}

TEST(ExplainAt, AnOpportunisticBidAsksForSupplyAlone) {
  Events events = TwoTeams();
  BidPlaced bid = Bid("o", "rank", 2);
  bid.opportunistic = true;
  events.Add(Bid("a", "lab", 7)).Add(bid).Tick();
  const auto told = Explain(events, "o");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(told->binding, Binding::kNothingUnpaid);
  ASSERT_EQ(told->counterfactuals.size(), 1U);
  EXPECT_EQ(told->counterfactuals[0].enough, 9);
}

TEST(ExplainAt, APoolsOwnChipsAreAskedForWhereSharedOnesDoNotDecide) {
  Events events = TwoTeams();
  events.Add(SupplyChanged{.resource = "h100", .owner = "search", .chips = 4, .reason = ""});
  events.Add(SupplyChanged{.resource = "h100", .owner = "", .chips = 0, .reason = ""});
  events.Add(Bid("a", "rank", 3)).Tick();
  const auto told = Explain(events, "a");
  ASSERT_TRUE(told.has_value());
  EXPECT_EQ(Of(*told, Lever::kSharedSupply).answer, Answer::kAny);
  EXPECT_EQ(Of(*told, Lever::kOwnedSupply).enough, 3);
  EXPECT_THAT(told->counterfactuals, Not(IsEmpty()));
}

// --- The search alone ---

Counterfactual SearchIn(std::int64_t lowest, std::int64_t highest, std::int64_t recorded,
                        Guess guess, const std::function<bool(std::int64_t)>& runs) {
  return Search({.recorded = recorded, .lowest = lowest, .highest = highest}, runs(recorded), guess,
                runs);
}

TEST(Search, FindsTheThresholdFromAnyGuess) {
  for (const std::int64_t threshold : {1, 2, 3, 500, 998, 999, 1000}) {
    const auto runs = [threshold](std::int64_t value) { return value >= threshold; };
    for (const std::int64_t recorded : {0, 1, 250, 499, 500, 501, 1000}) {
      for (const std::int64_t guess : {-5, 0, 1, 300, 500, 999, 5000}) {
        for (const std::int64_t step : {1, 64}) {
          const Counterfactual found =
              SearchIn(0, 1000, recorded, {.value = guess, .step = step}, runs);
          EXPECT_EQ(found.answer, Answer::kFrom) << threshold << " " << recorded << " " << guess;
          EXPECT_EQ(found.enough, threshold) << recorded << " " << guess;
        }
      }
    }
  }
}

TEST(Search, SaysWhereNothingDecides) {
  const auto always = [](std::int64_t) { return true; };
  const auto never = [](std::int64_t) { return false; };
  EXPECT_EQ(SearchIn(0, 1000, 400, {.value = 7}, always).answer, Answer::kAny);
  EXPECT_EQ(SearchIn(0, 1000, 0, {.value = 7}, always).answer, Answer::kAny);
  EXPECT_EQ(SearchIn(0, 1000, 400, {.value = 7}, never).answer, Answer::kNone);
  EXPECT_EQ(SearchIn(0, 1000, 1000, {.value = 7}, never).answer, Answer::kUnset);
  EXPECT_EQ(SearchIn(0, 1000, 1000, {.value = 7}, never).cleared, 0);
}

TEST(Search, TriesTheEndsOfTheRangeBeforeItSaysSo) {
  for (const std::int64_t only : {std::int64_t{0}, std::int64_t{1000}}) {
    const bool up = only == 1000;
    const auto runs = [only, up](std::int64_t value) { return (value == only) == up; };
    const Counterfactual found = SearchIn(0, 1000, 500, {.value = 500}, runs);
    EXPECT_EQ(found.answer, Answer::kFrom);
    EXPECT_EQ(found.enough, up ? 1000 : 1);
  }
}

TEST(Search, WhereMoreIsNotAlwaysBetterBothNeighboursAreTrue) {
  const auto runs = [](std::int64_t value) { return value % 7 > 3; };
  for (std::int64_t recorded = 0; recorded <= 200; ++recorded) {
    const Counterfactual found = SearchIn(0, 200, recorded, {.value = 77, .step = 3}, runs);
    if (found.answer != Answer::kFrom) continue;
    EXPECT_TRUE(runs(found.enough)) << recorded;
    EXPECT_FALSE(runs(found.enough - 1)) << recorded;
  }
}

}  // namespace
}  // namespace qmarket
