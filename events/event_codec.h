// Events as bytes: the FlatBuffers records of events.fbs, and canonical bytes for hashing.
//
//   std::string record = EncodeEvent(event);
//   absl::StatusOr<Event> event = DecodeEvent(record);
//
// Records come from anyone: DecodeEvent verifies before it reads, and no input makes it crash. The
// formats are described in docs/formats.md. Functions without state; use them from any thread.
#ifndef QMARKET_EVENTS_EVENT_CODEC_H_
#define QMARKET_EVENTS_EVENT_CODEC_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/event.h"

namespace qmarket {

// A record larger than this is refused.
inline constexpr std::size_t kMaxEventBytes = 2 << 20;

// The record of an event, identifier QMEV. The event may be out of its ranges; its texts must be
// shorter than kMaxEventBytes together for the record to be readable again.
[[nodiscard]] std::string EncodeEvent(const Event& event);

// The event of a record. Errors (InvalidArgument): the bytes are no verified event, a required
// field is missing, or the event comes from a newer schema: a payload type or a field that this
// version does not know. Forms and ranges are not checked: field_rules.h does.
absl::StatusOr<Event> DecodeEvent(absl::string_view bytes);

// The event_id of a record where it can be read, though DecodeEvent refuses it; else empty.
[[nodiscard]] std::string ReadEventId(absl::string_view bytes);

// Bytes that are equal exactly where all fields of two events are; a field left out equals its
// default. For hashing; they are not read back.
[[nodiscard]] std::string CanonicalEvent(const Event& event);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_EVENT_CODEC_H_
