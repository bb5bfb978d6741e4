// The words for expectations: one line, or a table of rows (README.md).
#ifndef QMARKET_TESTS_SCENARIOS_EXPECTATION_WORDS_H_
#define QMARKET_TESTS_SCENARIOS_EXPECTATION_WORDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "tests/scenarios/scenario.h"
#include "tests/scenarios/words.h"

namespace qmarket {

// What the rest of an "expect" line says; problems are left in `words`. With `head` alone set, the
// line names a table only, whose rows follow.
struct ExpectLine {
  Expectation expectation;
  bool head = false;
};

[[nodiscard]] ExpectLine ReadExpectLine(Words& words);

// Reads the lines of a table: first the names of its columns, then its rows.
class TableReader {
 public:
  explicit TableReader(const Schema& schema) : schema_(schema) {}

  // Expectations of the line: none from the head, one from each row. Errors: InvalidArgument
  // "expected ..., found ...".
  absl::StatusOr<std::vector<Expectation>> Read(absl::string_view line);

  [[nodiscard]] bool has_rows() const { return has_rows_; }

 private:
  absl::Status ReadHead(const std::vector<std::string>& cells);
  absl::StatusOr<Expectation> ReadRow(const std::vector<std::string>& cells);

  const Schema& schema_;
  std::vector<std::size_t> columns_;
  bool has_rows_ = false;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_SCENARIOS_EXPECTATION_WORDS_H_
