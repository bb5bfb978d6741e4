// What was: the market's state at any moment, rebuilt from the events.
//
//   absl::StatusOr<StateReport> report = RebuildAt(source, {.offset = 1000}, Replica(), progress);
//
// It runs the same Market as production and keeps the digest chain, and the lists of what was
// rejected and preempted (replica.h). The same inputs give the same report. Not thread-safe.
#ifndef QMARKET_REPLAY_REBUILD_H_
#define QMARKET_REPLAY_REBUILD_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"

#include "events/event.h"
#include "events/fingerprint.h"
#include "matcher/core/view.h"
#include "matcher/process/replica.h"
#include "replay/input_source.h"

namespace qmarket {

// The document of `qmarket replay` (the contract). Everything by name, but for the lists, which are
// in the order of the log.
struct StateReport {
  std::optional<std::uint64_t> offset;  // of the last event
  std::optional<std::int64_t> time_ms;  // effective, of the last event that was not rejected
  Digest digest{};
  std::uint64_t cycles = 0;   // that have cleared
  MarketConfigured settings;  // in force since the last tick
  std::vector<TeamView> teams;
  std::vector<PoolView> pools;
  std::vector<ResourceView> resources;  // with supply or standing bids at the last cycle
  std::vector<BidView> bids;
  std::vector<RejectedEvent> rejected;
  std::vector<PreemptedBid> preempted;
};

// Walks the whole state.
[[nodiscard]] StateReport ReportOf(const Replica& replica);

// Until when to rebuild; with neither, to the end.
struct Moment {
  std::optional<std::uint64_t> offset;  // this offset is the last one applied
  // All that took effect at or before this time is applied. Later ones are not, and where the first
  // of them stands in the log, the rebuilding ends.
  std::optional<std::int64_t> time_ms;
};

// How far it is: events applied since the beginning of the log. Called often.
using RebuildProgress = std::function<void(std::uint64_t events)>;

// The state at `moment`. `start` is where `source` begins: it has applied all inputs before, and
// none that is later than the moment. Errors: those of the source; OutOfRange where it ends before
// moment.offset.
[[nodiscard]] absl::StatusOr<StateReport> RebuildAt(InputSource& source, const Moment& moment,
                                                    Replica start, const RebuildProgress& progress);

// Applies all that `source` has.
[[nodiscard]] absl::Status ApplyAll(InputSource& source, Replica& replica,
                                    const RebuildProgress& progress);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_REBUILD_H_
