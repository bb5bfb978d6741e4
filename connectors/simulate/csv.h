// Comma separated values with a header line, read strictly.
//
//   CsvReader csv("jobs.csv", text);
//   RETURN csv.ReadHeader({"job_id", "gpus"});
//   while (*csv.Next()) { use csv.cell(0), csv.cell(1); }
//
// Columns are found by name; others are ignored. CRLF, a byte order mark, blank lines and quoted
// cells
// ("" inside quotes is one quote) are accepted. Every error names file, line, column, value and
// what was expected. Not thread-safe.
#ifndef QMARKET_CONNECTORS_SIMULATE_CSV_H_
#define QMARKET_CONNECTORS_SIMULATE_CSV_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace qmarket {

class CsvReader {
 public:
  // `file` is the name for messages. The reader keeps its own copy of the text.
  CsvReader(std::string file, std::string text);

  // Reads the first line. Cells are then numbered: the required columns first, then the optional
  // ones, in the order given. Error: InvalidArgument where a required column is missing or one of
  // them stands there twice.
  [[nodiscard]] absl::Status ReadHeader(absl::Span<const absl::string_view> required,
                                        absl::Span<const absl::string_view> optional = {});

  // Goes to the next row; false at the end. Error: InvalidArgument where a row has another number
  // of cells than the header, or a quote is not closed.
  absl::StatusOr<bool> Next();

  // The cell of a column in this row. A view of optional columns that are absent is empty.
  [[nodiscard]] absl::string_view cell(std::size_t column) const;

  // Whether an optional column is there.
  [[nodiscard]] bool has(std::size_t column) const;

  // The line on which the row begins, from 1.
  [[nodiscard]] std::int64_t line() const { return line_; }

  // An InvalidArgument that names file, line, column, the cell's value and what was expected.
  [[nodiscard]] absl::Status Problem(std::size_t column, absl::string_view expected) const;

  // The cell as a whole number within [low, high]: digits alone, with a minus where `low` is below
  // 0.
  absl::StatusOr<std::int64_t> Integer(std::size_t column, std::int64_t low,
                                       std::int64_t high) const;

  // The cell as a number with at most `decimals` decimals, times 10^decimals, within [low, high]
  // (which are times 10^decimals too).
  absl::StatusOr<std::int64_t> Decimal(std::size_t column, int decimals, std::int64_t low,
                                       std::int64_t high) const;

 private:
  // Reads one record into `cells_`; false at the end of the text.
  absl::StatusOr<bool> ReadRecord();
  absl::Status ReadCell(std::string& cell);
  absl::Status ReadQuoted(std::string& cell);
  [[nodiscard]] absl::Status At(absl::string_view message) const;
  [[nodiscard]] bool AtEndOfLine() const;
  void SkipEndOfLine();

  std::string file_;
  std::string text_;
  std::size_t position_ = 0;
  std::int64_t next_line_ = 1;
  std::int64_t line_ = 0;
  std::size_t width_ = 0;
  std::vector<std::string> names_;
  std::vector<std::optional<std::size_t>> places_;  // of the named columns in the file
  std::vector<std::string> cells_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_CSV_H_
