#include "matcher/process/record.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/big_endian.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "matcher/core/input.h"

namespace qmarket {

Input InputOf(const LogRecord& record) {
  Input input;
  input.offset = record.offset;
  input.append_time_ms = record.append_time_ms;
  absl::StatusOr<Event> event = DecodeEvent(record.bytes);
  if (event.ok()) {
    input.id = FingerprintOf(event->event_id);
    input.content = FingerprintOf(CanonicalEvent(*event));
    input.event = *std::move(event);
  } else {
    input.event = Malformed{.event_id = ReadEventId(record.bytes),
                            .message = std::string(event.status().message())};
  }
  return input;
}

Digest RecordHash(const LogRecord& record) {
  const BigEndian offset = ToBigEndian(record.offset);
  const BigEndian time = ToBigEndian(static_cast<std::uint64_t>(record.append_time_ms));
  return Sha256({absl::string_view(offset.data(), offset.size()),
                 absl::string_view(time.data(), time.size()), record.bytes});
}

}  // namespace qmarket
