// Amounts, prices, times and names as people read them.
//
// Programs get whole numbers instead: micro-credits and milliseconds. Pure functions.
#ifndef QMARKET_CONNECTORS_CLI_TEXT_H_
#define QMARKET_CONNECTORS_CLI_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/int128.h"

namespace qmarket {

// What stands where there is no value.
inline constexpr char kNoValue[] = "-";

// Micro-credits as credits, exact: 12'500'000 is "12.5 cr", 1'234'000'001 is "1,234.000001 cr".
[[nodiscard]] std::string CreditsText(Int128 micros);

// The same without the unit, for a column whose title has it: "1,234.000001".
[[nodiscard]] std::string CreditsNumber(Int128 micros);
[[nodiscard]] std::string CreditsNumber(std::optional<std::int64_t> micros);

// A fraction of whole numbers, exact: "3/2"; and in decimals, cut after nine significant ones:
// "1.5", "0.000123456789".
[[nodiscard]] std::string FractionText(Uint128 numerator, Uint128 denominator);
[[nodiscard]] std::string DecimalText(Uint128 numerator, Uint128 denominator);

// 1234567 is "1,234,567".
[[nodiscard]] std::string CountText(Int128 count);

// ISO 8601 in UTC: "2026-01-01T00:00:00Z", with milliseconds where there are any.
[[nodiscard]] std::string TimeText(std::int64_t time_ms);

// "6.0 GB", "512 MB": decimal units.
[[nodiscard]] std::string BytesText(std::uint64_t bytes);

// The paragraph in lines of at most `width` columns, broken at spaces.
[[nodiscard]] std::string Wrapped(absl::string_view paragraph, std::size_t width);

// Those of `names` that `name` may have been meant for: the nearest, up to three that are equally
// near. Case does not count.
[[nodiscard]] std::vector<std::string> NearNames(absl::string_view name,
                                                 absl::Span<const std::string> names);

// "no team visoin; did you mean vision?"; lists what there is where nothing is near.
[[nodiscard]] std::string UnknownName(absl::string_view kind, absl::string_view name,
                                      absl::Span<const std::string> names);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_TEXT_H_
