// The form and the ranges of events, in one place (the contract's tables of events and ranges).
//
// The table itself is event_fields.h; the JSON reader and the market check with these functions
// alike. They look at one event alone: what depends on other events (an unknown team, the sum of
// the incomes of a pool, `min_chips` above `chips`) is the market's business. Pure; use them from
// any thread.
#ifndef QMARKET_EVENTS_FIELD_RULES_H_
#define QMARKET_EVENTS_FIELD_RULES_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

#include "events/event.h"

namespace qmarket {

// One field that is not as it must be.
struct FieldProblem {
  std::string field;     // "time_ms", or with the type of the payload: "BidPlaced.chips"
  std::string value;     // as text, shortened where it is long; empty where the field is missing
  std::string expected;  // e.g. "an integer from 1 to 1000000"

  friend bool operator==(const FieldProblem&, const FieldProblem&) = default;
};

// Ids and names of their form, required names there, free text valid UTF-8, and exactly one of
// `bid` and `team` with `resource` in a UsageReported. The first problem, in the order of the
// table. In a log such an event is `malformed`.
[[nodiscard]] std::optional<FieldProblem> CheckForm(const Event& event);

// Numbers within the contract's ranges, relations between them included. The first problem. In a
// log such an event is `out_of_range`.
[[nodiscard]] std::optional<FieldProblem> CheckRanges(const Event& event);

// One line for people, printable whatever the value: "BidPlaced.chips is 0, expected an integer
// from 1 to 1000000".
[[nodiscard]] std::string Describe(const FieldProblem& problem);

// A text as it stands in messages: the first `max_bytes` of it, what is not printable ASCII
// escaped.
[[nodiscard]] std::string PrintableForMessage(absl::string_view text, std::size_t max_bytes);

// A value as it stands in messages: the first 60 bytes, printable, in quotes.
[[nodiscard]] std::string QuotedForMessage(absl::string_view value);

// The contract's forms. An event id: 1-128 bytes of printable ASCII (0x20-0x7e). A name of a pool,
// team, resource or bid: 1-128 bytes of [A-Za-z0-9._@:/-].
[[nodiscard]] bool IsEventId(absl::string_view text);
[[nodiscard]] bool IsName(absl::string_view text);

// Well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
[[nodiscard]] bool IsUtf8(absl::string_view text);

// "BidPlaced", the contract's payload_type.
[[nodiscard]] absl::string_view PayloadTypeName(const Payload& payload);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_FIELD_RULES_H_
