// A cluster trace as read from files: jobs, supply, and what is known of the pools.
//
// Times and durations are milliseconds (the files have seconds, with up to three decimals). Plain
// values; the readers are pure functions of the text. Column names are those of docs/simulate.md.
#ifndef QMARKET_CONNECTORS_SIMULATE_TRACE_H_
#define QMARKET_CONNECTORS_SIMULATE_TRACE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace qmarket {

struct TraceJob {
  std::string id;
  std::int64_t submit_ms = 0;
  std::string team;
  std::string pool;
  std::string resource;
  std::uint32_t chips = 0;
  std::int64_t duration_ms = 0;  // running time on `chips` chips

  friend bool operator==(const TraceJob&, const TraceJob&) = default;
};

// From `time_ms` on, `owner` has `chips` chips of `resource` in all.
struct TraceSupply {
  std::int64_t time_ms = 0;
  std::string owner;  // a pool; empty: shared
  std::string resource;
  std::uint32_t chips = 0;

  friend bool operator==(const TraceSupply&, const TraceSupply&) = default;
};

struct TracePool {
  std::string pool;
  std::optional<std::int64_t> share_micros;   // its part of the market weights, in any unit
  std::optional<std::int64_t> weight_micros;  // its market weight, micro-credits an hour
  std::optional<bool> lend_idle;

  friend bool operator==(const TracePool&, const TracePool&) = default;
};

struct Trace {
  std::vector<TraceJob> jobs;       // by submit time, then place in the file
  std::vector<TraceSupply> supply;  // by time, then place in the file
  std::vector<TracePool> pools;     // empty where there is no such file
};

// `file` is the name for messages. Errors: InvalidArgument with file, line, column, value and what
// was expected.
[[nodiscard]] absl::StatusOr<std::vector<TraceJob>> ParseJobs(absl::string_view file,
                                                              std::string text);
[[nodiscard]] absl::StatusOr<std::vector<TraceSupply>> ParseSupply(absl::string_view file,
                                                                   std::string text);
[[nodiscard]] absl::StatusOr<std::vector<TracePool>> ParsePools(absl::string_view file,
                                                                std::string text);

// A whole file, or stdin for "-". Errors: those of InputFile.
[[nodiscard]] absl::StatusOr<std::string> ReadWholeFile(const std::string& path);

// The three files; `pools_path` may be empty.
[[nodiscard]] absl::StatusOr<Trace> ReadTrace(const std::string& jobs_path,
                                              const std::string& supply_path,
                                              const std::string& pools_path);

// The text of a file that ParseJobs or ParseSupply reads back.
[[nodiscard]] std::string JobsCsv(const std::vector<TraceJob>& jobs);
[[nodiscard]] std::string SupplyCsv(const std::vector<TraceSupply>& supply);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_TRACE_H_
