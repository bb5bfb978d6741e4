#include "connectors/cli/commands/stream.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

#include "connectors/cli/exit_status.h"
#include "connectors/cli/options.h"
#include "events/check.h"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace qmarket {

void AddStreamOptions(CLI::App& app, StreamOptions& options) {
  app.add_option("--from-offset", options.from_offset, "From this offset on")->type_name("N");
  app.add_option("--to-offset", options.to_offset, "Up to this offset, included")->type_name("N");
  app.add_flag("--follow", options.follow, "Wait for what comes, until it is interrupted");
  AddFormatOption(app, options.format);
}

absl::StatusOr<OffsetRange> ReadStreamRange(const StreamOptions& options) {
  OffsetRange range;
  if (!options.from_offset.empty()) {
    const absl::StatusOr<std::uint64_t> from = ParseCount("--from-offset", options.from_offset);
    if (!from.ok()) return from.status();
    range.from = *from;
  }
  if (!options.to_offset.empty()) {
    const absl::StatusOr<std::uint64_t> to = ParseCount("--to-offset", options.to_offset);
    if (!to.ok()) return to.status();
    range.to = *to;
  }
  if (range.from > range.to) return UsageError("--from-offset is above --to-offset");
  if (options.follow && options.format == Format::kTable) {
    return UsageError("--follow goes with --format json or csv");
  }
  return range;
}

std::string PayloadText(const std::string& json, Format format) {
  const auto record = nlohmann::ordered_json::parse(json, nullptr, /*allow_exceptions=*/false);
  QM_CHECK(record.is_object() && record.contains("payload"), "a record's JSON is none");
  const nlohmann::ordered_json& payload = record["payload"];
  if (format != Format::kTable) return payload.dump();
  std::string text;
  for (const auto& [key, value] : payload.items()) {
    absl::StrAppend(&text, text.empty() ? "" : " ", key, "=",
                    value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

}  // namespace qmarket
