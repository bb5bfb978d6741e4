// Standard output of a command: buffered, checked, and aware of what it is connected to.
//
// Writing never fails at once: the first error sticks, and Flush() reports it. A command that
// writes without end looks at ok() now and then. Not thread-safe.
#ifndef QMARKET_CONNECTORS_CLI_OUTPUT_H_
#define QMARKET_CONNECTORS_CLI_OUTPUT_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace qmarket {

// How a command prints data: for people, or for programs.
enum class Format { kTable, kJson, kCsv };

class Output {
 public:
  // Writes to `descriptor`, which stays the caller's.
  explicit Output(int descriptor) : descriptor_(descriptor) {}

  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() = default;

  void Write(absl::string_view text);

  // Writes out what is buffered. Errors: BrokenPipeError where the reader is gone, Internal
  // otherwise (a full disk, for example).
  [[nodiscard]] absl::Status Flush();

  [[nodiscard]] bool ok() const { return status_.ok(); }

  // Whether people look at it.
  [[nodiscard]] bool is_terminal() const;

  // Columns of the terminal; 0 where it is no terminal, or one without end.
  [[nodiscard]] std::size_t width() const;

  // Whether to use colour: on a terminal, unless NO_COLOR is set (not empty) or TERM is "dumb".
  [[nodiscard]] bool colour() const;

 private:
  void WriteOut();

  int descriptor_;
  std::string buffer_;
  absl::Status status_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_OUTPUT_H_
