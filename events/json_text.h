// JSON text of plain structs after TableOf, for the .cc files of this room. One line, as flatc
// gives it but for the white space and for UTF-8, which stays as it is.
#ifndef QMARKET_EVENTS_JSON_TEXT_H_
#define QMARKET_EVENTS_JSON_TEXT_H_

#include <cstddef>
#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/field_table.h"
#include "events/outcome_fields.h"

namespace qmarket {

// Appends `text` in quotes. Bytes that are no UTF-8 become U+FFFD.
void AppendJsonString(absl::string_view text, std::string& json);

// Writes the members of one object.
class JsonObject {
 public:
  // Appends to `json`, which outlives it.
  explicit JsonObject(std::string& json) : json_(json) { json_.push_back('{'); }

  void Close() { json_.push_back('}'); }

  void Key(absl::string_view name) {
    absl::StrAppend(&json_, first_ ? "\"" : ", \"", name, "\": ");
    first_ = false;
  }

  // All fields of `table`, or those that are required or not at their default.
  template <typename T>
  void Fields(const T& table, bool all) {
    const T defaults;
    ForEachField<T>([&]<typename V>(const Field<T, V>& field, std::size_t) {
      const V& value = table.*field.member;
      if (!all && !field.required && value == defaults.*field.member) return;
      if constexpr (IsOptional<V>::value) {
        if (!value.has_value()) return;
      }
      Key(field.name);
      Value(value);
    });
  }

  template <typename V>
  void Value(const V& value) {
    if constexpr (std::is_same_v<V, std::string>) {
      AppendJsonString(value, json_);
    } else if constexpr (std::is_same_v<V, bool>) {
      json_.append(value ? "true" : "false");
    } else if constexpr (std::is_enum_v<V>) {
      AppendJsonString(EnumName(value), json_);
    } else if constexpr (std::is_integral_v<V>) {
      absl::StrAppend(&json_, value);
    } else if constexpr (IsOptional<V>::value) {
      Value(*value);
    } else if constexpr (IsVector<V>::value) {
      json_.push_back('[');
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) json_.append(", ");
        Value(value[i]);
      }
      json_.push_back(']');
    } else {
      Table(value);
    }
  }

 private:
  template <typename T>
  void Table(const T& table) {
    JsonObject object(json_);
    object.Fields(table, true);
    object.Close();
  }

  std::string& json_;
  bool first_ = true;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_JSON_TEXT_H_
