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
  // Stamped by the log. It never falls from record to record, but where a broker's new leader has a
  // clock that is behind.
  std::int64_t append_time_ms = 0;
  std::string bytes;  // an event as event_codec.h encodes it, or any poison
};

// A stretch of the log, in order. `next_offset` is where to read on; it may lie beyond the last
// record where the log has holes. `more`: another batch is at hand. `at_end`: nothing more was
// there when it was read; with neither, a broker has not said yet.
struct LogBatch {
  std::vector<LogRecord> records;
  std::uint64_t next_offset = 0;
  bool more = false;
  bool at_end = false;
};

// Where appended records lie: the offset of the first, and the one behind the last.
struct AppendedRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
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

  // Appends the records in their order. The embedded log appends all or none of them, next to each
  // other; a broker may put those of others between them. Concurrent calls share a sync. Errors:
  // ResourceExhausted where the disk is full; Unavailable where the service is away, and then they
  // may be in the log or not: they can be appended again, as the market takes an event once.
  virtual absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records,
                                               Durability durability) = 0;

  [[nodiscard]] virtual absl::Status Sync() = 0;

  // Records with offset >= `from`, at most `max_records` and about `max_bytes` of them (at least
  // one if there is one). An empty batch where there are none yet (at_end), or where a broker does
  // not answer at the moment (not at_end). Errors: DataLoss where a stored record is damaged or
  // missing (with its offset), OutOfRange where `from` lies beyond the end; of a broker,
  // Unavailable where it has not answered for long.
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
