// Any bytes as an event record: read as the same event again and again, or refused.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

#include "events/check.h"
#include "events/event_codec.h"
#include "events/event_json.h"
#include "events/field_rules.h"

namespace qmarket {
namespace {

void CheckRecord(absl::string_view bytes) {
  const std::string event_id = ReadEventId(bytes);
  const absl::StatusOr<Event> event = DecodeEvent(bytes);
  if (!event.ok()) {
    QM_CHECK(!event.status().message().empty(), "a refusal without a reason");
    return;
  }
  QM_CHECK(event->event_id == event_id, "the id is another one");
  const absl::StatusOr<Event> again = DecodeEvent(EncodeEvent(*event));
  QM_CHECK(again.ok() && *again == *event, "an event is read otherwise the second time");
  QM_CHECK(CanonicalEvent(*again) == CanonicalEvent(*event), "canonical bytes differ");

  const bool valid = !CheckForm(*event).has_value() && !CheckRanges(*event).has_value();
  const std::string json = EventToJson(*event);
  if (json.size() > kMaxJsonLineBytes) return;
  const absl::StatusOr<Event> from_json = ParseEvent(json);
  if (valid) {
    QM_CHECK(from_json.ok() && *from_json == *event, "a valid event is lost in JSON");
  } else {
    // Free text that is no UTF-8 is mended on the way; all else that is wrong stays wrong.
    QM_CHECK(!from_json.ok() || CheckForm(*event).has_value(), "a bad event comes good in JSON");
  }
}

}  // namespace
}  // namespace qmarket

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qmarket::CheckRecord({reinterpret_cast<const char*>(data), size});
  return 0;
}
