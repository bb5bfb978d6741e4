// Amounts, times and durations as people write them in tests:
//
//   4.475      credits, with up to six decimals; 1,000,000 may have commas
//   00:05:30   hours, minutes and seconds since the start of the tests' day; hours go beyond 24
//   90s 5m 2h  durations; also ms and d
//
// Each is parsed, or none where the text is not of its form, and formatted in one way only, so that
// texts can be compared. Pure functions.
#ifndef QMARKET_TESTS_MATCHER_VALUES_H_
#define QMARKET_TESTS_MATCHER_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

#include "events/int128.h"

namespace qmarket {

// Midnight UTC at the start of 2026, where clock times count from.
inline constexpr std::int64_t kDayStartMs = 1'767'225'600'000;

[[nodiscard]] std::optional<std::int64_t> ParseInteger(absl::string_view text);

// In micro-credits.
[[nodiscard]] std::optional<std::int64_t> ParseMicros(absl::string_view text);
[[nodiscard]] std::string FormatMicros(Int128 micros);

// In milliseconds since the Unix epoch.
[[nodiscard]] std::optional<std::int64_t> ParseClock(absl::string_view text);
[[nodiscard]] std::string FormatClock(std::int64_t time_ms);

// In milliseconds.
[[nodiscard]] std::optional<std::int64_t> ParseDuration(absl::string_view text);
[[nodiscard]] std::string FormatDuration(std::int64_t ms);

}  // namespace qmarket

#endif  // QMARKET_TESTS_MATCHER_VALUES_H_
