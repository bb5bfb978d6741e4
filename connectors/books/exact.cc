#include "connectors/books/exact.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "events/check.h"

namespace qmarket {
namespace {

constexpr std::size_t kMostDigits = 9;

bool IsDigits(absl::string_view text) {
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](unsigned char c) { return absl::ascii_isdigit(c); });
}

// `digits` as text, with the point `scale` digits from its end; no zeros at the end.
std::string WithPoint(std::string digits, int scale) {
  const auto behind = static_cast<std::size_t>(scale);
  if (digits.size() <= behind) digits.insert(0, behind + 1 - digits.size(), '0');
  digits.insert(digits.size() - behind, ".");
  while (digits.back() == '0')
    digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

std::optional<Decimal> ParseDecimal(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '.');
  if (parts.size() > 2 ||
      !std::ranges::all_of(parts, [](absl::string_view part) { return IsDigits(part); })) {
    return std::nullopt;
  }
  Decimal value;
  for (const absl::string_view part : parts) {
    for (const char c : part)
      value.digits = value.digits * 10 + static_cast<unsigned>(c - '0');
  }
  if (parts.size() == 2) value.scale = static_cast<int>(parts[1].size());
  return value;
}

std::string DecimalText(const Decimal& value) {
  return WithPoint(ToString(value.digits), value.scale);
}

Decimal Product(const Decimal& a, const Decimal& b) {
  return {.digits = CheckedMul(a.digits, b.digits), .scale = a.scale + b.scale};
}

std::string QuotientText(const Decimal& value, std::uint64_t factor, Uint128 divisor,
                         int decimals) {
  QM_CHECK(divisor > 0 && decimals >= value.scale, "a quotient is asked for with less than it has");
  // (q * divisor + r) * factor / divisor, so that the long product is not needed.
  const Uint128 scaled_rest = CheckedMul(value.digits % divisor, factor);
  const Uint128 whole =
      CheckedAdd(CheckedMul(value.digits / divisor, factor), scaled_rest / divisor);
  std::string digits = ToString(whole);
  Uint128 rest = scaled_rest % divisor;
  for (int i = value.scale; i < decimals; ++i) {
    rest = CheckedMul(rest, 10);
    absl::StrAppend(&digits, static_cast<int>(rest / divisor));
    rest %= divisor;
  }
  return WithPoint(std::move(digits), decimals);
}

}  // namespace qmarket
