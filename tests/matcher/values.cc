#include "tests/matcher/values.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace qmarket {

namespace {

constexpr std::int64_t kMicros = 1'000'000;
constexpr std::size_t kDecimals = 6;

constexpr std::array<std::pair<absl::string_view, std::int64_t>, 5> kDurationUnits = {
    {{"ms", 1}, {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}}};

bool IsDigits(absl::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return false;
  }
  return true;
}

std::optional<std::int64_t> ParseDigits(absl::string_view text) {
  std::int64_t value = 0;
  if (!IsDigits(text) || !absl::SimpleAtoi(text, &value)) return std::nullopt;
  return value;
}

// a * b + c where it fits.
std::optional<std::int64_t> MulAdd(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result) || __builtin_add_overflow(result, c, &result)) {
    return std::nullopt;
  }
  return result;
}

}  // namespace

std::optional<std::int64_t> ParseInteger(absl::string_view text) {
  const std::string plain = absl::StrReplaceAll(text, {{",", ""}});
  absl::string_view digits = plain;
  const bool negative = absl::ConsumePrefix(&digits, "-");
  const auto value = ParseDigits(digits);
  if (!value) return std::nullopt;
  return negative ? -*value : *value;
}

std::optional<std::int64_t> ParseMicros(absl::string_view text) {
  const bool negative = absl::ConsumePrefix(&text, "-");
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('.', 1));
  if (absl::StartsWith(parts[0], "-")) return std::nullopt;
  const auto whole = ParseInteger(parts[0]);
  std::string decimals = parts.size() > 1 ? std::string(parts[1]) : "0";
  if (!whole || decimals.size() > kDecimals) return std::nullopt;
  decimals.append(kDecimals - decimals.size(), '0');
  const auto fraction = ParseDigits(decimals);
  if (!fraction || (parts.size() > 1 && parts[1].empty())) return std::nullopt;
  const auto micros = MulAdd(*whole, kMicros, *fraction);
  if (!micros) return std::nullopt;
  return negative ? -*micros : *micros;
}

std::string FormatMicros(Int128 micros) {
  const bool negative = micros < 0;
  const Uint128 size = static_cast<Uint128>(negative ? -micros : micros);
  std::string text = absl::StrCat(negative ? "-" : "", ToString(size / kMicros));
  const auto fraction = static_cast<std::int64_t>(size % kMicros);
  if (fraction == 0) return text;
  absl::StrAppend(&text, absl::StrFormat(".%06d", fraction));
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::optional<std::int64_t> ParseClock(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ':');
  if (parts.size() != 2 && parts.size() != 3) return std::nullopt;
  const auto hours = ParseDigits(parts[0]);
  const auto minutes = ParseDigits(parts[1]);
  if (!hours || !minutes || *hours > 1'000'000 || *minutes > 59) return std::nullopt;
  std::int64_t ms = kDayStartMs + *hours * 3'600'000 + *minutes * 60'000;
  if (parts.size() == 2) return ms;
  const std::vector<absl::string_view> seconds = absl::StrSplit(parts[2], absl::MaxSplits('.', 1));
  const auto whole = ParseDigits(seconds[0]);
  if (!whole || *whole > 59) return std::nullopt;
  ms += *whole * 1'000;
  if (seconds.size() == 1) return ms;
  const auto fraction = ParseDigits(seconds[1]);
  if (!fraction || seconds[1].size() != 3) return std::nullopt;
  return ms + *fraction;
}

std::string FormatClock(std::int64_t time_ms) {
  const std::int64_t ms = time_ms - kDayStartMs;
  if (ms < 0) return absl::StrCat(time_ms, "ms");
  std::string text =
      absl::StrFormat("%02d:%02d:%02d", ms / 3'600'000, ms / 60'000 % 60, ms / 1'000 % 60);
  if (ms % 1'000 != 0) absl::StrAppend(&text, absl::StrFormat(".%03d", ms % 1'000));
  return text;
}

std::optional<std::int64_t> ParseDuration(absl::string_view text) {
  for (const auto& [name, length] : kDurationUnits) {
    if (!absl::EndsWith(text, name)) continue;
    const auto count = ParseDigits(absl::StripSuffix(text, name));
    return count ? MulAdd(*count, length, 0) : std::nullopt;
  }
  return std::nullopt;
}

std::string FormatDuration(std::int64_t ms) {
  for (const auto& [name, length] : kDurationUnits) {
    if (length != 1 && ms != 0 && ms % length == 0) return absl::StrCat(ms / length, name);
  }
  return absl::StrCat(ms, "ms");
}

}  // namespace qmarket
