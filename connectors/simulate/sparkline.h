// A row of small bars that shows how a number went.
//
//   Sparkline({{1}, {2}, {}, {8}}, 4, true) is "▁▂ █"
//
// Pure but for TerminalShowsUtf8, which looks at the environment.
#ifndef QMARKET_CONNECTORS_SIMULATE_SPARKLINE_H_
#define QMARKET_CONNECTORS_SIMULATE_SPARKLINE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace qmarket {

// The medians (of two in the middle, the lower) of the known values in at most `count` stretches of
// about the same length; none for a stretch without known values.
[[nodiscard]] std::vector<std::optional<std::int64_t>> Medians(
    absl::Span<const std::optional<std::int64_t>> values, std::size_t count);

// `values` (none: nothing known, shown as a space) in at most `width` bars: each shows the median
// of its stretch, from the lowest bar for 0 to the highest for the greatest median. Values are not
// below 0. Without `utf8` the bars are characters of ASCII.
[[nodiscard]] std::string Sparkline(absl::Span<const std::optional<std::int64_t>> values,
                                    std::size_t width, bool utf8);

// Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) is one with UTF-8.
[[nodiscard]] bool TerminalShowsUtf8();

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_SPARKLINE_H_
