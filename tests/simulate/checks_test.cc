// Every check must be able to fail: each test breaks one thing after a sound cycle.
#include "connectors/simulate/checks.h"

#include <string>
#include <variant>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connectors/simulate/holdings.h"
#include "tests/simulate/testing.h"

namespace qmarket {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A market of two pools with one bid each, after its second cycle: 8 chips for 4 and 6 wanted ones.
class ChecksTest : public ::testing::Test {
 protected:
  ChecksTest() : scenario_(BuildOrDie(MakeTrace(), MakeFile())), holdings_(scenario_) {
    std::int64_t number = 0;
    const auto apply = [&](std::int64_t time_ms, Payload payload) {
      auto outcomes = host_.Apply({.event_id = "e" + std::to_string(number++),
                                   .time_ms = time_ms,
                                   .actor = "",
                                   .source = "",
                                   .payload = std::move(payload)});
      EXPECT_TRUE(outcomes.ok()) << outcomes.status();
      return outcomes.ok() ? *outcomes : std::vector<Outcome>();
    };
    for (const Event& event : SetupEvents(scenario_)) {
      EXPECT_TRUE(host_.Apply(event).ok());
    }
    apply(kStart, SupplyChanged{.resource = "h100", .owner = "", .chips = 8, .reason = ""});
    holdings_.Announce(scenario_.supply.front());
    holdings_.TakeSupply();
    for (std::uint32_t j = 0; j < 2; ++j) {
      const ScenarioJob& job = scenario_.jobs[j];
      apply(kStart, BidPlaced{.bid = job.id,
                              .team = scenario_.teams[job.team].name,
                              .resource = "h100",
                              .chips = job.chips,
                              .min_chips = job.min_chips,
                              .limit_price_micros = job.limit_price_micros});
      holdings_.Place(j);
    }
    for (int cycle = 0; cycle < 2; ++cycle) {
      outcomes_ = apply(kStart + 10 * kMinute * cycle, ClockTicked{});
      for (const Outcome& outcome : outcomes_) {
        const auto* filled = std::get_if<BidFilled>(&outcome);
        if (filled == nullptr) continue;
        holdings_.Set(filled->bid == "a" ? 0 : 1, {.chips = filled->chips, .paid = filled->paid});
      }
    }
  }

  static Trace MakeTrace() {
    Trace trace;
    trace.jobs = {Job("a", "x", 0, 4, kHour), Job("b", "y", 0, 6, kHour)};
    trace.supply = {Shared(0, 8)};
    return trace;
  }

  static MarketFile MakeFile() {
    MarketFile file;
    BidRule elastic;
    elastic.min_chips_percent = 1;
    elastic.limit_price_micros = 3'000'000;
    file.bids = {elastic};
    return file;
  }

  std::vector<std::string> Check(std::int64_t usable_idle = 0) {
    CycleChecks checks(scenario_);
    checks.Check(kStart + 10 * kMinute, outcomes_, host_.market(), holdings_, {&usable_idle, 1});
    EXPECT_EQ(checks.violations(), checks.examples().size());
    return checks.examples();
  }

  MarketCleared& cleared() {
    for (Outcome& outcome : outcomes_) {
      if (auto* found = std::get_if<MarketCleared>(&outcome)) return *found;
    }
    ADD_FAILURE() << "nothing was cleared";
    return std::get<MarketCleared>(outcomes_.emplace_back(MarketCleared{}));
  }

  Scenario scenario_;
  MemoryHost host_;
  Holdings holdings_;
  std::vector<Outcome> outcomes_;
};

TEST_F(ChecksTest, ASoundCyclePasses) {
  EXPECT_EQ(holdings_.resource(0).chips, 8);
  EXPECT_GT(holdings_.resource(0).paid, 0);
  EXPECT_THAT(Check(), IsEmpty());
}

TEST_F(ChecksTest, SeesMoreHeldThanThereIs) {
  holdings_.Announce({.time_ms = kStart, .resource = 0, .chips = 7});
  holdings_.TakeSupply();
  EXPECT_THAT(Check(), Contains(HasSubstr("1 chips more are held than there are for all")));
}

TEST_F(ChecksTest, SeesUsableChipsThatAreIdle) {
  EXPECT_THAT(Check(3), Contains(HasSubstr("h100: 3 chips are idle that standing bids could use")));
}

TEST_F(ChecksTest, SeesAPriceAboveALimit) {
  for (PoolCleared& pool : cleared().pools) {
    pool.price_micros = 3'000'001;
  }
  EXPECT_THAT(Check(), Contains(HasSubstr("pays 3.000001 cr, above its limit of 3 cr")));
}

TEST_F(ChecksTest, SeesPaymentWithoutAPrice) {
  for (PoolCleared& pool : cleared().pools) {
    pool.price_micros.reset();
  }
  EXPECT_THAT(Check(), Contains(HasSubstr("pays for chips that have no price")));
}

TEST_F(ChecksTest, SeesATeamAboveItsCap) {
  scenario_.jobs[0].limit_price_micros = -1;
  scenario_.jobs[1].limit_price_micros = -1;
  for (PoolCleared& pool : cleared().pools) {
    pool.price_micros = 1'000'000'000;
  }
  EXPECT_THAT(Check(), Contains(HasSubstr("an hour, above its cap of")));
}

TEST_F(ChecksTest, SeesABidOfAnotherSize) {
  holdings_.Set(0, {.chips = 5, .paid = 5});
  EXPECT_THAT(Check(), Contains(HasSubstr("bid a for 1 to 4 chips holds 5 and pays for 5")));
  holdings_.Set(0, {.chips = 2, .paid = 3});
  EXPECT_THAT(Check(), Contains(HasSubstr("bid a for 1 to 4 chips holds 2 and pays for 3")));
}

TEST_F(ChecksTest, SeesThatTheMarketSaysSomethingElse) {
  cleared().allocated = 7;
  EXPECT_THAT(Check(), Contains(HasSubstr("the market says that 7 of 8 chips are held")));
  cleared().allocated = 8;
  cleared().pools[0].paid += 1;
  EXPECT_THAT(Check(), Contains(HasSubstr("the market says that pool x-pool pays for")));
}

TEST_F(ChecksTest, SeesAPurchaseThatIsNotPaidFor) {
  cleared().reference_price_micros = 2'000'000;
  cleared().pools[0].reference_price_micros = 1'999'999;
  EXPECT_THAT(Check(), Contains(HasSubstr("which does not pay for those that are not its own")));
  cleared().reference_price_micros.reset();
  EXPECT_THAT(Check(), Contains(HasSubstr("where nothing shared is sold")));
}

TEST_F(ChecksTest, SeesWhatWasNotCollected) {
  outcomes_.emplace_back(CreditsPosted{.kind = PostingKind::kCharge,
                                       .currency = "x-pool",
                                       .from = "team:x",
                                       .to = "spent:x-pool:h100",
                                       .amount_micros = 1,
                                       .uncollected_micros = 2,
                                       .time_ms = kStart});
  EXPECT_THAT(Check(), Contains(HasSubstr("account team:x owes 0.000002 cr more than it has")));
}

TEST_F(ChecksTest, SeesNamesThatNobodyGave) {
  cleared().resource = "b200";
  EXPECT_THAT(Check(), Contains(HasSubstr("a resource that nobody named: b200")));
}

TEST_F(ChecksTest, SeesAnOpportunisticBidThatPays) {
  scenario_.jobs[0].opportunistic = true;
  EXPECT_THAT(Check(), Contains(HasSubstr("opportunistic bid a pays")));
}

}  // namespace
}  // namespace qmarket
