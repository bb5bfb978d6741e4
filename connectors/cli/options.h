// Options that mean the same in every command, and readers of their values.
//
// Values are kept as text where CLI11 reads too much into them (it takes "010" for 8); the readers
// here are strict and return UsageError.
#ifndef QMARKET_CONNECTORS_CLI_OPTIONS_H_
#define QMARKET_CONNECTORS_CLI_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/output.h"

// Whoever includes this for its values needs none of CLI11, which is long to compile.
namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace qmarket {

inline constexpr char kDefaultDataDir[] = "qmarket-data";

// --data DIR
CLI::Option* AddDataOption(CLI::App& app, std::string& data_dir);

// --format table|json|csv
CLI::Option* AddFormatOption(CLI::App& app, Format& format);

// Which log, and which market: --log, --market, and the Kafka cluster.
struct LogOptions {
  std::string log = "embedded";
  std::string market = "main";
  std::string brokers{};
  std::string kafka_config{};
  std::string topic_prefix{};  // empty: the default
  std::string timeout{};       // likewise; in seconds
  bool pattern = false;        // `market` is a regular expression over names
  bool follows = false;        // brokers that go away later are waited for without end

  [[nodiscard]] bool kafka() const { return log == "kafka"; }
};

// All of them.
void AddLogOptions(CLI::App& app, LogOptions& options);

// All but --log, for commands that are about Kafka alone.
void AddKafkaOptions(CLI::App& app, LogOptions& options);

// UsageError where they are not of their form or do not go together.
[[nodiscard]] absl::Status CheckLogOptions(const LogOptions& options);

// --topic-prefix, or its default.
[[nodiscard]] std::string TopicPrefixOf(const LogOptions& options);

// How long the brokers may be away at the start, in seconds: --timeout, or its default.
[[nodiscard]] absl::StatusOr<std::uint64_t> TimeoutSeconds(const LogOptions& options);

// A moment: ISO 8601 in UTC ("2026-01-01T00:00:00Z", "2026-01-01 00:00", "2026-01-01"; an offset
// such as "+02:00" is honoured) or milliseconds since the epoch. `option` is named in the error.
[[nodiscard]] absl::StatusOr<std::int64_t> ParseTime(absl::string_view option,
                                                     absl::string_view text);

// A whole number from 0.
[[nodiscard]] absl::StatusOr<std::uint64_t> ParseCount(absl::string_view option,
                                                       absl::string_view text);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_OPTIONS_H_
