// JSON documents read without mercy: what is written twice, too large or unknown is an error that
// names its path, its value and what was expected.
//
//   absl::StatusOr<nlohmann::json> tree = ParseStrictJson(text);
//   JsonErrors errors;
//   JsonObject bid(*tree, "pools[0].teams[1].bids[2]", errors);
//   auto chips = bid.Integer<std::uint32_t>("chips", {.low = 1, .high = 1'000'000});
//   bid.Finish();                     // a field that nobody asked for is an error
//   if (!errors.ok()) return errors.status();
//
// The first error wins; after it, readers return zeros. Not thread-safe.
#ifndef QMARKET_CONNECTORS_CLI_STRICT_JSON_H_
#define QMARKET_CONNECTORS_CLI_STRICT_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/int128.h"
#include <nlohmann/json.hpp>

namespace qmarket {

// Parses `text`, all of it. Errors: no JSON (with line and column); a key given twice in one
// object; a whole number beyond 64 bits; more than 32 levels.
[[nodiscard]] absl::StatusOr<nlohmann::json> ParseStrictJson(absl::string_view text);

// "a.b[2]" + "c" is "a.b[2].c".
[[nodiscard]] std::string JsonPath(absl::string_view parent, absl::string_view key);

// The first error of a document.
class JsonErrors {
 public:
  // "PATH is VALUE, expected EXPECTED".
  void Add(absl::string_view path, absl::string_view value, absl::string_view expected);

  [[nodiscard]] bool ok() const { return status_.ok(); }

  [[nodiscard]] const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

// A JSON value as an error shows it: compact, and cut where it is long.
[[nodiscard]] std::string JsonValueText(const nlohmann::json& value);

struct IntegerRange {
  Int128 low;
  Int128 high;
};

class JsonObject {
 public:
  // `value` and `errors` must outlive this.
  JsonObject(const nlohmann::json& value, std::string path, JsonErrors& errors);

  // A whole number in the range. Without `otherwise` the field is required.
  template <typename T>
  T Integer(const char* key, IntegerRange range, std::optional<T> otherwise = std::nullopt) {
    const nlohmann::json* value = Find(key, !otherwise.has_value());
    if (value == nullptr) return otherwise.value_or(T{});
    return static_cast<T>(CheckInteger(key, *value, range));
  }

  // The same; nothing where it is left out or null.
  std::optional<std::int64_t> OptionalInteger(const char* key, IntegerRange range);

  bool Boolean(const char* key, bool otherwise);
  std::string Text(const char* key);

  // A required array; empty after an error.
  const std::vector<nlohmann::json>& Array(const char* key);

  [[nodiscard]] bool Has(const char* key) const;

  [[nodiscard]] const std::string& path() const { return path_; }

  // Records an error about the value of `key`.
  void Refuse(const char* key, absl::string_view expected);

  void Finish();

 private:
  const nlohmann::json* Find(const char* key, bool required);
  Int128 CheckInteger(const char* key, const nlohmann::json& value, IntegerRange range);

  const nlohmann::json* object_;  // null: it is no object
  std::string path_;
  JsonErrors& errors_;
  std::vector<const char*> known_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_STRICT_JSON_H_
