// The fields of every event: names, which are required, forms and ranges. The one place where the
// contract's tables stand in code; events.fbs says the same to others, and a test compares the two.
//
// For the .cc files of this room. Defaults are those of the structs in event.h. Relations between
// fields are in field_rules.cc.
#ifndef QMARKET_EVENTS_EVENT_FIELDS_H_
#define QMARKET_EVENTS_EVENT_FIELDS_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "absl/strings/string_view.h"

#include "events/event.h"
#include "events/field_table.h"

namespace qmarket {

inline constexpr IntRange kTimeRange{0, 4'102'444'800'000};
inline constexpr IntRange kBidChipsRange{1, 1'000'000};
inline constexpr IntRange kMinChipsOrAllRange{0, 1'000'000};
inline constexpr IntRange kSupplyRange{0, 4'000'000};
inline constexpr IntRange kRateRange{0, 1'000'000'000'000};  // a weight, an income
inline constexpr IntRange kGrantRange{-1'000'000'000'000'000, 1'000'000'000'000'000, false};
inline constexpr IntRange kTransferRange{1, 1'000'000'000'000'000};
inline constexpr IntRange kLeverageRange{0, 1'000'000};
inline constexpr IntRange kLimitPriceRange{-1, 1'000'000'000'000};
inline constexpr IntRange kPriorityRange{INT32_MIN, INT32_MAX};
inline constexpr IntRange kCycleRange{1'000, 3'600'000};
inline constexpr IntRange kSettlementRange{10'000, 86'400'000};
inline constexpr IntRange kAffordableRange{0, 2'592'000'000};  // 30 days; see field_rules.cc
inline constexpr IntRange kUsedChipsRange{0, 1'000'000};
inline constexpr IntRange kAnyInt64{};
inline constexpr IntRange kEntryMarginRange{0, 1'000};
inline constexpr IntRange kPurseHoursRange{1, 8'760};
inline constexpr IntRange kRulesVersionRange{1, kNewestRulesVersion};

// Makers of the rows below.
template <typename T>
constexpr Field<T, std::string> RequiredName(absl::string_view name, std::string T::*member) {
  return {name, member, true, TextForm::kName, {}};
}

template <typename T>
constexpr Field<T, std::string> OptionalName(absl::string_view name, std::string T::*member) {
  return {name, member, false, TextForm::kName, {}};
}

template <typename T>
constexpr Field<T, std::string> FreeText(absl::string_view name, std::string T::*member) {
  return {name, member, false, TextForm::kFree, {}};
}

template <typename T, typename V>
constexpr Field<T, V> RequiredNumber(absl::string_view name, V T::*member, IntRange range) {
  return {name, member, true, TextForm::kFree, range};
}

template <typename T, typename V>
constexpr Field<T, V> Number(absl::string_view name, V T::*member, IntRange range) {
  return {name, member, false, TextForm::kFree, range};
}

template <typename T, typename V>
constexpr Field<T, V> Flag(absl::string_view name, V T::*member) {
  return {name, member, false, TextForm::kFree, {}};
}

template <>
struct TableOf<Event> {  // but for the payload
  static constexpr absl::string_view kName = "Event";
  static constexpr auto kFields = std::make_tuple(
      Field<Event, std::string>{"event_id", &Event::event_id, true, TextForm::kEventId, {}},
      RequiredNumber("time_ms", &Event::time_ms, kTimeRange), FreeText("actor", &Event::actor),
      FreeText("source", &Event::source));
};

template <>
struct TableOf<PoolConfigured> {
  static constexpr absl::string_view kName = "PoolConfigured";
  static constexpr auto kFields =
      std::make_tuple(RequiredName("pool", &PoolConfigured::pool),
                      Number("market_weight_micros_per_hour",
                             &PoolConfigured::market_weight_micros_per_hour, kRateRange),
                      Flag("lend_idle", &PoolConfigured::lend_idle));
};

template <>
struct TableOf<TeamConfigured> {
  static constexpr absl::string_view kName = "TeamConfigured";
  static constexpr auto kFields = std::make_tuple(
      RequiredName("team", &TeamConfigured::team), RequiredName("pool", &TeamConfigured::pool),
      Number("income_micros_per_hour", &TeamConfigured::income_micros_per_hour, kRateRange),
      Number("income_leverage_percent", &TeamConfigured::income_leverage_percent, kLeverageRange));
};

template <>
struct TableOf<BudgetGranted> {
  static constexpr absl::string_view kName = "BudgetGranted";
  static constexpr auto kFields =
      std::make_tuple(RequiredName("team", &BudgetGranted::team),
                      RequiredNumber("amount_micros", &BudgetGranted::amount_micros, kGrantRange),
                      FreeText("memo", &BudgetGranted::memo));
};

template <>
struct TableOf<CreditsTransferred> {
  static constexpr absl::string_view kName = "CreditsTransferred";
  static constexpr auto kFields = std::make_tuple(
      RequiredName("from_team", &CreditsTransferred::from_team),
      RequiredName("to_team", &CreditsTransferred::to_team),
      RequiredNumber("amount_micros", &CreditsTransferred::amount_micros, kTransferRange),
      FreeText("memo", &CreditsTransferred::memo));
};

template <>
struct TableOf<SupplyChanged> {
  static constexpr absl::string_view kName = "SupplyChanged";
  static constexpr auto kFields =
      std::make_tuple(RequiredName("resource", &SupplyChanged::resource),
                      OptionalName("owner", &SupplyChanged::owner),
                      RequiredNumber("chips", &SupplyChanged::chips, kSupplyRange),
                      FreeText("reason", &SupplyChanged::reason));
};

template <>
struct TableOf<BidPlaced> {
  static constexpr absl::string_view kName = "BidPlaced";
  static constexpr auto kFields = std::make_tuple(
      RequiredName("bid", &BidPlaced::bid), RequiredName("team", &BidPlaced::team),
      RequiredName("resource", &BidPlaced::resource),
      RequiredNumber("chips", &BidPlaced::chips, kBidChipsRange),
      Number("min_chips", &BidPlaced::min_chips, kMinChipsOrAllRange),
      Number("limit_price_micros", &BidPlaced::limit_price_micros, kLimitPriceRange),
      Number("priority", &BidPlaced::priority, kPriorityRange),
      Flag("opportunistic", &BidPlaced::opportunistic), Flag("standby", &BidPlaced::standby));
};

template <>
struct TableOf<BidAmended> {
  static constexpr absl::string_view kName = "BidAmended";
  static constexpr auto kFields = std::make_tuple(
      RequiredName("bid", &BidAmended::bid), Number("chips", &BidAmended::chips, kBidChipsRange),
      Number("min_chips", &BidAmended::min_chips, kBidChipsRange),
      Number("limit_price_micros", &BidAmended::limit_price_micros, kLimitPriceRange),
      Number("priority", &BidAmended::priority, kPriorityRange),
      Flag("standby", &BidAmended::standby));
};

template <>
struct TableOf<BidWithdrawn> {
  static constexpr absl::string_view kName = "BidWithdrawn";
  static constexpr auto kFields = std::make_tuple(RequiredName("bid", &BidWithdrawn::bid),
                                                  FreeText("reason", &BidWithdrawn::reason));
};

template <>
struct TableOf<ChipsPreempted> {
  static constexpr absl::string_view kName = "ChipsPreempted";
  static constexpr auto kFields =
      std::make_tuple(RequiredName("bid", &ChipsPreempted::bid),
                      RequiredNumber("chips", &ChipsPreempted::chips, kBidChipsRange),
                      FreeText("reason", &ChipsPreempted::reason));
};

template <>
struct TableOf<UsageReported> {
  static constexpr absl::string_view kName = "UsageReported";
  static constexpr auto kFields = std::make_tuple(
      OptionalName("bid", &UsageReported::bid), OptionalName("team", &UsageReported::team),
      OptionalName("resource", &UsageReported::resource),
      RequiredNumber("chips_in_use", &UsageReported::chips_in_use, kUsedChipsRange),
      RequiredNumber("from_ms", &UsageReported::from_ms, kAnyInt64),
      RequiredNumber("to_ms", &UsageReported::to_ms, kAnyInt64));
};

template <>
struct TableOf<MarketConfigured> {
  static constexpr absl::string_view kName = "MarketConfigured";
  static constexpr auto kFields = std::make_tuple(
      Number("cycle_ms", &MarketConfigured::cycle_ms, kCycleRange),
      Number("settlement_ms", &MarketConfigured::settlement_ms, kSettlementRange),
      Number("min_affordable_ms", &MarketConfigured::min_affordable_ms, kAffordableRange),
      Number("keep_affordable_ms", &MarketConfigured::keep_affordable_ms, kAffordableRange),
      Number("entry_margin_percent", &MarketConfigured::entry_margin_percent, kEntryMarginRange),
      Number("purse_hours", &MarketConfigured::purse_hours, kPurseHoursRange),
      Number("rules_version", &MarketConfigured::rules_version, kRulesVersionRange));
};

template <>
struct TableOf<ClockTicked> {
  static constexpr absl::string_view kName = "ClockTicked";
  static constexpr auto kFields = std::make_tuple();
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_EVENT_FIELDS_H_
