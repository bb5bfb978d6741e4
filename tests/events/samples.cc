#include "tests/events/samples.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "events/event_fields.h"
#include "events/field_table.h"
#include "events/outcome_fields.h"

namespace qmarket {
namespace {

constexpr std::size_t kMaxText = 20;

rc::Gen<std::string> Names() {
  return rc::gen::resize(kMaxText, rc::gen::nonEmpty(rc::gen::container<std::string>(
                                       rc::gen::elementOf(std::string("abcXYZ019._@:/-")))));
}

rc::Gen<std::string> EventIds() {
  return rc::gen::resize(kMaxText, rc::gen::nonEmpty(rc::gen::container<std::string>(
                                       rc::gen::inRange(' ', static_cast<char>('~' + 1)))));
}

rc::Gen<std::string> Bytes() {
  return rc::gen::resize(kMaxText, rc::gen::arbitrary<std::string>());
}

// Characters of every length in UTF-8, and those that JSON escapes.
rc::Gen<std::string> FreeTexts() {
  const std::vector<std::string> characters = {"a",
                                               "Z",
                                               " ",
                                               "\"",
                                               "\\",
                                               "/",
                                               "\n",
                                               "\t",
                                               "\x01",
                                               "\x7f",
                                               std::string(1, '\0'),
                                               "\xc3\xa4",
                                               "\xe2\x82\xac",
                                               "\xed\x9f\xbf",
                                               "\xef\xbf\xbd",
                                               "\xf0\x9f\x8f\x86",
                                               "\xf4\x8f\xbf\xbf"};
  return rc::gen::map(rc::gen::resize(kMaxText, rc::gen::container<std::vector<std::string>>(
                                                    rc::gen::elementOf(characters))),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts)
                          text += part;
                        return text;
                      });
}

rc::Gen<std::int64_t> InRange(const IntRange& range) {
  const auto inside = [range](std::int64_t value) {
    return range.least <= value && value <= range.most && (range.zero || value != 0);
  };
  // The ends, where mistakes are, as often as all the rest.
  return rc::gen::suchThat(
      rc::gen::oneOf(rc::gen::element(range.least, range.most, std::int64_t{0}, std::int64_t{1}),
                     rc::gen::arbitrary<std::int64_t>(),
                     rc::gen::cast<std::int64_t>(rc::gen::inRange<std::int32_t>(0, 1'000'000))),
      inside);
}

template <typename V>
V AnyValue() {
  if constexpr (std::is_same_v<V, std::string>) {
    return *FreeTexts();
  } else if constexpr (std::is_enum_v<V>) {
    return static_cast<V>(*rc::gen::inRange(0, static_cast<int>(kLastOf<V>) + 1));
  } else if constexpr (IsOptional<V>::value) {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    return AnyValue<typename IsOptional<V>::Inner>();
  } else if constexpr (IsVector<V>::value) {
    V items(static_cast<std::size_t>(*rc::gen::inRange(0, 4)));
    for (auto& item : items)
      item = AnyValue<typename IsVector<V>::Inner>();
    return items;
  } else if constexpr (std::is_integral_v<V>) {
    return *rc::gen::oneOf(
        rc::gen::arbitrary<V>(),
        rc::gen::element(std::numeric_limits<V>::min(), std::numeric_limits<V>::max()));
  } else {
    V table;
    ForEachField<V>([&]<typename F>(const F& field, std::size_t) {
      table.*field.member = AnyValue<typename F::Value>();
    });
    return table;
  }
}

// A value for one field of an event, within its form and range.
template <typename T, typename V>
V ValidValue(const Field<T, V>& field) {
  if constexpr (IsOptional<V>::value) {
    if (*rc::gen::arbitrary<bool>()) return std::nullopt;
    using Inner = typename IsOptional<V>::Inner;
    return ValidValue(Field<T, Inner>{field.name, nullptr, false, field.form, field.range});
  } else if constexpr (std::is_same_v<V, bool>) {
    return *rc::gen::arbitrary<bool>();
  } else if constexpr (std::is_same_v<V, std::string>) {
    if (!field.required && *rc::gen::arbitrary<bool>()) return {};
    if (field.form == TextForm::kName) return *Names();
    return field.form == TextForm::kEventId ? *EventIds() : *FreeTexts();
  } else {
    return static_cast<V>(*InRange(field.range));
  }
}

template <typename T>
void MakeRelationsHold(T& /*payload*/) {}

void MakeRelationsHold(UsageReported& usage) {
  if (usage.from_ms == usage.to_ms) {
    usage.from_ms = 0;
    usage.to_ms = 1;
  }
  if (usage.from_ms > usage.to_ms) std::swap(usage.from_ms, usage.to_ms);
  if (!usage.bid.empty()) {
    usage.team.clear();
    usage.resource.clear();
  } else {
    usage.team = *Names();
    usage.resource = *Names();
  }
}

