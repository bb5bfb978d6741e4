// Appends events to the log of a data directory, whoever has it open.
//
//   absl::StatusOr<std::unique_ptr<Appender>> appender = OpenAppender("qmarket-data");
//   absl::StatusOr<AppendedRange> range = (*appender)->Append(records);
//
// Where a matcher runs on the directory (run.h), records go through its append service
// (append_service.h), else straight into the log. Not thread-safe; several appenders may be open at
// once.
#ifndef QMARKET_MATCHER_PROCESS_APPENDER_H_
#define QMARKET_MATCHER_PROCESS_APPENDER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/event_log.h"

namespace qmarket {

// The records of one call may have so many bytes together: they are appended as one.
inline constexpr std::size_t kMaxAppendBytes = std::size_t{8} << 20;
inline constexpr std::size_t kMaxAppendRecords = 64 * 1024;

class Appender {
 public:
  Appender() = default;
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;
  virtual ~Appender() = default;

  // Appends all records (event_codec.h), next to each other, or none; they are durable when it
  // returns where they are. Errors: InvalidArgument, too many records or bytes, nothing was
  // appended; ResourceExhausted, the disk is full; Unavailable, the matcher ended meanwhile, and
  // the records may be in the log or not.
  virtual absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records) = 0;
};

// Opens the log of the directory, which is made where there is none, or finds who has it open,
// waiting for up to `patience` where that is neither free nor serving: another `append`, or a
// matcher that is just starting or ending. Errors: Unavailable, it stayed so; else those of
// EmbeddedLog::Open.
absl::StatusOr<std::unique_ptr<Appender>> OpenAppender(const std::string& data_dir,
                                                       absl::Duration patience = absl::Seconds(10));

// Whether a matcher serves on the directory.
[[nodiscard]] bool IsMatcherServing(const std::string& data_dir);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_APPENDER_H_
