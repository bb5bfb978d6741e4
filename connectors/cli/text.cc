#include "connectors/cli/text.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"

#include "events/check.h"

namespace qmarket {
namespace {

constexpr int kMicrosDigits = 6;
constexpr std::uint32_t kMicrosPerCredit = 1'000'000;
constexpr std::size_t kSignificantDigits = 9;
constexpr std::size_t kMostDecimals = 30;
constexpr std::size_t kMostNear = 3;
constexpr std::size_t kMostNames = 10;  // listed where no name is near

std::string Grouped(std::string digits) {
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

Uint128 Magnitude(Int128 value) {
  return value < 0 ? ~static_cast<Uint128>(value) + 1 : static_cast<Uint128>(value);
}

// The edit distance of two names.
std::size_t Distance(absl::string_view a, absl::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({change, row[j] + 1, row[j - 1] + 1}));
    }
  }
  return row[b.size()];
}

}  // namespace

std::string CreditsNumber(Int128 micros) {
  const Uint128 magnitude = Magnitude(micros);
  std::string text =
      absl::StrCat(micros < 0 ? "-" : "", Grouped(ToString(magnitude / kMicrosPerCredit)));
  const auto rest = static_cast<std::uint32_t>(magnitude % kMicrosPerCredit);
  if (rest == 0) return text;
  absl::StrAppendFormat(&text, ".%0*u", kMicrosDigits, rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string CreditsNumber(std::optional<std::int64_t> micros) {
  return micros.has_value() ? CreditsNumber(Int128{*micros}) : kNoValue;
}

std::string CreditsText(Int128 micros) {
  return absl::StrCat(CreditsNumber(micros), " cr");
}

std::string FractionText(Uint128 numerator, Uint128 denominator) {
  return absl::StrCat(ToString(numerator), "/", ToString(denominator));
}

std::string DecimalText(Uint128 numerator, Uint128 denominator) {
  QM_CHECK(denominator > 0, "a fraction of nothing");
  const Uint128 whole = numerator / denominator;
  Uint128 rest = numerator % denominator;
  std::string text = ToString(whole);
  std::size_t significant = whole > 0 ? text.size() : 0;
  std::string decimals;
  while (rest > 0 && significant < kSignificantDigits && decimals.size() < kMostDecimals) {
    // Ten times the rest may exceed 128 bits: it is added up, less the denominator where it can be.
    unsigned digit = 0;
    Uint128 next = 0;
    for (int i = 0; i < 10; ++i) {
      const bool carries = next >= denominator - rest;
      next = carries ? next - (denominator - rest) : next + rest;
      if (carries) ++digit;
    }
    rest = next;
    decimals.push_back(static_cast<char>('0' + digit));
    if (significant > 0 || digit > 0) ++significant;
  }
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return decimals.empty() ? text : absl::StrCat(text, ".", decimals);
}

std::string CountText(Int128 count) {
  return absl::StrCat(count < 0 ? "-" : "", Grouped(ToString(Magnitude(count))));
}

std::string TimeText(std::int64_t time_ms) {
  const char* form = time_ms % 1000 == 0 ? "%Y-%m-%d%ET%H:%M:%SZ" : "%Y-%m-%d%ET%H:%M:%E3SZ";
  return absl::FormatTime(form, absl::FromUnixMillis(time_ms), absl::UTCTimeZone());
}

std::string BytesText(std::uint64_t bytes) {
  if (bytes >= 1'000'000'000) return absl::StrFormat("%.1f GB", static_cast<double>(bytes) / 1e9);
  if (bytes >= 1'000'000) return absl::StrFormat("%.0f MB", static_cast<double>(bytes) / 1e6);
  return absl::StrFormat("%.0f kB", static_cast<double>(bytes) / 1e3);
}

std::string Wrapped(absl::string_view paragraph, std::size_t width) {
  std::string text;
  std::size_t column = 0;
  for (const absl::string_view word : absl::StrSplit(paragraph, ' ', absl::SkipEmpty())) {
    const bool fits = column + 1 + word.size() <= width;
    if (column != 0) text += fits ? ' ' : '\n';
    column = column != 0 && fits ? column + 1 + word.size() : word.size();
    absl::StrAppend(&text, word);
  }
  return text;
}

std::vector<std::string> NearNames(absl::string_view name, absl::Span<const std::string> names) {
  const std::string wanted = absl::AsciiStrToLower(name);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& candidate : names) {
    const std::string lower = absl::AsciiStrToLower(candidate);
    const bool part = wanted.size() >= 2 && absl::StrContains(lower, wanted);
    const std::size_t distance = part && lower != wanted ? 1 : Distance(wanted, lower);
    if (distance <= 1 + wanted.size() / 4) found.emplace_back(distance, candidate);
  }
  std::sort(found.begin(), found.end());
  std::erase_if(found, [best = found.empty() ? 0 : found.front().first](const auto& candidate) {
    return candidate.first > best;
  });
  if (found.size() > kMostNear) found.resize(kMostNear);
  std::vector<std::string> near;
  near.reserve(found.size());
  for (auto& [distance, candidate] : found)
    near.push_back(std::move(candidate));
  return near;
}

std::string UnknownName(absl::string_view kind, absl::string_view name,
                        absl::Span<const std::string> names) {
  std::string message = absl::StrCat("no ", kind, " ", name);
  if (names.empty()) return absl::StrCat(message, "; there is none yet");
  const std::vector<std::string> near = NearNames(name, names);
  if (!near.empty()) {
    return absl::StrCat(message, "; did you mean ", absl::StrJoin(near, " or "), "?");
  }
  const std::size_t shown = std::min(names.size(), kMostNames);
  return absl::StrCat(message, "; there are ", absl::StrJoin(names.subspan(0, shown), ", "),
                      shown < names.size() ? ", ..." : "");
}

}  // namespace qmarket
