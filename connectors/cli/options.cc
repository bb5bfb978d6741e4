#include "connectors/cli/options.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

#include "connectors/cli/exit_status.h"
#include "events/field_rules.h"
#include "events/kafka/market_topics.h"
#include "matcher/process/data_dir.h"
#include <CLI/CLI.hpp>

namespace qmarket {
namespace {

constexpr std::uint64_t kDefaultTimeoutSeconds = 30;
constexpr std::uint64_t kMostTimeoutSeconds = 86'400;

}  // namespace

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
  AddKafkaOptions(app, options);
}

void AddKafkaOptions(CLI::App& app, LogOptions& options) {
  app.add_option("--market", options.market, "Name of the market")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--brokers", options.brokers, "Brokers of the Kafka cluster")
      ->type_name("HOST:PORT,...");
  app.add_option("--kafka-config", options.kafka_config,
                 "A file of librdkafka properties, for TLS and SASL too")
      ->type_name("FILE");
  app.add_option("--topic-prefix", options.topic_prefix, "How the names of the topics begin")
      ->type_name("PREFIX")
      ->default_str(kDefaultTopicPrefix);
  app.add_option("--timeout", options.timeout, "How long the brokers may be away at the start")
      ->type_name("SECONDS")
      ->default_str(absl::StrCat(kDefaultTimeoutSeconds));
}

std::string TopicPrefixOf(const LogOptions& options) {
  return options.topic_prefix.empty() ? kDefaultTopicPrefix : options.topic_prefix;
}

absl::StatusOr<std::uint64_t> TimeoutSeconds(const LogOptions& options) {
  if (options.timeout.empty()) return kDefaultTimeoutSeconds;
  const absl::StatusOr<std::uint64_t> seconds = ParseCount("--timeout", options.timeout);
  if (!seconds.ok()) return seconds.status();
  if (*seconds < 1 || *seconds > kMostTimeoutSeconds) {
    return UsageError(
        absl::StrCat("--timeout ", *seconds, ": expected seconds from 1 to ", kMostTimeoutSeconds));
  }
  return *seconds;
}

absl::Status CheckLogOptions(const LogOptions& options) {
  if (!options.pattern && !IsMarketName(options.market)) {
    return UsageError(absl::StrCat("--market ", QuotedForMessage(options.market),
                                   ": expected 1 to ", kMostMarketNameBytes,
                                   " characters of A-Z a-z 0-9 . _ -, and not . or .."));
  }
  if (options.kafka()) {
    if (options.brokers.empty()) {
      return UsageError("--brokers HOST:PORT,... is required: where the Kafka cluster is");
    }
    return TimeoutSeconds(options).status();
  }
  for (const auto& [name, value] : {std::pair("--brokers", &options.brokers),
                                    std::pair("--kafka-config", &options.kafka_config),
                                    std::pair("--topic-prefix", &options.topic_prefix),
                                    std::pair("--timeout", &options.timeout)}) {
    if (!value->empty()) return UsageError(absl::StrCat(name, " goes with --log kafka"));
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
