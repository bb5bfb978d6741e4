// How records travel to the append service, and answers back. For the .cc files of this folder.
//
//   POST /append   each record: its length, 4 bytes, big endian; then its bytes
//   200            the offset of the first record, in decimal
//   else           a message for people; 400 InvalidArgument, 503 Unavailable, 507
//                  ResourceExhausted, 500 any other
//   GET /          200 where a matcher serves
//
// It is HTTP/1.1 over a Unix-domain socket that only its owner can use.
#ifndef QMARKET_MATCHER_PROCESS_APPEND_PROTOCOL_H_
#define QMARKET_MATCHER_PROCESS_APPEND_PROTOCOL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include "matcher/process/appender.h"

namespace qmarket {

inline constexpr char kAppendPath[] = "/append";
inline constexpr char kAppendType[] = "application/octet-stream";
inline constexpr std::size_t kMaxAppendBody = kMaxAppendBytes + 4 * kMaxAppendRecords;

// InvalidArgument where they are none, too many or too large for one call.
[[nodiscard]] absl::Status CheckAppendSize(absl::Span<const std::string> records);

[[nodiscard]] std::string PackRecords(absl::Span<const std::string> records);

// Errors: InvalidArgument, the bytes are not of the form above.
absl::StatusOr<std::vector<std::string>> UnpackRecords(absl::string_view body);

[[nodiscard]] int HttpStatusOf(const absl::Status& status);
[[nodiscard]] absl::Status StatusOfHttp(int http_status, absl::string_view message);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_APPEND_PROTOCOL_H_
