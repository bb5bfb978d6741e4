// The market at any moment of its log: from the nearest checkpoint and the tail of the log behind
// it, or from the log alone. The answer is the same, and says which it is from.
//
//   absl::StatusOr<RebuiltReport> state = StateAt({log, CheckpointsDir(folder)}, {.offset = 1000},
//                                                 end, progress);
//   std::cerr << DescribeOrigin(state->origin);
#ifndef QMARKET_REPLAY_FROM_LOG_H_
#define QMARKET_REPLAY_FROM_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "events/event_log.h"
#include "matcher/process/replica.h"
#include "replay/rebuild.h"

namespace qmarket {

struct MarketLog {
  EventLog& log;
  std::string checkpoints_dir;  // empty: from the log alone
};

// What a state was made from.
struct RebuildOrigin {
  std::optional<std::uint64_t> checkpoint;  // its next offset; none: from the beginning of the log
  std::uint64_t events = 0;                 // applied behind it
  std::vector<std::string> skipped;         // checkpoints that were of no use, and why
};

// "from the checkpoint at offset 1,200 and the 34 events behind it", "from the log alone: 42,624
// events"
[[nodiscard]] std::string DescribeOrigin(const RebuildOrigin& origin);

struct RebuiltReport {
  StateReport report;
  RebuildOrigin origin;
};

struct RebuiltReplica {
  Replica replica;
  RebuildOrigin origin;
};

// The state at the moment, of the records below `end`. Errors: those of the log; OutOfRange where
// it ends before moment.offset.
[[nodiscard]] absl::StatusOr<RebuiltReport> StateAt(const MarketLog& market, const Moment& moment,
                                                    std::uint64_t end,
                                                    const RebuildProgress& progress);

// The market after all records below `end`. Errors: those of the log.
[[nodiscard]] absl::StatusOr<RebuiltReplica> ReplicaBefore(const MarketLog& market,
                                                           std::uint64_t end,
                                                           const RebuildProgress& progress);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_FROM_LOG_H_
