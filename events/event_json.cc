#include "events/event_json.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "events/event_fields.h"
#include "events/field_messages.h"
#include "events/field_rules.h"
#include "events/json_text.h"
#include "nlohmann/json.hpp"

namespace qmarket {
namespace {

constexpr std::size_t kMaxMembers = 32;  // of one object; no event has as many
constexpr std::size_t kMaxReasonBytes = 160;

// A value as it was read. What no field takes (null, fractions, arrays, ...) keeps its text alone.
struct JsonValue {
  enum class Kind { kText, kInteger, kFlag, kOther };

  Kind kind = Kind::kOther;
  std::string text;  // of kText, and what messages show of kOther
  std::int64_t integer = 0;
  bool flag = false;
};

struct Member {
  std::string name;
  JsonValue value;
};

using Members = std::vector<Member>;

std::string Shown(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::kText:
      return QuotedForMessage(value.text);
    case JsonValue::Kind::kInteger:
      return absl::StrCat(value.integer);
    case JsonValue::Kind::kFlag:
      return value.flag ? "true" : "false";
    case JsonValue::Kind::kOther:
      return value.text;
  }
  return {};
}

absl::Status ProblemError(const FieldProblem& problem) {
  return absl::InvalidArgumentError(Describe(problem));
}

// Takes what the JSON parser sees: the members of the event and of its payload, no more. The names
// and methods are nlohmann's SAX interface; a method that returns false ends the reading.
class EventMembers {
 public:
  [[nodiscard]] const absl::Status& status() const { return status_; }

  Members& event() { return event_; }

  Members& payload() { return payload_; }

  [[nodiscard]] bool has_payload() const { return has_payload_; }

  bool null() { return Other("null"); }

  bool boolean(bool flag) { return Add({JsonValue::Kind::kFlag, {}, 0, flag}); }

  bool number_integer(std::int64_t value) {
    return Add({JsonValue::Kind::kInteger, {}, value, false});
  }

  bool number_unsigned(std::uint64_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return Other(absl::StrCat(value));
    }
    return number_integer(static_cast<std::int64_t>(value));
  }

  // Also what looks like an integer and does not fit in 64 bits.
  bool number_float(double /*value*/, const std::string& text) {
    return Other(absl::StrCat("the number ", PrintableForMessage(text, kMaxReasonBytes)));
  }

  bool string(std::string& text) {
    return Add({JsonValue::Kind::kText, std::move(text), 0, false});
  }

  bool binary(std::vector<std::uint8_t>& /*value*/) { return Other("binary"); }

  bool start_object(std::size_t /*size*/) {
    if (depth_ == 0) {
      ++depth_;
      return true;
    }
    if (depth_ == 1 && key_ == "payload") {
      has_payload_ = true;
      ++depth_;
      return true;
    }
    return Nested("an object");
  }

  bool end_object() {
    --depth_;
    return true;
  }

  bool start_array(std::size_t /*size*/) { return Nested("an array"); }

  bool end_array() { return true; }

  bool key(std::string& name) {
    Members& members = depth_ == 1 ? event_ : payload_;
    const bool twice = std::any_of(members.begin(), members.end(),
                                   [&](const Member& m) { return m.name == name; });
    if (twice || (depth_ == 1 && has_payload_ && name == "payload")) {
      return Fail({KeyShown(name), "given more than once", "it once"});
    }
    if (members.size() >= kMaxMembers) {
      return Fail({depth_ == 1 ? "the event" : "payload", "an object with too many fields",
                   absl::StrCat("at most ", kMaxMembers)});
    }
    key_ = std::move(name);
    return true;
  }

  template <typename Exception>
  bool parse_error(std::size_t position, const std::string& /*token*/, const Exception& error) {
    // The library's text starts with its own name for the error and the place.
    absl::string_view reason = error.what();
    for (const absl::string_view skipped : {"] ", ": "}) {
      const std::size_t found = reason.find(skipped);
      if (found != absl::string_view::npos) reason.remove_prefix(found + skipped.size());
    }
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "byte ", position, ": no JSON: ", PrintableForMessage(reason, kMaxReasonBytes)));
    return false;
  }

 private:
  [[nodiscard]] std::string KeyShown(absl::string_view name) const {
    const std::string quoted = QuotedForMessage(name);
    const std::string bare = quoted.substr(1, quoted.size() - 2);
    return depth_ == 2 ? absl::StrCat("payload.", bare) : bare;
  }

  bool Fail(const FieldProblem& problem) {
    status_ = ProblemError(problem);
    return false;
  }

  bool Other(std::string shown) {
    return Add({JsonValue::Kind::kOther, std::move(shown), 0, false});
  }

  bool Nested(const char* what) {
    if (depth_ == 0) return Fail({"the event", what, "an object"});
    return Fail(
        {KeyShown(key_), what, depth_ == 1 ? "no nested value but payload" : "no nested value"});
  }

  bool Add(JsonValue value) {
    if (depth_ == 0) return Fail({"the event", Shown(value), "an object"});
    if (depth_ == 1 && key_ == "payload") return Fail({"payload", Shown(value), "an object"});
    (depth_ == 1 ? event_ : payload_).push_back({std::move(key_), std::move(value)});
    return true;
  }

  absl::Status status_;
  Members event_;  // but for the payload
  Members payload_;
  bool has_payload_ = false;
  int depth_ = 0;
  std::string key_;
};

