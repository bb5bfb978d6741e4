// The fields of every outcome, for the .cc files of this room: the order is that of the canonical
// bytes, so fields are never moved, and a new one needs a new format version (outcome_codec.cc).
// outcomes.fbs says the same to others, and a test compares the two.
#ifndef QMARKET_EVENTS_OUTCOME_FIELDS_H_
#define QMARKET_EVENTS_OUTCOME_FIELDS_H_

#include <tuple>

#include "absl/strings/string_view.h"

#include "events/field_table.h"
#include "events/outcome.h"

namespace qmarket {

template <typename T, typename V>
constexpr Field<T, V> Row(absl::string_view name, V T::*member) {
  return {name, member, false, TextForm::kFree, {}};
}

// The last value of an enum that this version knows.
template <typename E>
inline constexpr E kLastOf = E{};
template <>
inline constexpr RejectionCode kLastOf<RejectionCode> = RejectionCode::kHoldsNoChips;
template <>
inline constexpr PostingKind kLastOf<PostingKind> = PostingKind::kLapse;

inline const char* EnumName(RejectionCode code) {
  return RejectionCodeName(code);
}

inline const char* EnumName(PostingKind kind) {
  return PostingKindName(kind);
}

template <>
struct TableOf<PoolCleared> {
  static constexpr absl::string_view kName = "PoolCleared";
  static constexpr auto kFields = std::make_tuple(
      Row("pool", &PoolCleared::pool), Row("price_micros", &PoolCleared::price_micros),
      Row("reference_price_micros", &PoolCleared::reference_price_micros),
      Row("owned", &PoolCleared::owned), Row("lent", &PoolCleared::lent),
      Row("paid", &PoolCleared::paid), Row("allocated", &PoolCleared::allocated));
};

template <>
struct TableOf<MarketCleared> {
  static constexpr absl::string_view kName = "MarketCleared";
  static constexpr auto kFields = std::make_tuple(
      Row("resource", &MarketCleared::resource), Row("cycle", &MarketCleared::cycle),
      Row("time_ms", &MarketCleared::time_ms),
      Row("reference_price_micros", &MarketCleared::reference_price_micros),
      Row("supply", &MarketCleared::supply), Row("shared_supply", &MarketCleared::shared_supply),
      Row("allocated", &MarketCleared::allocated), Row("pools", &MarketCleared::pools));
};

template <>
struct TableOf<QuotaChanged> {
  static constexpr absl::string_view kName = "QuotaChanged";
  static constexpr auto kFields = std::make_tuple(
      Row("team", &QuotaChanged::team), Row("resource", &QuotaChanged::resource),
      Row("chips", &QuotaChanged::chips), Row("cycle", &QuotaChanged::cycle),
      Row("time_ms", &QuotaChanged::time_ms), Row("valid_until_ms", &QuotaChanged::valid_until_ms));
};

template <>
struct TableOf<BidFilled> {
  static constexpr absl::string_view kName = "BidFilled";
  static constexpr auto kFields =
      std::make_tuple(Row("bid", &BidFilled::bid), Row("team", &BidFilled::team),
                      Row("resource", &BidFilled::resource), Row("chips", &BidFilled::chips),
                      Row("paid", &BidFilled::paid), Row("time_ms", &BidFilled::time_ms));
};

template <>
struct TableOf<BidPreempted> {
  static constexpr absl::string_view kName = "BidPreempted";
  static constexpr auto kFields =
      std::make_tuple(Row("bid", &BidPreempted::bid), Row("team", &BidPreempted::team),
                      Row("resource", &BidPreempted::resource), Row("lost", &BidPreempted::lost),
                      Row("chips", &BidPreempted::chips), Row("reason", &BidPreempted::reason),
                      Row("time_ms", &BidPreempted::time_ms));
};

template <>
struct TableOf<CreditsPosted> {
  static constexpr absl::string_view kName = "CreditsPosted";
  static constexpr auto kFields =
      std::make_tuple(Row("kind", &CreditsPosted::kind), Row("currency", &CreditsPosted::currency),
                      Row("from", &CreditsPosted::from), Row("to", &CreditsPosted::to),
                      Row("amount_micros", &CreditsPosted::amount_micros),
                      Row("uncollected_micros", &CreditsPosted::uncollected_micros),
                      Row("time_ms", &CreditsPosted::time_ms));
};

template <>
struct TableOf<EventRejected> {
  static constexpr absl::string_view kName = "EventRejected";
  static constexpr auto kFields =
      std::make_tuple(Row("event_id", &EventRejected::event_id), Row("code", &EventRejected::code),
                      Row("message", &EventRejected::message));
};

template <>
struct TableOf<EventLate> {
  static constexpr absl::string_view kName = "EventLate";
  static constexpr auto kFields = std::make_tuple(Row("event_id", &EventLate::event_id),
                                                  Row("claimed_ms", &EventLate::claimed_ms),
                                                  Row("effective_ms", &EventLate::effective_ms));
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_OUTCOME_FIELDS_H_
