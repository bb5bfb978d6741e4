#include "connectors/simulate/sparkline.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

#include "events/int128.h"

namespace qmarket {
namespace {

constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* kPlainBars[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
constexpr std::int64_t kHighestBar = std::size(kBars) - 1;

std::optional<std::int64_t> Median(absl::Span<const std::optional<std::int64_t>> values) {
  std::vector<std::int64_t> known;
  for (const std::optional<std::int64_t> value : values) {
    if (value) known.push_back(*value);
  }
  if (known.empty()) return std::nullopt;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>((known.size() - 1) / 2);
  std::nth_element(known.begin(), middle, known.end());
  return *middle;
}

}  // namespace

std::vector<std::optional<std::int64_t>> Medians(
    absl::Span<const std::optional<std::int64_t>> values, std::size_t count) {
  const std::size_t stretches = std::min(count, values.size());
  std::vector<std::optional<std::int64_t>> medians;
  medians.reserve(stretches);
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t begin = i * values.size() / stretches;
    const std::size_t end = (i + 1) * values.size() / stretches;
    medians.push_back(Median(values.subspan(begin, end - begin)));
  }
  return medians;
}

std::string Sparkline(absl::Span<const std::optional<std::int64_t>> values, std::size_t width,
                      bool utf8) {
  const std::vector<std::optional<std::int64_t>> medians = Medians(values, width);
  std::int64_t highest = 0;
  for (const std::optional<std::int64_t> median : medians) {
    highest = std::max(highest, median.value_or(0));
  }
  std::string line;
  for (const std::optional<std::int64_t> median : medians) {
    if (!median) {
      line += ' ';
      continue;
    }
    const Int128 level = highest == 0 ? 0 : (Int128{*median} * kHighestBar + highest / 2) / highest;
    const auto bar = static_cast<std::size_t>(level);
    line += utf8 ? kBars[bar] : kPlainBars[bar];
  }
  return line;
}

bool TerminalShowsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
    if (value == nullptr || *value == '\0') continue;
    const std::string locale = absl::AsciiStrToLower(value);
    return absl::StrContains(locale, "utf-8") || absl::StrContains(locale, "utf8");
  }
  return false;
}

}  // namespace qmarket
