// The contract's forms and ranges: for each the last good value and the first bad one.

#include "events/field_rules.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "tests/events/samples.h"

namespace qmarket {
namespace {

template <typename T>
Event With(const std::function<void(T&)>& change) {
  for (Event event : SampleEvents()) {
    if (T* payload = std::get_if<T>(&event.payload)) {
      change(*payload);
      return event;
    }
  }
  ADD_FAILURE() << "no sample of this type";
  return {};
}

template <typename T, typename V>
Event With(V T::*member, std::int64_t value) {
  return With<T>([&](T& payload) { payload.*member = static_cast<V>(value); });
}

template <typename T, typename V>
Event With(std::optional<V> T::*member, std::int64_t value) {
  return With<T>([&](T& payload) { payload.*member = static_cast<V>(value); });
}

// `least` and `most` are in range, their neighbours are not (where the type has them).
template <typename T, typename M>
void ExpectRange(const std::string& field, M T::*member, std::int64_t least, std::int64_t most) {
  const auto problem = [&](std::int64_t value) { return CheckRanges(With(member, value)); };
  EXPECT_EQ(problem(least), std::nullopt) << field;
  EXPECT_EQ(problem(most), std::nullopt) << field;
  const std::string expected =
      "an integer from " + std::to_string(least) + " to " + std::to_string(most);
  for (const std::int64_t value : {least - 1, most + 1}) {
    const bool representable = value >= 0 || std::is_same_v<M, std::int64_t> ||
                               std::is_same_v<M, std::optional<std::int64_t>>;
    if (!representable) continue;
    const std::optional<FieldProblem> found = problem(value);
    ASSERT_TRUE(found.has_value()) << field << " = " << value;
    EXPECT_EQ(found->field, field);
    EXPECT_EQ(found->value, std::to_string(value));
    EXPECT_EQ(found->expected, expected);
  }
}

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kTrillion = kMillion * kMillion;

TEST(CheckRanges, SamplesAreWithin) {
  for (const Event& event : SampleEvents())
    EXPECT_EQ(CheckRanges(event), std::nullopt);
}

TEST(CheckRanges, NumbersOfBids) {
  ExpectRange("BidPlaced.chips", &BidPlaced::chips, 1, kMillion);
  ExpectRange("BidPlaced.min_chips", &BidPlaced::min_chips, 0, kMillion);
  ExpectRange("BidPlaced.limit_price_micros", &BidPlaced::limit_price_micros, -1, kTrillion);
  ExpectRange("BidAmended.chips", &BidAmended::chips, 1, kMillion);
  ExpectRange("BidAmended.min_chips", &BidAmended::min_chips, 1, kMillion);
  ExpectRange("BidAmended.limit_price_micros", &BidAmended::limit_price_micros, -1, kTrillion);
  ExpectRange("ChipsPreempted.chips", &ChipsPreempted::chips, 1, kMillion);
  for (const std::int64_t priority : {INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(CheckRanges(With(&BidPlaced::priority, priority)), std::nullopt);
    EXPECT_EQ(CheckRanges(With(&BidAmended::priority, priority)), std::nullopt);
  }
}

TEST(CheckRanges, AnAmendmentOfNothingIsWithin) {
  EXPECT_EQ(CheckRanges({"e", 1, "", "", BidAmended{"b", {}, {}, {}, {}, {}}}), std::nullopt);
}

TEST(CheckRanges, NumbersOfPoolsTeamsAndSupply) {
  ExpectRange("PoolConfigured.market_weight_micros_per_hour",
              &PoolConfigured::market_weight_micros_per_hour, 0, kTrillion);
  ExpectRange("TeamConfigured.income_micros_per_hour", &TeamConfigured::income_micros_per_hour, 0,
              kTrillion);
  ExpectRange("TeamConfigured.income_leverage_percent", &TeamConfigured::income_leverage_percent, 0,
              kMillion);
  ExpectRange("SupplyChanged.chips", &SupplyChanged::chips, 0, 4 * kMillion);
  ExpectRange("CreditsTransferred.amount_micros", &CreditsTransferred::amount_micros, 1,
              1'000 * kTrillion);
}

TEST(CheckRanges, AGrantIsNotNothing) {
  constexpr std::int64_t kMost = 1'000 * kTrillion;
  for (const std::int64_t amount : {-kMost, std::int64_t{-1}, std::int64_t{1}, kMost}) {
    EXPECT_EQ(CheckRanges(With(&BudgetGranted::amount_micros, amount)), std::nullopt) << amount;
  }
  for (const std::int64_t amount : {-kMost - 1, std::int64_t{0}, kMost + 1}) {
    const std::optional<FieldProblem> problem =
        CheckRanges(With(&BudgetGranted::amount_micros, amount));
    ASSERT_TRUE(problem.has_value()) << amount;
    EXPECT_EQ(Describe(*problem), "BudgetGranted.amount_micros is " + std::to_string(amount) +
                                      ", expected an integer from -1000000000000000 to "
                                      "1000000000000000, not 0");
  }
}

TEST(CheckRanges, Times) {
  for (const std::int64_t time : {std::int64_t{0}, std::int64_t{4'102'444'800'000}}) {
    EXPECT_EQ(CheckRanges({"e", time, "", "", ClockTicked{}}), std::nullopt);
  }
  for (const std::int64_t time : {std::int64_t{-1}, std::int64_t{4'102'444'800'001},
                                  std::numeric_limits<std::int64_t>::min()}) {
    const std::optional<FieldProblem> problem = CheckRanges({"e", time, "", "", ClockTicked{}});
    ASSERT_TRUE(problem.has_value());
    EXPECT_EQ(problem->field, "time_ms");
  }
}

TEST(CheckRanges, Usage) {
  ExpectRange("UsageReported.chips_in_use", &UsageReported::chips_in_use, 0, kMillion);
  const auto problem = [](std::int64_t from_ms, std::int64_t to_ms) {
    return CheckRanges(With<UsageReported>([&](UsageReported& usage) {
      usage.from_ms = from_ms;
      usage.to_ms = to_ms;
    }));
  };
  EXPECT_EQ(problem(6, 7), std::nullopt);
  for (const std::int64_t to_ms : {6, 5}) {
    ASSERT_TRUE(problem(6, to_ms).has_value());
    EXPECT_EQ(Describe(*problem(6, to_ms)), "UsageReported.to_ms is " + std::to_string(to_ms) +
                                                ", expected an integer above from_ms, 6");
  }
}

TEST(CheckRanges, MarketSettings) {
  ExpectRange("MarketConfigured.entry_margin_percent", &MarketConfigured::entry_margin_percent, 0,
              1'000);
  ExpectRange("MarketConfigured.purse_hours", &MarketConfigured::purse_hours, 1, 8'760);
  ExpectRange("MarketConfigured.rules_version", &MarketConfigured::rules_version, 1,
              kNewestRulesVersion);
  constexpr std::int64_t kDays30 = 2'592'000'000;
  const auto problem = [](const MarketConfigured& market) {
    const std::optional<FieldProblem> found = CheckRanges({"e", 1, "", "", market});
    return found.has_value() ? Describe(*found) : "";
  };
  EXPECT_EQ(problem({}), "");
  EXPECT_EQ(problem({1'000, 10'000, 22'000, 22'000, 0, 1}), "");
  EXPECT_EQ(problem({3'600'000, 86'400'000, kDays30, kDays30, 0, 1}), "");
  EXPECT_EQ(problem({3'600'000, 86'400'000, 180'000'000, 180'000'000, 0, 1}), "");
  EXPECT_EQ(problem({999, 10'000, 22'000, 22'000, 0, 1}),
            "MarketConfigured.cycle_ms is 999, expected an integer from 1000 to 3600000");
  EXPECT_EQ(problem({3'600'001, 86'400'000, kDays30, kDays30, 0, 1}),
            "MarketConfigured.cycle_ms is 3600001, expected an integer from 1000 to 3600000");
  EXPECT_EQ(problem({1'000, 9'999, 22'000, 22'000, 0, 1}),
            "MarketConfigured.settlement_ms is 9999, expected an integer from 10000 to 86400000");
  EXPECT_EQ(problem({1'000, 86'400'001, kDays30, kDays30, 0, 1}),
            "MarketConfigured.settlement_ms is 86400001, expected an integer from 10000 to "
            "86400000");
  EXPECT_EQ(problem({1'000, 10'000, 22'000, 21'999, 0, 1}),
            "MarketConfigured.keep_affordable_ms is 21999, expected an integer from 22000 to "
            "2592000000 (at least 2 * (settlement_ms + cycle_ms))");
  EXPECT_EQ(problem({1'000, 10'000, 30'000, 30'001, 0, 1}),
            "MarketConfigured.min_affordable_ms is 30000, expected an integer from 30001 to "
            "2592000000 (at least keep_affordable_ms)");
  EXPECT_NE(problem({1'000, 10'000, kDays30 + 1, 30'001, 0, 1}), "");
  EXPECT_NE(problem({1'000, 10'000, kDays30 + 1, kDays30 + 1, 0, 1}), "");
  EXPECT_NE(problem({1'000, 10'000, -1, -1, 0, 1}), "");
}

TEST(CheckForm, SamplesAreOfTheirForm) {
  for (const Event& event : SampleEvents())
    EXPECT_EQ(CheckForm(event), std::nullopt);
}

TEST(CheckForm, Names) {
  const auto problem = [](const std::string& name) {
    const std::optional<FieldProblem> found =
        CheckForm({"e", 1, "", "", BidWithdrawn{name, "done"}});
    return found.has_value() ? Describe(*found) : "";
  };
  for (const std::string& name :
       {std::string("a"), std::string("AZaz09._@:/-"), std::string(128, 'n')}) {
    EXPECT_EQ(problem(name), "") << name;
  }
  EXPECT_EQ(problem(""),
            "BidWithdrawn.bid is missing, expected a name of 1 to 128 bytes of [A-Za-z0-9._@:/-]");
  EXPECT_EQ(problem(std::string(129, 'n')),
            "BidWithdrawn.bid is \"" + std::string(60, 'n') +
                "...\", expected a name of 1 to 128 bytes of [A-Za-z0-9._@:/-]");
  for (const std::string& name :
       {std::string(" "), std::string("a b"), std::string("a\n"), std::string("a\0b", 3),
        std::string("\xc3\xa4"), std::string("a,b"), std::string("a\\"), std::string("a+b")}) {
    EXPECT_NE(problem(name), "") << name;
  }
}

TEST(CheckForm, EveryNameIsChecked) {
  // A bad name in each place where there can be one.
  const std::vector<std::pair<Payload, std::string>> payloads = {
      {PoolConfigured{"?", 0, true}, "PoolConfigured.pool"},
      {TeamConfigured{"?", "p", 0, 0}, "TeamConfigured.team"},
      {TeamConfigured{"t", "?", 0, 0}, "TeamConfigured.pool"},
      {BudgetGranted{"?", 1, ""}, "BudgetGranted.team"},
      {CreditsTransferred{"?", "t", 1, ""}, "CreditsTransferred.from_team"},
      {CreditsTransferred{"t", "?", 1, ""}, "CreditsTransferred.to_team"},
      {SupplyChanged{"?", "", 1, ""}, "SupplyChanged.resource"},
      {SupplyChanged{"r", "?", 1, ""}, "SupplyChanged.owner"},
      {BidPlaced{"?", "t", "r", 1}, "BidPlaced.bid"},
      {BidPlaced{"b", "?", "r", 1}, "BidPlaced.team"},
      {BidPlaced{"b", "t", "?", 1}, "BidPlaced.resource"},
      {BidAmended{"?", {}, {}, {}, {}, {}}, "BidAmended.bid"},
      {BidWithdrawn{"?", ""}, "BidWithdrawn.bid"},
      {ChipsPreempted{"?", 1, ""}, "ChipsPreempted.bid"},
      {UsageReported{"?", "", "", 1, 0, 1}, "UsageReported.bid"},
      {UsageReported{"", "?", "r", 1, 0, 1}, "UsageReported.team"},
      {UsageReported{"", "t", "?", 1, 0, 1}, "UsageReported.resource"},
  };
  for (const auto& [payload, field] : payloads) {
    const std::optional<FieldProblem> problem = CheckForm({"e", 1, "", "", payload});
    ASSERT_TRUE(problem.has_value()) << field;
    EXPECT_EQ(problem->field, field);
    EXPECT_EQ(problem->value, "\"?\"");
  }
}

TEST(CheckForm, EventIds) {
  for (const std::string& id : {std::string("a"), std::string(" ~!\"\\"), std::string(128, 'i')}) {
    EXPECT_EQ(CheckForm({id, 1, "", "", ClockTicked{}}), std::nullopt) << id;
  }
  for (const std::string& id : {std::string(), std::string(129, 'i'), std::string("a\tb"),
                                std::string("\x7f"), std::string("\xc3\xa4")}) {
    const std::optional<FieldProblem> problem = CheckForm({id, 1, "", "", ClockTicked{}});
    ASSERT_TRUE(problem.has_value()) << id;
    EXPECT_EQ(problem->field, "event_id");
    EXPECT_EQ(problem->expected, "1 to 128 bytes of printable ASCII");
  }
}

TEST(CheckForm, FreeTextIsUtf8) {
  EXPECT_EQ(CheckForm({"e", 1, std::string("\0\n\xc3\xa4", 4), "", ClockTicked{}}), std::nullopt);
  const std::optional<FieldProblem> problem = CheckForm({"e", 1, "", "a\xff", ClockTicked{}});
  ASSERT_TRUE(problem.has_value());
  EXPECT_EQ(Describe(*problem), "source is \"a\\xff\", expected a text in UTF-8");
  EXPECT_TRUE(CheckForm({"e", 1, "", "", BidWithdrawn{"b", "\xed\xa0\x80"}}).has_value());
  EXPECT_TRUE(CheckForm({"e", 1, "", "", BudgetGranted{"t", 1, "\xc0"}}).has_value());
}

TEST(CheckForm, UsageNamesABidOrATeamWithAResource) {
  const auto good = [](const char* bid, const char* team, const char* resource) {
    return !CheckForm({"e", 1, "", "", UsageReported{bid, team, resource, 1, 0, 1}}).has_value();
  };
  EXPECT_TRUE(good("b", "", ""));
  EXPECT_TRUE(good("", "t", "r"));
  EXPECT_FALSE(good("", "", ""));
  EXPECT_FALSE(good("b", "t", "r"));
  EXPECT_FALSE(good("b", "t", ""));
  EXPECT_FALSE(good("b", "", "r"));
  EXPECT_FALSE(good("", "t", ""));
  EXPECT_FALSE(good("", "", "r"));
}

TEST(IsUtf8, TheEndsOfEachForm) {
  for (const char* good :
       {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "a\xc3\xa4z"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xe1\x80", "\xe1\x80\x7f", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xf1\x80\x80", "\xff", "a\xc3\xa4\xa4"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

TEST(PayloadTypeName, IsTheContractsWord) {
  std::vector<std::string> names;
  for (const Event& event : SampleEvents()) {
    names.emplace_back(PayloadTypeName(event.payload));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"PoolConfigured", "TeamConfigured", "BudgetGranted",
                                             "CreditsTransferred", "SupplyChanged", "BidPlaced",
                                             "BidAmended", "BidWithdrawn", "ChipsPreempted",
                                             "UsageReported", "MarketConfigured", "ClockTicked"}));
}

}  // namespace
}  // namespace qmarket
