// The market at the ends of the contract's ranges: no product overflows, nothing breaks.

#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

#include "matcher/core/market.h"
#include "tests/matcher/inputs.h"
#include "tests/matcher/invariants.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMostAnHour = 1'000'000'000'000;
constexpr std::int64_t kMostCredits = 1'000'000'000'000'000;
constexpr std::int64_t kLastTime = 4'102'444'800'000;
constexpr std::uint32_t kMostChips = 1'000'000;
constexpr std::uint32_t kMostSupply = 4'000'000;

class MarketLimitsTest : public testing::Test {
 protected:
  // The rejection's code; "" where the event was applied.
  std::string Apply(std::int64_t time_ms, Payload payload) {
    Event event;
    event.event_id = absl::StrCat("event-", offset_);
    event.time_ms = time_ms;
    const bool is_tick = std::holds_alternative<ClockTicked>(payload);
    event.payload = std::move(payload);
    const Step step = market_.Apply(InputOf(std::move(event), offset_++));
    for (const Outcome& outcome : step.outcomes) {
      if (const auto* rejected = std::get_if<EventRejected>(&outcome)) {
        return RejectionCodeName(rejected->code);
      }
    }
    for (const std::string& broken : BrokenInvariants(market_, is_tick))
      ADD_FAILURE() << broken;
    return "";
  }

  void ConfigureRichest(const std::string& pool, const std::string& team) {
    ASSERT_EQ(Apply(0, PoolConfigured{.pool = pool, .market_weight_micros_per_hour = kMostAnHour}),
              "");
    ASSERT_EQ(Apply(0, TeamConfigured{.team = team,
                                      .pool = pool,
                                      .income_micros_per_hour = kMostAnHour,
                                      .income_leverage_percent = 0}),
              "");
  }

  void GrantMost(const std::string& team) {
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(Apply(0, BudgetGranted{.team = team, .amount_micros = kMostCredits, .memo = ""}),
                "");
    }
  }

  std::string Bid(const std::string& bid, const std::string& team, std::uint32_t chips,
                  std::uint32_t min_chips) {
    return Apply(
        0, BidPlaced{
               .bid = bid, .team = team, .resource = "r", .chips = chips, .min_chips = min_chips});
  }

  Market market_;

 private:
  std::uint64_t offset_ = 0;
};

TEST_F(MarketLimitsTest, ABalanceOfAPoolIsAtMostAnExaMicroCredit) {
  ConfigureRichest("p", "t");
  ASSERT_EQ(Apply(0, TeamConfigured{.team = "u", .pool = "p"}), "");
  GrantMost("t");
  EXPECT_EQ(Apply(0, BudgetGranted{.team = "u", .amount_micros = 1, .memo = ""}), "out_of_range");
  EXPECT_EQ(Apply(0, BudgetGranted{.team = "t", .amount_micros = -1, .memo = ""}), "");
  EXPECT_EQ(Apply(0, BudgetGranted{.team = "u", .amount_micros = 2, .memo = ""}), "out_of_range");
  EXPECT_EQ(Apply(0, BudgetGranted{.team = "u", .amount_micros = 1, .memo = ""}), "");
}

// All ranges at their ends at once, and the whole of time between two ticks.
TEST_F(MarketLimitsTest, EverythingAtItsMost) {
  ASSERT_EQ(Apply(0, MarketConfigured{.cycle_ms = 1'000,
                                      .settlement_ms = 10'000,
                                      .min_affordable_ms = 22'000,
                                      .keep_affordable_ms = 22'000,
                                      .entry_margin_percent = 1'000,
                                      .purse_hours = 8'760}),
            "");
  ConfigureRichest("p", "t");
  ConfigureRichest("q", "u");
  GrantMost("t");
  for (const char* owner : {"", "p", "q"}) {
    ASSERT_EQ(
        Apply(0,
              SupplyChanged{.resource = "r", .owner = owner, .chips = kMostSupply, .reason = ""}),
        "");
  }
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(Bid(absl::StrCat("gang-", i), "t", kMostChips, 0), "");
    ASSERT_EQ(Bid(absl::StrCat("elastic-", i), "u", kMostChips, 1), "");
  }
  ASSERT_EQ(Apply(0, ClockTicked{}), "");
  ASSERT_EQ(Apply(1'000, ClockTicked{}), "");
  const ResourceView resource = market_.Resources().front();
  EXPECT_EQ(resource.allocated, 3 * kMostSupply);
  EXPECT_GT(resource.reference_price_micros.value(), 0);
  ASSERT_EQ(Apply(kLastTime, ClockTicked{}), "");
  ASSERT_EQ(Apply(kLastTime, ClockTicked{}), "");
  EXPECT_GT(market_.Teams().front().uncollected_micros, 0);
}

// A pool whose credits are worth next to nothing beside one whose credits are worth very much.
TEST_F(MarketLimitsTest, RatesFarApart) {
  ASSERT_EQ(Apply(0, PoolConfigured{.pool = "poor", .market_weight_micros_per_hour = 1}), "");
  ASSERT_EQ(Apply(0, TeamConfigured{.team = "t",
                                    .pool = "poor",
                                    .income_micros_per_hour = kMostAnHour,
                                    .income_leverage_percent = 0}),
            "");
  GrantMost("t");
  ASSERT_EQ(Apply(0, PoolConfigured{.pool = "rich", .market_weight_micros_per_hour = kMostAnHour}),
            "");
  ASSERT_EQ(Apply(0, TeamConfigured{.team = "u", .pool = "rich", .income_micros_per_hour = 1}), "");
  ASSERT_EQ(Apply(0, SupplyChanged{.resource = "r", .owner = "", .chips = 3, .reason = ""}), "");
  ASSERT_EQ(Bid("a", "t", kMostChips, 1), "");
  ASSERT_EQ(Bid("b", "u", kMostChips, 1), "");
  for (std::int64_t time : {std::int64_t{0}, std::int64_t{60'000}, kLastTime / 2, kLastTime}) {
    ASSERT_EQ(Apply(time, ClockTicked{}), "");
    EXPECT_EQ(market_.Resources().front().allocated, 3);
  }
}

}  // namespace
}  // namespace qmarket