// Whether `value` is of the kind that V takes, and in the range of `field`.
template <typename T, typename V>
bool Fits(const Field<T, V>& field, const JsonValue& value) {
  if constexpr (std::is_same_v<V, std::string>) {
    return value.kind == JsonValue::Kind::kText;
  } else if constexpr (std::is_same_v<V, bool> || std::is_same_v<V, std::optional<bool>>) {
    return value.kind == JsonValue::Kind::kFlag;
  } else {
    return value.kind == JsonValue::Kind::kInteger && field.range.least <= value.integer &&
           value.integer <= field.range.most;
  }
}

template <typename V>
V Taken(JsonValue& value) {
  if constexpr (IsOptional<V>::value) {
    return Taken<typename IsOptional<V>::Inner>(value);
  } else if constexpr (std::is_same_v<V, std::string>) {
    return std::move(value.text);
  } else if constexpr (std::is_same_v<V, bool>) {
    return value.flag;
  } else {
    return static_cast<V>(value.integer);
  }
}

template <typename T>
std::string FieldNames() {
  std::vector<absl::string_view> names;
  ForEachField<T>([&](const auto& field, std::size_t) { names.push_back(field.name); });
  if (names.empty()) return "no fields";
  return absl::StrCat("one of ", absl::StrJoin(names, ", "));
}

// Sets the fields of `table` from `members`: every member is a field, every required field a
// member.
template <typename T>
std::optional<FieldProblem> SetFields(Members& members, T& table) {
  std::optional<FieldProblem> problem;
  std::size_t taken = 0;
  ForEachField<T>([&]<typename V>(const Field<T, V>& field, std::size_t) {
    if (problem.has_value()) return;
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const Member& m) { return m.name == field.name; });
    if (found == members.end()) {
      if (field.required) problem = MissingField(field);
    } else if (!Fits(field, found->value)) {
      problem = {FullName<T>(field.name), Shown(found->value), Expected(field)};
    } else {
      table.*field.member = Taken<V>(found->value);
      found->name.clear();  // no field has this name
      ++taken;
    }
  });
  if (problem.has_value() || taken == members.size()) return problem;
  const auto unknown =
      std::find_if(members.begin(), members.end(), [](const Member& m) { return !m.name.empty(); });
  const absl::string_view name = unknown == members.end() ? "" : absl::string_view(unknown->name);
  return FieldProblem{FullName<T>(QuotedForMessage(name)), "unknown", FieldNames<T>()};
}

template <std::size_t... Index>
std::string PayloadTypeNames(std::index_sequence<Index...>) {
  return absl::StrJoin({TableOf<std::variant_alternative_t<Index, Payload>>::kName...}, ", ");
}

// Makes `payload` an empty one of the type with this name; false where there is none.
template <std::size_t... Index>
bool SetPayloadType(absl::string_view name, Payload& payload, std::index_sequence<Index...>) {
  return ((name == TableOf<std::variant_alternative_t<Index, Payload>>::kName &&
           (payload.emplace<Index>(), true)) ||
          ...);
}

std::optional<FieldProblem> SetPayload(EventMembers& members, Event& event) {
  constexpr auto kTypes = std::make_index_sequence<std::variant_size_v<Payload>>();
  const auto type = std::find_if(members.event().begin(), members.event().end(),
                                 [](const Member& m) { return m.name == "payload_type"; });
  const bool given = type != members.event().end();
  if (!given || type->value.kind != JsonValue::Kind::kText ||
      !SetPayloadType(type->value.text, event.payload, kTypes)) {
    return FieldProblem{"payload_type", given ? Shown(type->value) : "",
                        absl::StrCat("one of ", PayloadTypeNames(kTypes))};
  }
  members.event().erase(type);
  if (!members.has_payload()) return FieldProblem{"payload", "", "an object"};
  return std::visit([&](auto& payload) { return SetFields(members.payload(), payload); },
                    event.payload);
}

std::optional<FieldProblem> SetEvent(EventMembers& members, Event& event) {
  if (std::optional<FieldProblem> problem = SetPayload(members, event)) return problem;
  if (std::optional<FieldProblem> problem = SetFields(members.event(), event)) return problem;
  if (std::optional<FieldProblem> problem = CheckForm(event)) return problem;
  return CheckRanges(event);
}

}  // namespace

absl::StatusOr<Event> ParseEvent(absl::string_view json) {
  if (json.size() > kMaxJsonLineBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the text has ", json.size(), " bytes, expected at most ", kMaxJsonLineBytes));
  }
  if (!json.empty() && json.front() == '\xef') {  // the library would skip a byte order mark
    return absl::InvalidArgumentError("byte 1: no JSON: a byte order mark or other text");
  }
  // The library would take a zero byte for the end of the text.
  if (const std::size_t zero = json.find('\0'); zero != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("byte ", zero + 1, ": no JSON: a zero byte, as a torn write leaves it"));
  }
  EventMembers members;
  const bool read = nlohmann::json::sax_parse(json.begin(), json.end(), &members);
  if (!members.status().ok()) return members.status();
  if (!read) return absl::InternalError("the JSON reader stopped without a reason");
  Event event;
  if (std::optional<FieldProblem> problem = SetEvent(members, event)) return ProblemError(*problem);
  return event;
}

std::string EventToJson(const Event& event) {
  std::string json;
  JsonObject object(json);
  object.Fields(event, false);
  object.Key("payload_type");
  object.Value(std::string(PayloadTypeName(event.payload)));
  object.Key("payload");
  std::visit(
      [&](const auto& value) {
        JsonObject payload(json);
        payload.Fields(value, false);
        payload.Close();
      },
      event.payload);
  object.Close();
  return json;
}

}  // namespace qmarket
