// Which event stands behind an offset of the journal, of the outcomes or of a balance's history.
//
//   EventLookup lookup(*log);
//   absl::StatusOr<EventHead> head = lookup.At(4711);
//
// Asked in growing order it reads the log forward in batches: one pass where the offsets are near
// each other, and a new read where one is far from the last. It keeps one batch. Any other order
// gives the same answers, slower. Works on every log. Not thread-safe.
#ifndef QMARKET_REPLAY_EVENT_LOOKUP_H_
#define QMARKET_REPLAY_EVENT_LOOKUP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "events/event_log.h"

namespace qmarket {

// What an event says of itself beside its payload. A record that is no event has all texts empty,
// but for an event_id that can still be read, and no claimed time (0).
struct EventHead {
  std::uint64_t offset = 0;
  std::string event_id{};
  std::int64_t time_ms = 0;         // as the event claims it; effective times are the market's
  std::int64_t append_time_ms = 0;  // as the log stamped it
  std::string actor{};
  std::string source{};
  std::string payload_type{};  // "BidPlaced", ...

  friend bool operator==(const EventHead&, const EventHead&) = default;
};

class EventLookup {
 public:
  // `log` must outlive it.
  explicit EventLookup(EventLog& log) : log_(log) {}

  // Errors: NotFound where the log has no record at that offset; those of the log.
  [[nodiscard]] absl::StatusOr<EventHead> At(std::uint64_t offset);

 private:
  [[nodiscard]] absl::Status ReadUpTo(std::uint64_t offset);

  EventLog& log_;
  std::vector<LogRecord> records_;  // all that the log has in [from_, next_)
  std::uint64_t from_ = 0;
  std::uint64_t next_ = 0;
  std::size_t batch_records_ = 0;  // of the last read
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_EVENT_LOOKUP_H_
