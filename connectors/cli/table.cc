#include "connectors/cli/table.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "events/check.h"

namespace qmarket {
namespace {

constexpr std::size_t kGap = 2;         // columns between two columns of the table
constexpr std::size_t kLeastWidth = 8;  // a shortened column keeps at least this much
constexpr char kEllipsis[] = "…";

bool StartsCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Control characters would move the cursor: a table never prints one.
std::string Plain(absl::string_view text) {
  std::string plain(text);
  std::replace_if(
      plain.begin(), plain.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
  return plain;
}

std::string Shortened(absl::string_view text, std::size_t width) {
  if (TextWidth(text) <= width) return std::string(text);
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    if (StartsCharacter(text[end]) && ++characters == width) break;
  }
  return absl::StrCat(text.substr(0, end), kEllipsis);
}

std::string Padded(absl::string_view text, std::size_t width, Align align) {
  const std::size_t used = TextWidth(text);
  const std::string space(used < width ? width - used : 0, ' ');
  return align == Align::kLeft ? absl::StrCat(text, space) : absl::StrCat(space, text);
}

// How many digits stand behind the point of a number; none of what is no number.
std::optional<std::size_t> Decimals(absl::string_view text) {
  if (text.empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text.back()))) {
    return std::nullopt;
  }
  const std::size_t point = text.find('.');
  return point == absl::string_view::npos ? 0 : text.size() - point - 1;
}

void AlignPoints(std::vector<std::vector<std::string>>& rows, std::size_t column) {
  std::size_t most = 0;
  for (const auto& row : rows)
    most = std::max(most, Decimals(row[column]).value_or(0));
  for (auto& row : rows) {
    const std::optional<std::size_t> decimals = Decimals(row[column]);
    if (!decimals.has_value() || *decimals == most) continue;
    if (*decimals == 0) row[column] += '.';
    row[column].append(most - *decimals, '0');
  }
}

}  // namespace

std::string CsvField(absl::string_view text) {
  if (text.find_first_of(",\"\r\n") == absl::string_view::npos) return std::string(text);
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

std::size_t TextWidth(absl::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

void Table::AddRow(std::vector<std::string> cells) {
  QM_CHECK(cells.size() == columns_.size(), "a row of a table has too few or too many cells");
  rows_.push_back(std::move(cells));
}

void Table::KeepFirst(std::size_t count) {
  if (rows_.size() > count) rows_.resize(count);
}

std::vector<std::size_t> Table::Widths(const Rows& rows, std::size_t width) const {
  std::vector<std::size_t> widths(columns_.size());
  std::size_t total = columns_.empty() ? 0 : kGap * (columns_.size() - 1);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths[i] = TextWidth(columns_[i].title);
    for (const std::vector<std::string>& row : rows) {
      widths[i] = std::max(widths[i], TextWidth(row[i]));
    }
    total += widths[i];
  }
  while (width != 0 && total > width) {
    std::size_t widest = columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].align != Align::kLeft || widths[i] <= kLeastWidth) continue;
      if (widest == columns_.size() || widths[i] > widths[widest]) widest = i;
    }
    if (widest == columns_.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

std::vector<std::string> Table::Lines(std::size_t width) const {
  Rows rows = rows_;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].align == Align::kDecimal) AlignPoints(rows, i);
  }
  const std::vector<std::size_t> widths = Widths(rows, width);
  const auto line_of = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i != 0) line.append(kGap, ' ');
      line += Padded(Shortened(Plain(cell_of(i)), widths[i]), widths[i], columns_[i].align);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
  };
  std::vector<std::string> lines;
  lines.reserve(rows.size() + 1);
  lines.push_back(line_of([&](std::size_t i) { return columns_[i].title; }));
  for (const std::vector<std::string>& row : rows) {
    lines.push_back(line_of([&](std::size_t i) { return row[i]; }));
  }
  return lines;
}

void Table::Print(Output& out) const {
  const std::vector<std::string> lines = Lines(out.width());
  const bool bold = out.colour();
  out.Write(bold ? absl::StrCat("\x1b[1m", lines.front(), "\x1b[0m\n")
                 : absl::StrCat(lines.front(), "\n"));
  for (std::size_t i = 1; i < lines.size(); ++i)
    out.Write(absl::StrCat(lines[i], "\n"));
}

void Table::PrintCsv(Output& out) const {
  std::string line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    absl::StrAppend(&line, i == 0 ? "" : ",", CsvField(columns_[i].title));
  }
  out.Write(absl::StrCat(line, "\n"));
  for (const std::vector<std::string>& row : rows_) {
    line.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      absl::StrAppend(&line, i == 0 ? "" : ",", CsvField(row[i]));
    }
    out.Write(absl::StrCat(line, "\n"));
  }
}

}  // namespace qmarket
