#include "connectors/cli/strict_json.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace qmarket {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostLevels = 32;
constexpr std::size_t kLongestShown = 80;
constexpr char kWholeNumber[] = "an integer of at most 64 bits";

// Builds the tree and refuses what nlohmann's own builder lets pass. The method names are the
// library's.
class TreeBuilder {
 public:
  bool null() { return Add(nullptr); }

  bool boolean(bool value) { return Add(value); }

  bool number_integer(Json::number_integer_t value) { return Add(value); }

  bool number_unsigned(Json::number_unsigned_t value) { return Add(value); }

  bool number_float(Json::number_float_t value, const std::string& text) {
    if (text.find_first_of(".eE") != std::string::npos) return Add(value);
    errors_.Add(Path(), text, kWholeNumber);
    return false;
  }

  bool string(std::string& value) { return Add(std::move(value)); }

  bool binary(Json::binary_t& /*value*/) { return false; }

  bool start_object(std::size_t /*elements*/) { return Open(Json::object()); }

  bool key(std::string& key) {
    key_ = std::move(key);
    if (!levels_.back()->contains(key_)) return true;
    errors_.Add(Path(), "given twice", "each field once");
    return false;
  }

  bool end_object() { return Close(); }

  bool start_array(std::size_t /*elements*/) { return Open(Json::array()); }

  bool end_array() { return Close(); }

  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const Json::exception& error) {
    absl::string_view what = error.what();
    what.remove_prefix(std::min(what.size(), what.find("] ") + 2));
    absl::ConsumePrefix(&what, "parse error at ");
    if (errors_.ok()) syntax_ = absl::InvalidArgumentError(absl::StrCat("not JSON: ", what));
    return false;
  }

  absl::StatusOr<Json> Take() {
    if (!errors_.ok()) return errors_.status();
    if (!syntax_.ok()) return syntax_;
    return std::move(root_);
  }

 private:
  [[nodiscard]] std::string Path() const {
    std::string path;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const bool last = i + 1 == levels_.size();
      if (levels_[i]->is_array()) {
        absl::StrAppend(&path, "[", levels_[i]->size() - (last ? 0 : 1), "]");
      } else {
        path = JsonPath(path, last ? key_ : keys_[i]);
      }
    }
    return path;
  }

  bool Add(Json value) {
    Insert(std::move(value));
    return true;
  }

  Json* Insert(Json value) {
    if (levels_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *levels_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool Open(Json value) {
    if (levels_.size() == kMostLevels) {
      errors_.Add(Path(), "nested too deeply", absl::StrCat("at most ", kMostLevels, " levels"));
      return false;
    }
    if (!keys_.empty()) keys_.back() = key_;
    levels_.push_back(Insert(std::move(value)));
    keys_.emplace_back();
    return true;
  }

  bool Close() {
    levels_.pop_back();
    keys_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> levels_;      // stable: only the last element of an array grows
  std::vector<std::string> keys_;  // the field of levels_[i] that levels_[i + 1] is in
  std::string key_;
  JsonErrors errors_;
  absl::Status syntax_;
};

}  // namespace

absl::StatusOr<Json> ParseStrictJson(absl::string_view text) {
  // The library would take a zero byte for the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("byte ", zero + 1, ": no JSON: a zero byte"));
  }
  TreeBuilder builder;
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.Take();
}

std::string JsonPath(absl::string_view parent, absl::string_view key) {
  return parent.empty() ? std::string(key) : absl::StrCat(parent, ".", key);
}

std::string JsonValueText(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kLongestShown) text = absl::StrCat(text.substr(0, kLongestShown), "...");
  return text;
}

void JsonErrors::Add(absl::string_view path, absl::string_view value, absl::string_view expected) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(
      absl::StrCat(path.empty() ? "the document" : path, " is ", value, ", expected ", expected));
}

JsonObject::JsonObject(const Json& value, std::string path, JsonErrors& errors)
    : object_(value.is_object() ? &value : nullptr), path_(std::move(path)), errors_(errors) {
  if (object_ == nullptr) errors_.Add(path_, JsonValueText(value), "an object");
}

const Json* JsonObject::Find(const char* key, bool required) {
  known_.push_back(key);
  if (object_ == nullptr) return nullptr;
  const auto found = object_->find(key);
  if (found != object_->end()) return &*found;
  if (required) errors_.Add(JsonPath(path_, key), "missing", "a value: the field is required");
  return nullptr;
}

bool JsonObject::Has(const char* key) const {
  return object_ != nullptr && object_->contains(key);
}

void JsonObject::Refuse(const char* key, absl::string_view expected) {
  errors_.Add(JsonPath(path_, key), Has(key) ? JsonValueText((*object_)[key]) : "missing",
              expected);
}

Int128 JsonObject::CheckInteger(const char* key, const Json& value, IntegerRange range) {
  Int128 number = 0;
  bool whole = true;
  if (value.is_number_unsigned()) {
    number = value.get<std::uint64_t>();
  } else if (value.is_number_integer()) {
    number = value.get<std::int64_t>();
  } else {
    whole = false;
  }
  if (whole && number >= range.low && number <= range.high) return number;
  errors_.Add(JsonPath(path_, key), JsonValueText(value),
              absl::StrCat("an integer from ", ToString(range.low), " to ", ToString(range.high)));
  return 0;
}

std::optional<std::int64_t> JsonObject::OptionalInteger(const char* key, IntegerRange range) {
  const Json* value = Find(key, false);
  if (value == nullptr || value->is_null()) return std::nullopt;
  return static_cast<std::int64_t>(CheckInteger(key, *value, range));
}

bool JsonObject::Boolean(const char* key, bool otherwise) {
  const Json* value = Find(key, false);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  errors_.Add(JsonPath(path_, key), JsonValueText(*value), "true or false");
  return otherwise;
}

std::string JsonObject::Text(const char* key) {
  const Json* value = Find(key, true);
  if (value == nullptr) return {};
  if (value->is_string()) return value->get<std::string>();
  errors_.Add(JsonPath(path_, key), JsonValueText(*value), "text");
  return {};
}

const std::vector<Json>& JsonObject::Array(const char* key) {
  static const std::vector<Json> kEmpty;
  const Json* value = Find(key, true);
  if (value == nullptr) return kEmpty;
  if (value->is_array()) return value->get_ref<const std::vector<Json>&>();
  errors_.Add(JsonPath(path_, key), JsonValueText(*value), "an array");
  return kEmpty;
}

void JsonObject::Finish() {
  if (object_ == nullptr) return;
  for (const auto& [key, value] : object_->items()) {
    const bool known = std::any_of(known_.begin(), known_.end(),
                                   [&key = key](const char* name) { return key == name; });
    if (known) continue;
    std::string fields;
    for (const char* name : known_)
      absl::StrAppend(&fields, fields.empty() ? "" : ", ", name);
    errors_.Add(JsonPath(path_, key), "an unknown field", absl::StrCat("one of ", fields));
  }
}

}  // namespace qmarket
