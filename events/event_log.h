// The event log: an append-only sequence of records, the one truth that everything is rebuilt from.
//
// Implementations: embedded (embedded_log.h, on a local store) and a message broker. Offsets grow,
// but are no counts: a log can have holes. All methods may be called from any thread.
#ifndef QMARKET_EVENTS_EVENT_LOG_H_
#define QMARKET_EVENTS_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

namespace qmarket {

struct LogRecord {
  std::uint64_t offset = 0;
  std::int64_t append_time_ms = 0;  // stamped by the log, never falls from record to record
  std::string bytes;                // an event as event_codec.h encodes it, or any poison
};

// A stretch of the log, in order. `next_offset` is where to read on; it may lie beyond the last
// record where the log has holes.
struct LogBatch {
  std::vector<LogRecord> records;
  std::uint64_t next_offset = 0;
};

class EventLog {
 public:
  // Durable: on stable storage when Append returns. Buffered: after the next Sync() or durable
  // Append(); for whole runs that can be made again, such as a simulation.
  enum class Durability { kDurable, kBuffered };

  EventLog() = default;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;
  virtual ~EventLog() = default;

  // Appends all records or none, next to each other, and returns the offset of the first.
  // Concurrent calls share a sync. Errors: ResourceExhausted where the disk is full, Unavailable
  // where the service is away.
  virtual absl::StatusOr<std::uint64_t> Append(absl::Span<const std::string> records,
                                               Durability durability) = 0;

  [[nodiscard]] virtual absl::Status Sync() = 0;

  // Records with offset >= `from`, at most `max_records` and about `max_bytes` of them (at least
  // one if there is one). An empty batch where there are none yet. Errors: DataLoss where a stored
  // record is damaged (with its offset), OutOfRange where `from` lies beyond the end.
  virtual absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records,
                                        std::size_t max_bytes) = 0;

  // The first offset whose append time is at or after `append_time_ms`; the end where there is
  // none.
  virtual absl::StatusOr<std::uint64_t> FindByTime(std::int64_t append_time_ms) = 0;

  // The offset that the next record will get at least.
  virtual absl::StatusOr<std::uint64_t> EndOffset() = 0;

  // Waits until there is a record at or after `from`, or the time is over; true if there is one.
  virtual absl::StatusOr<bool> WaitFor(std::uint64_t from, absl::Duration timeout) = 0;

  // What tells this log from another one of the same name.
  [[nodiscard]] virtual std::string Identity() const = 0;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_EVENT_LOG_H_
