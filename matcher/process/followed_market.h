// A market that a matcher follows: its log, the ledger's store and the checkpoints in its folder,
// and the engine over them. What `run` with either log has in common.
//
//   absl::StatusOr<std::unique_ptr<FollowedMarket>> market = FollowedMarket::Open(log, options);
//   (*market)->engine().FollowBatch(UINT64_MAX);   // again and again
//   absl::Status status = (*market)->Finish();
//
// Not thread-safe, but for the queries of the store.
#ifndef QMARKET_MATCHER_PROCESS_FOLLOWED_MARKET_H_
#define QMARKET_MATCHER_PROCESS_FOLLOWED_MARKET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/event_log.h"
#include "ledger/store/store.h"
#include "matcher/process/engine.h"
#include "matcher/process/tick_schedule.h"

namespace qmarket {

struct FollowedMarketOptions {
  std::string dir;                       // the market's folder (data_dir.h)
  std::size_t max_batch_records = 1024;  // engine.h, as the next
  std::optional<std::uint64_t> checkpoint_records{};
  std::string role{};  // said at the start, behind the digest: ", follows and publishes nothing"
  // As in engine.h.
  std::function<bool(std::uint64_t done, std::uint64_t all)> on_rebuild{};
  std::function<void(absl::Span<const AppliedStep>)> on_durable{};
  std::function<void(const std::string& line)> on_report;  // one line for people
};

class FollowedMarket {
 public:
  // Makes the folder where there is none. `log` must outlive it. Errors: Unavailable, another
  // process has the store; those of the store and the engine.
  static absl::StatusOr<std::unique_ptr<FollowedMarket>> Open(EventLog& log,
                                                              FollowedMarketOptions options);

  FollowedMarket(const FollowedMarket&) = delete;
  FollowedMarket& operator=(const FollowedMarket&) = delete;

  [[nodiscard]] Engine& engine() { return *engine_; }

  [[nodiscard]] const LedgerStore& store() const { return *store_; }

  // How long until the next tick, at most `most`.
  [[nodiscard]] absl::Duration UntilTick(const TickSchedule& ticks, absl::Duration most) const;

  // The tick that is due now, as a record, if there is one. Errors: ResourceExhausted, the disk is
  // nearly full.
  [[nodiscard]] absl::StatusOr<std::optional<std::string>> TickIfDue(TickSchedule& ticks) const;

  // Makes all that was applied durable, leaves a checkpoint, and says where it stands.
  [[nodiscard]] absl::Status Finish();

 private:
  explicit FollowedMarket(FollowedMarketOptions options) : options_(std::move(options)) {}

  [[nodiscard]] absl::Status OpenStore(const std::string& log_identity);
  [[nodiscard]] absl::Status OpenEngine(EventLog& log);
  [[nodiscard]] std::string Standing() const;

  FollowedMarketOptions options_;
  std::unique_ptr<LedgerStore> store_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_FOLLOWED_MARKET_H_
