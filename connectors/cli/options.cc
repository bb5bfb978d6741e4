#include "connectors/cli/options.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

#include "connectors/cli/exit_status.h"

namespace qmarket {

CLI::Option* AddDataOption(CLI::App& app, std::string& data_dir) {
  if (data_dir.empty()) data_dir = kDefaultDataDir;
  return app.add_option("--data", data_dir, "Folder of the store and the embedded log")
      ->type_name("DIR")
      ->capture_default_str();
}

CLI::Option* AddFormatOption(CLI::App& app, Format& format) {
  const std::map<std::string, Format> names = {
      {"table", Format::kTable}, {"json", Format::kJson}, {"csv", Format::kCsv}};
  return app.add_option("--format", format, "table (default), json or csv")
      ->type_name("FORMAT")
      ->transform(CLI::CheckedTransformer(names).description(""));
}

void AddLogOptions(CLI::App& app, LogOptions& options) {
  app.add_option("--log", options.log, "Where the log is: embedded or kafka")
      ->type_name("KIND")
      ->capture_default_str()
      ->check(CLI::IsMember({"embedded", "kafka"}).description(""));
  app.add_option("--brokers", options.brokers, "Kafka brokers")->type_name("HOST:PORT,...");
  app.add_option("--kafka-config", options.kafka_config, "A file of librdkafka properties")
      ->type_name("FILE");
  app.add_option("--market", options.market, "Name of the market, of those in one broker")
      ->type_name("NAME")
      ->capture_default_str();
}

absl::Status CheckLogOptions(const LogOptions& options) {
  if (options.log == "kafka") {
    return UsageError("--log kafka: not in this build yet; use --log embedded");
  }
  if (!options.brokers.empty() || !options.kafka_config.empty()) {
    return UsageError("--brokers and --kafka-config go with --log kafka");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::int64_t> ParseTime(absl::string_view option, absl::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  // Four digits would be a year to some and a millisecond count to others: a count is longer.
  std::int64_t milliseconds = 0;
  if (digits && absl::SimpleAtoi(text, &milliseconds)) return milliseconds;
  absl::Time time;
  std::string error;
  for (const char* form : {"%Y-%m-%d%ET%H:%M:%E*S%Ez", "%Y-%m-%d %H:%M:%E*S%Ez",
                           "%Y-%m-%d%ET%H:%M%Ez", "%Y-%m-%d%ET%H:%M:%E*S", "%Y-%m-%d %H:%M:%E*S",
                           "%Y-%m-%d%ET%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    if (absl::ParseTime(form, text, &time, &error)) return absl::ToUnixMillis(time);
  }
  return UsageError(absl::StrCat(option, " ", text,
                                 ": not a time; expected ISO 8601 such as 2026-01-01T00:00:00Z, or "
                                 "milliseconds since the epoch"));
}

absl::StatusOr<std::uint64_t> ParseCount(absl::string_view option, absl::string_view text) {
  const bool digits = !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
  std::uint64_t value = 0;
  if (!digits || !absl::SimpleAtoi(text, &value)) {
    return UsageError(absl::StrCat(option, " ", text, ": expected a whole number from 0"));
  }
  return value;
}

}  // namespace qmarket
