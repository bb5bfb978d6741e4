// Writes one JSON document piece by piece, with whole numbers of up to 128 bits kept exact.
//
//   JsonWriter json;
//   json.BeginObject().Key("offset").Value(12).Key("teams").BeginObject().EndObject().EndObject();
//   out.Write(json.Take());
//
// Text that is not UTF-8 gets U+FFFD for each bad byte, so that the document is always valid. A
// value without its key, or an end without its beginning, is a bug and stops the process.
#ifndef QMARKET_CONNECTORS_CLI_JSON_WRITER_H_
#define QMARKET_CONNECTORS_CLI_JSON_WRITER_H_

#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "events/int128.h"

namespace qmarket {

class JsonWriter {
 public:
  enum class Layout {
    kIndented,  // two spaces a level: a document
    kOneLine,   // a line of a stream
  };

  explicit JsonWriter(Layout layout = Layout::kIndented) : layout_(layout) {}

  JsonWriter& BeginObject() { return Begin('{'); }

  JsonWriter& EndObject() { return End('}'); }

  JsonWriter& BeginArray() { return Begin('['); }

  JsonWriter& EndArray() { return End(']'); }

  JsonWriter& Key(absl::string_view key);

  JsonWriter& Value(Int128 value) { return Raw(ToString(value)); }

  JsonWriter& Value(Uint128 value) { return Raw(ToString(value)); }

  JsonWriter& Value(bool value) { return Raw(value ? "true" : "false"); }

  JsonWriter& Value(absl::string_view value);

  JsonWriter& Value(const std::string& value) { return Value(absl::string_view(value)); }

  JsonWriter& Value(const char* value) { return Value(absl::string_view(value)); }

  template <std::signed_integral T>
  JsonWriter& Value(T value) {
    return Raw(std::to_string(value));
  }

  template <std::unsigned_integral T>
  JsonWriter& Value(T value) {
    return Raw(std::to_string(value));
  }

  template <typename T>
  JsonWriter& Value(const std::optional<T>& value) {
    return value.has_value() ? Value(*value) : Null();
  }

  JsonWriter& Null() { return Raw("null"); }

  // Key and value in one.
  template <typename T>
  JsonWriter& Field(absl::string_view key, const T& value) {
    return Key(key).Value(value);
  }

  // The text so far. A finished document ends with a line feed.
  [[nodiscard]] std::string Take();

 private:
  struct Level {
    char end;
    bool empty = true;
  };

  JsonWriter& Begin(char open);
  JsonWriter& End(char close);
  JsonWriter& Raw(absl::string_view text);
  void BeforeValue();
  void NewLine();
  void Quote(absl::string_view text);

  Layout layout_;
  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_JSON_WRITER_H_
