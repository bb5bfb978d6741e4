// How the fields of a plain struct are described once, for all codecs and checks that walk them.
//
// `TableOf<T>` has the name of T in the schema and a tuple of its fields, in the order of their ids
// (0, 1, 2, ...). The tables themselves are in event_fields.h and outcome_fields.h.
#ifndef QMARKET_EVENTS_FIELD_TABLE_H_
#define QMARKET_EVENTS_FIELD_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace qmarket {

// What a text may hold (field_rules.h).
enum class TextForm : std::uint8_t { kFree, kName, kEventId };

// The values that a number may have, both ends included.
struct IntRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  bool zero = true;  // whether 0, within the ends, is one of them
};

// A field left out takes the value that T{} gives it, unless it is required.
template <typename T, typename V>
struct Field {
  using Value = V;

  absl::string_view name;
  V T::*member;
  bool required = false;
  TextForm form = TextForm::kFree;  // of a text
  IntRange range;                   // of a number
};

template <typename T>
struct TableOf;

template <typename T>
inline constexpr std::size_t kFieldCount = std::tuple_size_v<decltype(TableOf<T>::kFields)>;

// Calls visit(field, id) for every field of T.
template <typename T, typename Visit>
constexpr void ForEachField(Visit&& visit) {
  [&]<std::size_t... Id>(std::index_sequence<Id...>) {
    (visit(std::get<Id>(TableOf<T>::kFields), Id), ...);
  }
  (std::make_index_sequence<kFieldCount<T>>());
}

template <typename V>
struct IsOptional : std::false_type {};

template <typename V>
struct IsOptional<std::optional<V>> : std::true_type {
  using Inner = V;
};

template <typename V>
struct IsVector : std::false_type {};

template <typename V>
struct IsVector<std::vector<V>> : std::true_type {
  using Inner = V;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_FIELD_TABLE_H_
