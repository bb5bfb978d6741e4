// A file that a command reads, or standard input for "-".
//
// Errors name the path: NotFound where it is missing, PermissionDenied and InvalidArgument (a
// folder) where it cannot be read.
#ifndef QMARKET_CONNECTORS_CLI_INPUT_H_
#define QMARKET_CONNECTORS_CLI_INPUT_H_

#include <istream>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace qmarket {

class InputFile {
 public:
  [[nodiscard]] static absl::StatusOr<InputFile> Open(const std::string& path);

  // Valid as long as this object. A read that fails sets its bad bit: see status().
  [[nodiscard]] std::istream& stream() { return *stream_; }

  // The path; "stdin" for "-".
  [[nodiscard]] const std::string& name() const { return name_; }

  // An error where reading stopped before the end of the file.
  [[nodiscard]] absl::Status status() const;

  // All that is left.
  [[nodiscard]] absl::StatusOr<std::string> ReadAll();

 private:
  InputFile(std::string name, std::unique_ptr<std::istream> stream)
      : name_(std::move(name)), stream_(std::move(stream)) {}

  std::string name_;
  std::unique_ptr<std::istream> stream_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_INPUT_H_
