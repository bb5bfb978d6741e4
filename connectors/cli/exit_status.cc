#include "connectors/cli/exit_status.h"

#include "absl/strings/cord.h"

namespace qmarket {
namespace {

// Marks a status whose code alone does not tell the exit status.
constexpr char kMark[] = "qmarket/exit-status";
constexpr char kUsageMark[] = "usage";
constexpr char kVerificationMark[] = "verification";
constexpr char kBrokenPipeMark[] = "broken-pipe";

absl::Status Marked(absl::Status status, const char* mark) {
  status.SetPayload(kMark, absl::Cord(mark));
  return status;
}

bool HasMark(const absl::Status& status, const char* mark) {
  const auto payload = status.GetPayload(kMark);
  return payload.has_value() && *payload == mark;
}

}  // namespace

absl::Status UsageError(absl::string_view message) {
  return Marked(absl::InvalidArgumentError(message), kUsageMark);
}

absl::Status VerificationError(absl::string_view message) {
  return Marked(absl::FailedPreconditionError(message), kVerificationMark);
}

absl::Status BrokenPipeError() {
  return Marked(absl::CancelledError("standard output is closed"), kBrokenPipeMark);
}

bool IsBrokenPipe(const absl::Status& status) {
  return HasMark(status, kBrokenPipeMark);
}

ExitStatus ExitStatusOf(const absl::Status& status) {
  if (status.ok()) return ExitStatus::kDone;
  if (HasMark(status, kUsageMark)) return ExitStatus::kUsage;
  if (HasMark(status, kVerificationMark)) return ExitStatus::kVerificationFailed;
  if (absl::IsUnavailable(status)) return ExitStatus::kUnreachable;
  return ExitStatus::kBadInput;
}

}  // namespace qmarket
