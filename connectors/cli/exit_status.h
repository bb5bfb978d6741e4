// The exit status of the program, and how a command's absl::Status becomes one (the contract).
//
//   0 done                          absl::OkStatus()
//   1 the input or the data is wrong   any other code
//   2 usage                         UsageError()
//   3 a service is unreachable      absl::UnavailableError()
//   4 a verification failed         VerificationError()
//
// A command returns a Status; its message is printed once, by main(). Thread-safe.
#ifndef QMARKET_CONNECTORS_CLI_EXIT_STATUS_H_
#define QMARKET_CONNECTORS_CLI_EXIT_STATUS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace qmarket {

enum class ExitStatus : int {
  kDone = 0,
  kBadInput = 1,
  kUsage = 2,
  kUnreachable = 3,
  kVerificationFailed = 4,
};

// The command was called with options that do not go together or are not of their form.
[[nodiscard]] absl::Status UsageError(absl::string_view message);

// What was to be proved does not hold.
[[nodiscard]] absl::Status VerificationError(absl::string_view message);

// The reader of standard output has gone away; there is nothing to say about it.
[[nodiscard]] absl::Status BrokenPipeError();
[[nodiscard]] bool IsBrokenPipe(const absl::Status& status);

[[nodiscard]] ExitStatus ExitStatusOf(const absl::Status& status);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_EXIT_STATUS_H_
