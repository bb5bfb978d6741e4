// Events as JSON: the form that the schema gives (`flatc --json --strict-json`), one a line.
//
//   EventLineReader reader(std::cin, "-");
//   while (true) {
//     absl::StatusOr<std::optional<Event>> event = reader.Next();
//     if (!event.ok()) return event.status();   // names file, line, field, value, expected
//     if (!event->has_value()) break;           // the end
//     ...
//   }
//
// Reading is strict: every key known and given once, required ones there, integers as integers
// within the contract's ranges, names and ids of their form, nothing after the object. Keys may
// come in any order. What is read here passes CheckForm and CheckRanges.
#ifndef QMARKET_EVENTS_EVENT_JSON_H_
#define QMARKET_EVENTS_EVENT_JSON_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "events/event.h"

namespace qmarket {

// A line longer than this is refused.
inline constexpr std::size_t kMaxJsonLineBytes = 1 << 20;

// The event of one JSON text. Errors (InvalidArgument) name field, value and what was expected, or
// the byte (from 1) where the text is no JSON.
absl::StatusOr<Event> ParseEvent(absl::string_view json);

// One line without its newline. Fields at their default are left out, as flatc does. Free text that
// is no UTF-8 is written with U+FFFD for each bad byte.
[[nodiscard]] std::string EventToJson(const Event& event);

// Reads JSON Lines from a stream, which must outlive it. Blank lines are skipped and counted. Not
// thread-safe.
class EventLineReader {
 public:
  // `name` is what messages call the file.
  EventLineReader(std::istream& stream, absl::string_view name);

  // The next event, or nothing at the end. Errors: InvalidArgument "NAME:LINE: ..." for a bad line,
  // after which Next may be called for the lines that follow; DataLoss where the stream fails.
  absl::StatusOr<std::optional<Event>> Next();

  // The line, from 1, that the last call of Next read; 0 before the first.
  [[nodiscard]] std::uint64_t line() const { return line_; }

 private:
  enum class LineKind { kLine, kTooLong, kEnd, kFailed };

  LineKind ReadLine();

  std::istream& stream_;
  std::string name_;
  std::string buffer_;
  std::uint64_t line_ = 0;
  std::size_t length_ = 0;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_EVENT_JSON_H_
