// What messages about fields say, for the .cc files of this room that check and read events.
#ifndef QMARKET_EVENTS_FIELD_MESSAGES_H_
#define QMARKET_EVENTS_FIELD_MESSAGES_H_

#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/event_fields.h"
#include "events/field_rules.h"
#include "events/field_table.h"

namespace qmarket {

// "an integer from 1 to 1000000".
[[nodiscard]] std::string ExpectedNumber(const IntRange& range);

// "a name of 1 to 128 bytes of [A-Za-z0-9._@:/-]".
[[nodiscard]] absl::string_view ExpectedText(TextForm form);

// "BidPlaced.chips"; the fields of the event itself stand alone: "time_ms".
template <typename T>
std::string FullName(absl::string_view field) {
  if constexpr (std::is_same_v<T, Event>) return std::string(field);
  return absl::StrCat(TableOf<T>::kName, ".", field);
}

// What `field` must be.
template <typename T, typename V>
std::string Expected(const Field<T, V>& field) {
  if constexpr (std::is_same_v<V, std::string>) {
    return std::string(ExpectedText(field.form));
  } else if constexpr (std::is_same_v<V, bool> || std::is_same_v<V, std::optional<bool>>) {
    return "true or false";
  } else {
    return ExpectedNumber(field.range);
  }
}

template <typename T, typename V>
FieldProblem MissingField(const Field<T, V>& field) {
  return {FullName<T>(field.name), "", Expected(field)};
}

}  // namespace qmarket

#endif  // QMARKET_EVENTS_FIELD_MESSAGES_H_
