// How the embedded log stores a record, for the .cc files of this room (docs/formats.md).
//
//   key    the offset, 8 bytes, big endian
//   value  the append time in milliseconds, 8 bytes, big endian;
//          a checksum, 8 bytes: the first of SHA-256(key, append time, bytes);
//          the bytes of the record
//
// Keys that start with 0xff hold what the log knows of itself; offsets are below 2^63.
#ifndef QMARKET_EVENTS_LOG_RECORD_H_
#define QMARKET_EVENTS_LOG_RECORD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/event_log.h"

namespace qmarket {

inline constexpr std::size_t kLogKeyBytes = 8;
inline constexpr std::size_t kLogHeaderBytes = 16;

// The value without the record's own bytes, which follow it.
[[nodiscard]] std::array<char, kLogHeaderBytes> LogValueHeader(std::uint64_t offset,
                                                               std::int64_t append_time_ms,
                                                               absl::string_view bytes);

// Errors: DataLoss, naming the offset, where the key has another length or the checksum is wrong.
absl::StatusOr<LogRecord> ParseLogRecord(absl::string_view key, absl::string_view value);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_LOG_RECORD_H_
