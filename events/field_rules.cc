#include "events/field_rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "absl/strings/ascii.h"

#include "events/event_fields.h"
#include "events/field_messages.h"

namespace qmarket {
namespace {

constexpr std::size_t kMaxNameBytes = 128;

bool IsNameByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         absl::string_view("._@:/-").find(c) != absl::string_view::npos;
}

bool HasForm(absl::string_view text, TextForm form) {
  switch (form) {
    case TextForm::kName:
      return IsName(text);
    case TextForm::kEventId:
      return IsEventId(text);
    case TextForm::kFree:
      return IsUtf8(text);
  }
  return false;
}

bool InRange(std::int64_t value, const IntRange& range) {
  return range.least <= value && value <= range.most && (range.zero || value != 0);
}

template <typename T>
std::optional<FieldProblem> CheckTexts(const T& table) {
  std::optional<FieldProblem> problem;
  ForEachField<T>([&]<typename V>(const Field<T, V>& field, std::size_t) {
    if constexpr (std::is_same_v<V, std::string>) {
      const std::string& text = table.*field.member;
      if (problem.has_value() || (text.empty() && !field.required)) return;
      if (text.empty()) {
        problem = MissingField(field);
      } else if (!HasForm(text, field.form)) {
        problem = {FullName<T>(field.name), QuotedForMessage(text), Expected(field)};
      }
    }
  });
  return problem;
}

template <typename T>
std::optional<FieldProblem> CheckNumbers(const T& table) {
  std::optional<FieldProblem> problem;
  const auto check = [&](const auto& field, std::int64_t value) {
    if (problem.has_value() || InRange(value, field.range)) return;
    problem = {FullName<T>(field.name), absl::StrCat(value), Expected(field)};
  };
  ForEachField<T>([&]<typename V>(const Field<T, V>& field, std::size_t) {
    if constexpr (IsOptional<V>::value) {
      if ((table.*field.member).has_value()) check(field, *(table.*field.member));
    } else if constexpr (std::is_integral_v<V>) {
      if constexpr (!std::is_same_v<V, bool>) check(field, table.*field.member);
    }
  });
  return problem;
}

template <typename T>
std::optional<FieldProblem> CheckFormOf(const T& payload) {
  return CheckTexts(payload);
}

std::optional<FieldProblem> CheckFormOf(const UsageReported& usage) {
  if (std::optional<FieldProblem> problem = CheckTexts(usage)) return problem;
  const bool by_team = !usage.team.empty() && !usage.resource.empty() && usage.bid.empty();
  const bool by_bid = !usage.bid.empty() && usage.team.empty() && usage.resource.empty();
  if (by_team || by_bid) return std::nullopt;
  return FieldProblem{
      "UsageReported.bid",
      absl::StrCat(QuotedForMessage(usage.bid), " with team ", QuotedForMessage(usage.team),
                   " and resource ", QuotedForMessage(usage.resource)),
      "exactly one of bid and team with resource"};
}

// Between fields; each on its own is within its range.
template <typename T>
std::optional<FieldProblem> CheckRelations(const T& /*payload*/) {
  return std::nullopt;
}

std::optional<FieldProblem> CheckRelations(const UsageReported& usage) {
  if (usage.from_ms < usage.to_ms) return std::nullopt;
  return FieldProblem{"UsageReported.to_ms", absl::StrCat(usage.to_ms),
                      absl::StrCat("an integer above from_ms, ", usage.from_ms)};
}

std::optional<FieldProblem> CheckRelations(const MarketConfigured& market) {
  const std::int64_t least_keep = 2 * (market.settlement_ms + market.cycle_ms);
  if (market.keep_affordable_ms < least_keep) {
    return FieldProblem{"MarketConfigured.keep_affordable_ms",
                        absl::StrCat(market.keep_affordable_ms),
                        absl::StrCat(ExpectedNumber({least_keep, kAffordableRange.most}),
                                     " (at least 2 * (settlement_ms + cycle_ms))")};
  }
  if (market.min_affordable_ms < market.keep_affordable_ms) {
    return FieldProblem{
        "MarketConfigured.min_affordable_ms", absl::StrCat(market.min_affordable_ms),
        absl::StrCat(ExpectedNumber({market.keep_affordable_ms, kAffordableRange.most}),
                     " (at least keep_affordable_ms)")};
  }
  return std::nullopt;
}

// The length of the well-formed UTF-8 character at the start of `text`, which is not empty; 0 where
// there is none (Unicode, table 3-7).
std::size_t CharacterLength(absl::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool no_character = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return overlong || no_character ? 0 : length;
}

}  // namespace

std::string ExpectedNumber(const IntRange& range) {
  return absl::StrCat("an integer from ", range.least, " to ", range.most,
                      range.zero ? "" : ", not 0");
}

absl::string_view ExpectedText(TextForm form) {
  switch (form) {
    case TextForm::kName:
      return "a name of 1 to 128 bytes of [A-Za-z0-9._@:/-]";
    case TextForm::kEventId:
      return "1 to 128 bytes of printable ASCII";
    case TextForm::kFree:
      return "a text in UTF-8";
  }
  return "";
}

std::optional<FieldProblem> CheckForm(const Event& event) {
  if (std::optional<FieldProblem> problem = CheckTexts(event)) return problem;
  return std::visit([](const auto& payload) { return CheckFormOf(payload); }, event.payload);
}

std::optional<FieldProblem> CheckRanges(const Event& event) {
  if (std::optional<FieldProblem> problem = CheckNumbers(event)) return problem;
  return std::visit(
      [](const auto& payload) {
        std::optional<FieldProblem> problem = CheckNumbers(payload);
        return problem.has_value() ? problem : CheckRelations(payload);
      },
      event.payload);
}

std::string Describe(const FieldProblem& problem) {
  if (problem.value.empty()) {
    return absl::StrCat(problem.field, " is missing, expected ", problem.expected);
  }
  return absl::StrCat(problem.field, " is ", problem.value, ", expected ", problem.expected);
}

std::string PrintableForMessage(absl::string_view text, std::size_t max_bytes) {
  std::string printable;
  for (const char c : text.substr(0, max_bytes)) {
    if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
      printable.push_back(c);
    } else {
      absl::StrAppend(&printable, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  if (text.size() > max_bytes) printable.append("...");
  return printable;
}

std::string QuotedForMessage(absl::string_view value) {
  constexpr std::size_t kMaxBytes = 60;
  return absl::StrCat("\"", PrintableForMessage(value, kMaxBytes), "\"");
}

bool IsEventId(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool IsName(absl::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes &&
         std::all_of(text.begin(), text.end(), IsNameByte);
}

bool IsUtf8(absl::string_view text) {
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

absl::string_view PayloadTypeName(const Payload& payload) {
  return std::visit([]<typename T>(const T& /*value*/) { return TableOf<T>::kName; }, payload);
}

}  // namespace qmarket
