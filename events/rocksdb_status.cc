#include "events/rocksdb_status.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace qmarket {
namespace {

absl::StatusCode CodeOfIoError(const rocksdb::Status& status, absl::string_view text) {
  switch (status.subcode()) {
    case rocksdb::Status::kNoSpace:
    case rocksdb::Status::kSpaceLimit:
      return absl::StatusCode::kResourceExhausted;
    case rocksdb::Status::kPathNotFound:
    case rocksdb::Status::kStaleFile:
      return absl::StatusCode::kDataLoss;
    default:
      break;
  }
  // These have no codes of their own.
  if (absl::StrContains(text, "File too large") || absl::StrContains(text, "quota exceeded")) {
    return absl::StatusCode::kResourceExhausted;
  }
  if (absl::StrContains(text, "lock file") || absl::StrContains(text, "lock hold by")) {
    return absl::StatusCode::kUnavailable;
  }
  if (absl::StrContains(text, "Permission denied")) return absl::StatusCode::kPermissionDenied;
  return absl::StatusCode::kInternal;
}

absl::StatusCode CodeOf(const rocksdb::Status& status, absl::string_view text) {
  switch (status.code()) {
    case rocksdb::Status::kOk:
      return absl::StatusCode::kOk;
    case rocksdb::Status::kNotFound:
      return absl::StatusCode::kNotFound;
    case rocksdb::Status::kCorruption:
      return absl::StatusCode::kDataLoss;
    case rocksdb::Status::kNotSupported:
      return absl::StatusCode::kUnimplemented;
    case rocksdb::Status::kInvalidArgument:
      return absl::StatusCode::kInvalidArgument;
    case rocksdb::Status::kIOError:
      return CodeOfIoError(status, text);
    case rocksdb::Status::kTimedOut:
      return absl::StatusCode::kDeadlineExceeded;
    case rocksdb::Status::kShutdownInProgress:
      return absl::StatusCode::kCancelled;
    case rocksdb::Status::kAborted:
    case rocksdb::Status::kBusy:
    case rocksdb::Status::kTryAgain:
      return absl::StatusCode::kAborted;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status FromRocksdb(const rocksdb::Status& status, absl::string_view context) {
  if (status.ok()) return absl::OkStatus();
  const std::string text = status.ToString();
  return absl::Status(CodeOf(status, text), absl::StrCat(context, ": ", text));
}

}  // namespace qmarket
