// Tables: aligned for people, or as CSV for programs.
//
//   Table table({{"team"}, {"balance", Align::kRight}});
//   table.AddRow({"vision", "12.5 cr"});
//   table.Print(out);
//
// A table that is wider than the terminal has its left-aligned columns shortened ("…"), the widest
// first; numbers are never cut. Not thread-safe.
#ifndef QMARKET_CONNECTORS_CLI_TABLE_H_
#define QMARKET_CONNECTORS_CLI_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "connectors/cli/output.h"

namespace qmarket {

enum class Align {
  kLeft,
  kRight,
  kDecimal,  // right, with zeros appended so that the points stand under each other
};

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns.
  void AddRow(std::vector<std::string> cells);

  [[nodiscard]] bool empty() const { return rows_.empty(); }

  [[nodiscard]] std::size_t size() const { return rows_.size(); }

  // Drops the rows after the first `count`.
  void KeepFirst(std::size_t count);

  // For people. The titles are bold where `out` has colour.
  void Print(Output& out) const;

  // RFC 4180, the titles as the first record. (Line feeds alone end the records.)
  void PrintCsv(Output& out) const;

  // The lines of the table at most `width` columns wide (0: any width); the first is the titles.
  [[nodiscard]] std::vector<std::string> Lines(std::size_t width) const;

 private:
  using Rows = std::vector<std::vector<std::string>>;

  [[nodiscard]] std::vector<std::size_t> Widths(const Rows& rows, std::size_t width) const;

  std::vector<Column> columns_;
  Rows rows_;
};

// A field of RFC 4180: in quotes where it has to be.
[[nodiscard]] std::string CsvField(absl::string_view text);

// How many columns a UTF-8 text takes, one for each character.
[[nodiscard]] std::size_t TextWidth(absl::string_view text);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_TABLE_H_
