// A market at a place in the log, with what is kept of the way there: the digest chain, and the
// lists of what was rejected and preempted.
//
//   Replica replica;
//   Replica::Applied applied = replica.Apply(input);
//
// The engine keeps one, a replay rebuilds one, a checkpoint (checkpoint.h) holds one. The same
// inputs give the same replica. Not thread-safe; a value that owns all its state.
#ifndef QMARKET_MATCHER_PROCESS_REPLICA_H_
#define QMARKET_MATCHER_PROCESS_REPLICA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

#include "events/digest.h"
#include "events/fingerprint.h"
#include "events/outcome.h"
#include "matcher/core/image.h"
#include "matcher/core/input.h"
#include "matcher/core/market.h"

namespace qmarket {

struct RejectedEvent {
  std::string event_id;
  std::uint64_t offset = 0;
  RejectionCode code = RejectionCode::kMalformed;

  friend bool operator==(const RejectedEvent&, const RejectedEvent&) = default;
};

// A standing bid lost all its chips.
struct PreemptedBid {
  std::string bid;
  std::uint64_t offset = 0;
  std::string reason;

  friend bool operator==(const PreemptedBid&, const PreemptedBid&) = default;
};

// How much there was of all that only grows.
struct ReplicaMark {
  ImageMark market;
  std::size_t rejected = 0;
  std::size_t preempted = 0;
};

class Replica {
 public:
  // What an input led to; `canonical` are the bytes of its outcomes, empty where there are none.
  struct Applied {
    Step step;
    std::string canonical;
  };

  Replica() = default;

  // What a checkpoint holds. The lists are whole.
  struct Parts {
    Market market;
    Digest digest{};
    std::optional<std::uint64_t> offset;
    std::uint64_t events = 0;
    std::vector<RejectedEvent> rejected;
    std::vector<PreemptedBid> preempted;
  };

  explicit Replica(Parts parts);

  // Offsets must grow from call to call.
  Applied Apply(const Input& input);

  [[nodiscard]] const Market& market() const { return market_; }

  // Of the chain over all outcomes so far (digest.h).
  [[nodiscard]] const Digest& digest() const { return digest_.value(); }

  // Of the last input; none before the first.
  [[nodiscard]] std::optional<std::uint64_t> offset() const { return offset_; }

  // How many inputs were applied.
  [[nodiscard]] std::uint64_t events() const { return events_; }

  // In the order of the log.
  [[nodiscard]] absl::Span<const RejectedEvent> rejected() const { return rejected_; }

  [[nodiscard]] absl::Span<const PreemptedBid> preempted() const { return preempted_; }

  [[nodiscard]] ReplicaMark mark() const {
    return {market_.image_mark(), rejected_.size(), preempted_.size()};
  }

 private:
  Market market_;
  DigestChain digest_;
  std::optional<std::uint64_t> offset_;
  std::uint64_t events_ = 0;
  std::vector<RejectedEvent> rejected_;
  std::vector<PreemptedBid> preempted_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_REPLICA_H_
