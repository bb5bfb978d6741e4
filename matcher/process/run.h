// The long-running matcher on a data directory: `qmarket run` with the embedded log.
//
// It opens the log and the store (engine.h), takes appends of other processes (append_service.h),
// and applies what arrives, durably. Every cycle_ms it appends a ClockTicked, whose event_id is
// unique over all runs, and reports the cycle. SIGINT and SIGTERM end it: what was applied is
// committed, and RunMatcher returns OK. Call it before other threads are started, or with these
// signals blocked in all of them.
#ifndef QMARKET_MATCHER_PROCESS_RUN_H_
#define QMARKET_MATCHER_PROCESS_RUN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace qmarket {

struct RunOptions {
  std::string data_dir;
  // Adds no ticks and takes no appends; applies what is in the log at the start, and returns when
  // that is durable.
  bool once = false;
  // A commit takes at most so many records (engine.h).
  std::size_t max_batch_records = 1024;
  // A checkpoint after so many records (engine.h).
  std::optional<std::uint64_t> checkpoint_records{};
  // While the state is rebuilt from the log: how many of how many offsets are done. Called often.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_rebuild{};
  // One line for people about a start, a cycle, an end, or trouble. From one thread.
  std::function<void(const std::string& line)> on_report{};
};

// Errors: Unavailable, another process runs on the directory, or is appending to it for long;
// those of the log, the store and the engine. ResourceExhausted means a full disk: nothing is lost,
// and it can be started again once there is room.
[[nodiscard]] absl::Status RunMatcher(const RunOptions& options);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_RUN_H_