void MakeRelationsHold(MarketConfigured& market) {
  market.keep_affordable_ms =
      std::max(market.keep_affordable_ms, 2 * (market.settlement_ms + market.cycle_ms));
  market.min_affordable_ms = std::max(market.min_affordable_ms, market.keep_affordable_ms);
}

template <std::size_t... Index>
Payload PayloadOfType(std::size_t type, std::index_sequence<Index...>) {
  Payload payload;
  static_cast<void>(((type == Index && (payload.emplace<Index>(), true)) || ...));
  return payload;
}

Payload AnyPayloadType() {
  constexpr std::size_t kTypes = std::variant_size_v<Payload>;
  return PayloadOfType(*rc::gen::inRange<std::size_t>(0, kTypes),
                       std::make_index_sequence<kTypes>());
}

template <std::size_t... Index>
Outcome OutcomeOfType(std::size_t type, std::index_sequence<Index...>) {
  Outcome outcome;
  static_cast<void>((
      (type == Index && (outcome = AnyValue<std::variant_alternative_t<Index, Outcome>>(), true)) ||
      ...));
  return outcome;
}

}  // namespace

std::vector<Event> SampleEvents() {
  const std::vector<Payload> payloads = {
      PoolConfigured{"search", 100'000'000, false},
      TeamConfigured{"vision", "search", 60'000'000, 250},
      BudgetGranted{"vision", -5'000'000, "back"},
      CreditsTransferred{"vision", "rank", 7, "loan"},
      SupplyChanged{"h100@us-east", "search", 64, "delivery"},
      BidPlaced{"job-9181", "vision", "h100@us-east", 64, 8, 2'500'000, -3, true, false},
      BidAmended{"job-9181", 32, 4, -1, 9, true},
      BidWithdrawn{"job-9181", "finished"},
      ChipsPreempted{"job-9181", 8, "node_failure"},
      UsageReported{"", "vision", "h100@us-east", 60, 1'767'225'600'000, 1'767'225'660'000},
      MarketConfigured{30'000, 60'000, 3'600'000, 900'000, 10, 24},
      ClockTicked{},
  };
  std::vector<Event> events;
  for (const Payload& payload : payloads) {
    const std::string id = "e-" + std::to_string(events.size());
    events.push_back({id, 1'767'225'600'000, "user:ana", "slurm", payload});
  }
  return events;
}

std::vector<Outcome> SampleOutcomes() {
  const PoolCleared priced{"search", 2'000'000, 1'500'000, 16, 4, 12, 14};
  const PoolCleared unpriced{"lab", std::nullopt, std::nullopt, 8, 0, 0, 8};
  return {
      MarketCleared{"h100", 7, 1'767'225'600'000, 1'500'000, 24, 4, 22, {priced, unpriced}},
      QuotaChanged{"vision", "h100", 12, 7, 1'767'225'600'000, 1'767'225'900'000},
      BidFilled{"job-1", "vision", "h100", 12, 8, 1'767'225'600'000},
      BidPreempted{"job-2", "rank", "h100", 4, 2, "outbid", 1'767'225'600'000},
      CreditsPosted{PostingKind::kCharge, "search", "team:vision", "spent:search:h100", 123'456'789,
                    42, 1'767'225'600'000},
      EventRejected{"e-9", RejectionCode::kTimeInFuture, "6 minutes ahead"},
      EventLate{"e-10", 1'767'225'500'000, 1'767'225'600'000},
  };
}

rc::Gen<Event> ValidEvents() {
  return rc::gen::exec([] {
    Event event;
    ForEachField<Event>(
        [&](const auto& field, std::size_t) { event.*field.member = ValidValue(field); });
    event.payload = AnyPayloadType();
    std::visit(
        []<typename T>(T& payload) {
          ForEachField<T>(
              [&](const auto& field, std::size_t) { payload.*field.member = ValidValue(field); });
          MakeRelationsHold(payload);
        },
        event.payload);
    return event;
  });
}

rc::Gen<Event> AnyEvents() {
  return rc::gen::exec([] {
    Event event = AnyValue<Event>();
    event.event_id = *Bytes();
    event.payload = AnyPayloadType();
    std::visit([]<typename T>(T& payload) { payload = AnyValue<T>(); }, event.payload);
    return event;
  });
}

rc::Gen<Outcome> AnyOutcomes() {
  return rc::gen::exec([] {
    constexpr std::size_t kTypes = std::variant_size_v<Outcome>;
    return OutcomeOfType(*rc::gen::inRange<std::size_t>(0, kTypes),
                         std::make_index_sequence<kTypes>());
  });
}

}  // namespace qmarket
