#include "events/kafka/record_headers.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "events/field_rules.h"
#include "events/outcome_wire.h"

namespace qmarket {
namespace {

constexpr char kVersion[] = "1.0";

std::string TimeText(std::int64_t time_ms) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E3SZ", absl::FromUnixMillis(time_ms),
                          absl::UTCTimeZone());
}

std::vector<RecordHeader> Headers(std::string id, std::string source, std::string type,
                                  std::int64_t time_ms, const char* content_type) {
  std::vector<RecordHeader> headers;
  headers.reserve(6);
  headers.push_back({"ce_specversion", kVersion});
  headers.push_back({"ce_id", std::move(id)});
  headers.push_back({"ce_source", std::move(source)});
  headers.push_back({"ce_type", std::move(type)});
  headers.push_back({"ce_time", TimeText(time_ms)});
  headers.push_back({"content-type", content_type});
  return headers;
}

// "/qmarket/main/slurm"; the source is free text, and what a URI cannot have is escaped.
std::string SourceOf(absl::string_view market, absl::string_view source) {
  std::string uri = absl::StrCat("/qmarket/", market);
  if (source.empty()) return uri;
  uri.push_back('/');
  for (const char c : source) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) ||
        absl::string_view("-._~/:@").find(c) != absl::string_view::npos) {
      uri.push_back(c);
    } else {
      absl::StrAppendFormat(&uri, "%%%02X", byte);
    }
  }
  return uri;
}

}  // namespace

std::vector<RecordHeader> HeadersOfEvent(absl::string_view market, absl::string_view bytes) {
  const absl::StatusOr<Event> event = DecodeEvent(bytes);
  if (!event.ok()) return {{"content-type", kEventContentType}};
  return Headers(event->event_id, SourceOf(market, event->source),
                 absl::StrCat("qmarket.event.", PayloadTypeName(event->payload)), event->time_ms,
                 kEventContentType);
}

std::vector<RecordHeader> HeadersOfOutcome(absl::string_view market, const OutcomeRecord& record,
                                           std::int64_t time_ms, const char* content_type) {
  return Headers(absl::StrCat(record.offset, "-", record.index), SourceOf(market, ""),
                 absl::StrCat("qmarket.outcome.", OutcomeTypeName(record.outcome)), time_ms,
                 content_type);
}

}  // namespace qmarket
