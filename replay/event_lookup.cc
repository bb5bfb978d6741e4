#include "replay/event_lookup.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "events/field_rules.h"

namespace qmarket {
namespace {

// A read somewhere else begins small, for a single answer, and grows while reads follow each other.
constexpr std::size_t kFirstRecords = 64;
constexpr std::size_t kMostRecords = 1024;
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;
// Reading on over so many offsets is cheaper than a new read behind them, on a broker above all.
constexpr std::uint64_t kNear = 2048;

EventHead HeadOf(const LogRecord& record) {
  EventHead head = {.offset = record.offset, .append_time_ms = record.append_time_ms};
  absl::StatusOr<Event> event = DecodeEvent(record.bytes);
  if (!event.ok()) {
    head.event_id = ReadEventId(record.bytes);
    return head;
  }
  head.payload_type = std::string(PayloadTypeName(event->payload));
  head.event_id = std::move(event->event_id);
  head.time_ms = event->time_ms;
  head.actor = std::move(event->actor);
  head.source = std::move(event->source);
  return head;
}

absl::Status NoRecord(std::uint64_t offset) {
  return absl::NotFoundError(absl::StrCat("the log has no record at offset ", offset));
}

}  // namespace

absl::StatusOr<EventHead> EventLookup::At(std::uint64_t offset) {
  if (offset < from_ || offset >= next_) {
    if (absl::Status read = ReadUpTo(offset); !read.ok()) return read;
  }
  const auto found = std::ranges::lower_bound(records_, offset, {}, &LogRecord::offset);
  if (found == records_.end() || found->offset != offset) return NoRecord(offset);
  return HeadOf(*found);
}

// Reads on, or anew, until `offset` lies in the batch.
absl::Status EventLookup::ReadUpTo(std::uint64_t offset) {
  const bool reads_on = batch_records_ > 0 && offset >= next_ && offset - next_ < kNear;
  if (!reads_on) {
    next_ = offset;
    batch_records_ = 0;
  }
  do {
    records_.clear();
    from_ = next_;
    batch_records_ =
        batch_records_ == 0 ? kFirstRecords : std::min(batch_records_ * 2, kMostRecords);
    absl::StatusOr<LogBatch> batch = log_.Read(next_, batch_records_, kBatchBytes);
    if (absl::IsOutOfRange(batch.status())) return NoRecord(offset);
    if (!batch.ok()) return batch.status();
    if (batch->records.empty() && batch->at_end) return NoRecord(offset);
    next_ = std::max(next_, batch->next_offset);
    records_ = std::move(batch->records);
  } while (next_ <= offset);
  return absl::OkStatus();
}

}  // namespace qmarket
