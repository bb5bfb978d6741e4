#include "connectors/simulate/csv.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "events/check.h"
#include "events/field_rules.h"

namespace qmarket {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Only what stands in the text as a number and nothing else: no sign but a minus, no spaces.
std::optional<std::int64_t> ParseInteger(absl::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool AllDigits(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "12.5" with three decimals is 12500.
std::optional<std::int64_t> ParseDecimal(absl::string_view text, std::size_t decimals) {
  const std::size_t dot = text.find('.');
  const absl::string_view whole = text.substr(0, dot);
  absl::string_view fraction;
  if (dot != absl::string_view::npos) {
    fraction = text.substr(dot + 1);
    if (fraction.empty()) return std::nullopt;
  }
  // Zeros at the end carry nothing: 3600.0000 is a whole number.
  while (fraction.size() > decimals && fraction.back() == '0') {
    fraction.remove_suffix(1);
  }
  if (whole.empty() || fraction.size() > decimals || !AllDigits(whole) || !AllDigits(fraction)) {
    return std::nullopt;
  }
  return ParseInteger(absl::StrCat(whole, fraction, std::string(decimals - fraction.size(), '0')));
}

std::string WithPoint(std::int64_t value, int decimals) {
  std::string digits = absl::StrCat(value);
  const auto places = static_cast<std::size_t>(decimals);
  if (places == 0) return digits;
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  while (digits.back() == '0') {
    digits.pop_back();
  }
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

CsvReader::CsvReader(std::string file, std::string text)
    : file_(std::move(file)), text_(std::move(text)) {
  if (absl::string_view(text_).substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    position_ = kByteOrderMark.size();
  }
}

absl::Status CsvReader::ReadHeader(absl::Span<const absl::string_view> required,
                                   absl::Span<const absl::string_view> optional) {
  absl::StatusOr<bool> read = ReadRecord();
  if (!read.ok()) return read.status();
  if (!*read) return At("expected a header line, found none");
  width_ = cells_.size();
  for (std::size_t i = 0; i < required.size() + optional.size(); ++i) {
    const bool must = i < required.size();
    const absl::string_view name = must ? required[i] : optional[i - required.size()];
    const auto found = std::find(cells_.begin(), cells_.end(), name);
    if (found == cells_.end() && must) {
      return At(absl::StrCat("column ", name, " is missing; expected at least ",
                             absl::StrJoin(required, ",")));
    }
    if (found != cells_.end() && std::find(found + 1, cells_.end(), name) != cells_.end()) {
      return At(absl::StrCat("column ", name, " stands in the header twice"));
    }
    names_.emplace_back(name);
    places_.push_back(found == cells_.end() ? std::nullopt
                                            : std::optional<std::size_t>(static_cast<std::size_t>(
                                                  found - cells_.begin())));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> CsvReader::Next() {
  absl::StatusOr<bool> read = ReadRecord();
  if (!read.ok() || !*read) return read;
  if (cells_.size() != width_) {
    return At(absl::StrCat(cells_.size(), " cells; expected ", width_, " as in the header"));
  }
  return true;
}

absl::string_view CsvReader::cell(std::size_t column) const {
  QM_CHECK(column < places_.size(), "a column that was not asked for");
  return places_[column] ? absl::string_view(cells_[*places_[column]]) : absl::string_view();
}

bool CsvReader::has(std::size_t column) const {
  QM_CHECK(column < places_.size(), "a column that was not asked for");
  return places_[column].has_value();
}

absl::Status CsvReader::Problem(std::size_t column, absl::string_view expected) const {
  return At(absl::StrCat("column ", names_[column], ": ", QuotedForMessage(cell(column)),
                         ": expected ", expected));
}

absl::StatusOr<std::int64_t> CsvReader::Integer(std::size_t column, std::int64_t low,
                                                std::int64_t high) const {
  const std::optional<std::int64_t> value = ParseInteger(cell(column));
  if (!value || *value < low || *value > high) {
    return Problem(column, absl::StrCat("a whole number from ", low, " to ", high));
  }
  return *value;
}

absl::StatusOr<std::int64_t> CsvReader::Decimal(std::size_t column, int decimals, std::int64_t low,
                                                std::int64_t high) const {
  const std::optional<std::int64_t> value =
      ParseDecimal(cell(column), static_cast<std::size_t>(decimals));
  if (!value || *value < low || *value > high) {
    return Problem(
        column, absl::StrCat("a number from ", WithPoint(low, decimals), " to ",
                             WithPoint(high, decimals), " with at most ", decimals, " decimals"));
  }
  return *value;
}

absl::StatusOr<bool> CsvReader::ReadRecord() {
  while (position_ < text_.size() && AtEndOfLine()) {
    SkipEndOfLine();
  }
  cells_.clear();
  line_ = next_line_;
  if (position_ >= text_.size()) return false;
  for (;;) {
    std::string cell;
    absl::Status status = ReadCell(cell);
    if (!status.ok()) return status;
    cells_.push_back(std::move(cell));
    if (position_ >= text_.size()) return true;
    if (AtEndOfLine()) {
      SkipEndOfLine();
      return true;
    }
    ++position_;  // the comma
  }
}

absl::Status CsvReader::ReadCell(std::string& cell) {
  if (position_ < text_.size() && text_[position_] == '"') return ReadQuoted(cell);
  while (position_ < text_.size() && text_[position_] != ',' && !AtEndOfLine()) {
    if (text_[position_] == '"') return At("a quote inside a cell that does not begin with one");
    if (text_[position_] == '\0') return At("a zero byte; expected text");
    cell.push_back(text_[position_++]);
  }
  return absl::OkStatus();
}

absl::Status CsvReader::ReadQuoted(std::string& cell) {
  ++position_;
  for (; position_ < text_.size(); ++position_) {
    const char c = text_[position_];
    if (c == '\0') return At("a zero byte; expected text");
    if (c == '\n') ++next_line_;
    if (c != '"') {
      cell.push_back(c);
      continue;
    }
    ++position_;
    if (position_ >= text_.size() || text_[position_] == ',' || AtEndOfLine()) {
      return absl::OkStatus();
    }
    if (text_[position_] != '"') return At("text after a closing quote; expected a comma");
    cell.push_back('"');
  }
  return At("a quote that is not closed");
}

absl::Status CsvReader::At(absl::string_view message) const {
  return absl::InvalidArgumentError(absl::StrCat(file_, ":", line_, ": ", message));
}

bool CsvReader::AtEndOfLine() const {
  if (text_[position_] == '\n') return true;
  return text_[position_] == '\r' &&
         (position_ + 1 == text_.size() || text_[position_ + 1] == '\n');
}

void CsvReader::SkipEndOfLine() {
  if (text_[position_] == '\r') ++position_;
  if (position_ < text_.size()) ++position_;
  ++next_line_;
}

}  // namespace qmarket
