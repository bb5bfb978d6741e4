// What was: the market's state at any moment, rebuilt from the events.
//
//   Rebuild rebuild;
//   absl::Status status = RebuildAt(source, {.offset = 1000}, rebuild);
//   StateReport report = rebuild.Report();
//
// It runs the same Market as production and keeps the digest chain, and the lists of what was
// rejected and preempted. The same inputs give the same report. Not thread-safe.
#ifndef QMARKET_REPLAY_REBUILD_H_
#define QMARKET_REPLAY_REBUILD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "events/digest.h"
#include "events/event.h"
#include "events/outcome.h"
#include "matcher/core/input.h"
#include "matcher/core/market.h"
#include "matcher/core/view.h"
#include "replay/input_source.h"

namespace qmarket {

struct RejectedEvent {
  std::string event_id;
  std::uint64_t offset = 0;
  RejectionCode code = RejectionCode::kMalformed;
};

// A standing bid lost all its chips.
struct PreemptedBid {
  std::string bid;
  std::uint64_t offset = 0;
  std::string reason;
};

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

// How far the parts of a report got that only ever grow.
struct RebuildLists {
  std::optional<std::uint64_t> offset;
  Digest digest{};
  std::size_t rejected = 0;
  std::size_t preempted = 0;
};

class Rebuild {
 public:
  // Offsets must grow from call to call. Returns whether the event had an effect.
  bool Apply(const Input& input);

  [[nodiscard]] const Market& market() const { return market_; }

  [[nodiscard]] const Digest& digest() const { return digest_.value(); }

  [[nodiscard]] std::optional<std::uint64_t> offset() const { return offset_; }

  [[nodiscard]] std::uint64_t events() const { return events_; }

  // Walks the whole state.
  [[nodiscard]] StateReport Report() const;

  // The growing parts now, and a report's growing parts as they were then.
  [[nodiscard]] RebuildLists lists() const;
  void FillLists(const RebuildLists& lists, StateReport& report) const;

 private:
  bool Record(std::uint64_t offset, const std::vector<Outcome>& outcomes);

  Market market_;
  DigestChain digest_;
  std::optional<std::uint64_t> offset_;
  std::uint64_t events_ = 0;
  std::vector<RejectedEvent> rejected_;
  std::vector<PreemptedBid> preempted_;
  std::string bytes_;  // of the outcomes of a step; kept for its memory
};

// Until when to rebuild; with neither, to the end.
struct Moment {
  std::optional<std::uint64_t> offset;  // this offset is the last one applied
  // All that took effect at or before this time is applied. Later ones are not, and where the first
  // of them stands in the log, the rebuilding ends.
  std::optional<std::int64_t> time_ms;
};

// How far it is: events applied so far. Called often.
using RebuildProgress = std::function<void(std::uint64_t events)>;

// The state at `moment`. Errors: those of the source; OutOfRange where it ends before
// moment.offset.
[[nodiscard]] absl::StatusOr<StateReport> RebuildAt(InputSource& source, const Moment& moment,
                                                    const RebuildProgress& progress);

}  // namespace qmarket

#endif  // QMARKET_REPLAY_REBUILD_H_
