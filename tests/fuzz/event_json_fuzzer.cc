// Any text as JSON Lines: each line is an event within the rules, or refused with a reason.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>

#include "absl/strings/string_view.h"

#include "events/check.h"
#include "events/event_codec.h"
#include "events/event_json.h"
#include "events/field_rules.h"
#include "nlohmann/json.hpp"

namespace qmarket {
namespace {

constexpr std::size_t kMaxMessage = 1'000;

void CheckEvent(const Event& event) {
  QM_CHECK(!CheckForm(event).has_value(), "an event of bad form was read");
  QM_CHECK(!CheckRanges(event).has_value(), "an event out of range was read");
  const absl::StatusOr<Event> again = ParseEvent(EventToJson(event));
  QM_CHECK(again.ok() && *again == event, "an event is read otherwise the second time");
  const absl::StatusOr<Event> record = DecodeEvent(EncodeEvent(event));
  QM_CHECK(record.ok() && *record == event, "an event is lost in its record");
}

void CheckLines(const std::string& text) {
  std::istringstream stream(text);
  EventLineReader reader(stream, "input");
  std::uint64_t line = 0;
  while (true) {
    const absl::StatusOr<std::optional<Event>> event = reader.Next();
    if (event.ok() && !event->has_value()) return;
    QM_CHECK(reader.line() > line, "a line was read twice");
    line = reader.line();
    if (event.ok()) {
      CheckEvent(**event);
    } else {
      const absl::string_view message = event.status().message();
      QM_CHECK(!message.empty() && message.size() < kMaxMessage, "no message, or a long one");
    }
  }
}

void CheckText(absl::string_view text) {
  if (ParseEvent(text).ok()) {
    QM_CHECK(nlohmann::json::accept(text.begin(), text.end()), "what is no JSON was read");
  }
  CheckLines(std::string(text));
}

}  // namespace
}  // namespace qmarket

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  qmarket::CheckText({reinterpret_cast<const char*>(data), size});
  return 0;
}
