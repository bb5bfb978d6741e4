#include "matcher/process/append_protocol.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "events/big_endian.h"
#include "matcher/process/appender.h"

namespace qmarket {
namespace {

constexpr std::size_t kLengthBytes = 4;

constexpr int kOk = 200;
constexpr int kBadRequest = 400;
constexpr int kPayloadTooLarge = 413;
constexpr int kInternal = 500;
constexpr int kUnavailable = 503;
constexpr int kInsufficientStorage = 507;

}  // namespace

absl::Status CheckAppendSize(absl::Span<const std::string> records) {
  std::size_t bytes = 0;
  for (const std::string& record : records)
    bytes += record.size();
  if (records.empty() || records.size() > kMaxAppendRecords || bytes > kMaxAppendBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(records.size(), " records of ", bytes, " bytes in one append, expected 1 to ",
                     kMaxAppendRecords, " of at most ", kMaxAppendBytes, " bytes together"));
  }
  return absl::OkStatus();
}

std::string PackRecords(absl::Span<const std::string> records) {
  std::string body;
  for (const std::string& record : records) {
    const BigEndian length = ToBigEndian(record.size());
    body.append(length.end() - kLengthBytes, length.end());
    body += record;
  }
  return body;
}

absl::StatusOr<std::vector<std::string>> UnpackRecords(absl::string_view body) {
  std::vector<std::string> records;
  while (!body.empty()) {
    const std::uint64_t length = FromBigEndian(body.substr(0, kLengthBytes));
    if (body.size() < kLengthBytes || body.size() - kLengthBytes < length) {
      return absl::InvalidArgumentError(
          absl::StrCat("record ", records.size(), " of the request is cut short"));
    }
    records.emplace_back(body.substr(kLengthBytes, length));
    body.remove_prefix(kLengthBytes + length);
  }
  return records;
}

int HttpStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kInvalidArgument:
      return kBadRequest;
    case absl::StatusCode::kUnavailable:
      return kUnavailable;
    case absl::StatusCode::kResourceExhausted:
      return kInsufficientStorage;
    default:
      return kInternal;
  }
}

absl::Status StatusOfHttp(int http_status, absl::string_view message) {
  switch (http_status) {
    case kOk:
      return absl::OkStatus();
    case kBadRequest:
    case kPayloadTooLarge:
      return absl::InvalidArgumentError(message);
    case kUnavailable:
      return absl::UnavailableError(message);
    case kInsufficientStorage:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::InternalError(absl::StrCat("HTTP status ", http_status, ": ", message));
  }
}

}  // namespace qmarket
