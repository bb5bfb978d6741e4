// The CloudEvents headers of a record (binary content mode, CloudEvents 1.0): who routes or
// deduplicates needs no schema.
//
// For the .cc files of this folder. Pure functions.
#ifndef QMARKET_EVENTS_KAFKA_RECORD_HEADERS_H_
#define QMARKET_EVENTS_KAFKA_RECORD_HEADERS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

#include "events/outcome_wire.h"

namespace qmarket {

struct RecordHeader {
  const char* name;
  std::string value;
};

inline constexpr char kEventContentType[] = "application/vnd.qmarket.event+flatbuffers";
inline constexpr char kOutcomeContentType[] = "application/vnd.qmarket.outcome+flatbuffers";
inline constexpr char kJsonContentType[] = "application/json";

// Of an event's bytes (event_codec.h). Bytes that are no event get a content type alone.
[[nodiscard]] std::vector<RecordHeader> HeadersOfEvent(absl::string_view market,
                                                       absl::string_view bytes);

// `time_ms`: when it took effect.
[[nodiscard]] std::vector<RecordHeader> HeadersOfOutcome(absl::string_view market,
                                                         const OutcomeRecord& record,
                                                         std::int64_t time_ms,
                                                         const char* content_type);

}  // namespace qmarket

#endif  // QMARKET_EVENTS_KAFKA_RECORD_HEADERS_H_
