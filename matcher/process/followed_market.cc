#include "matcher/process/followed_market.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

#include "events/event.h"
#include "events/event_codec.h"
#include "events/fingerprint.h"
#include "matcher/core/market.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/disk_space.h"

namespace qmarket {
namespace {

std::int64_t NowMs() {
  return absl::ToUnixMillis(absl::Now());
}

}  // namespace

absl::StatusOr<std::unique_ptr<FollowedMarket>> FollowedMarket::Open(
    EventLog& log, FollowedMarketOptions options) {
  std::unique_ptr<FollowedMarket> market(new FollowedMarket(std::move(options)));
  if (absl::Status opened = market->OpenStore(log.Identity()); !opened.ok()) return opened;
  if (absl::Status opened = market->OpenEngine(log); !opened.ok()) return opened;
  market->options_.on_report(
      absl::StrCat("started at ", market->Standing(), market->options_.role));
  return market;
}

absl::Status FollowedMarket::OpenStore(const std::string& log_identity) {
  std::error_code error;
  std::filesystem::create_directories(options_.dir, error);
  if (error) {
    return absl::InternalError(
        absl::StrCat("cannot make the folder ", options_.dir, ": ", error.message()));
  }
  const std::string dir = StoreDir(options_.dir);
  absl::StatusOr<std::unique_ptr<LedgerStore>> store =
      LedgerStore::Open(dir, LedgerStore::Mode::kReadWrite,
                        {.log_identity = log_identity, .rules_version = kRulesVersion});
  if (absl::IsUnavailable(store.status())) {
    return absl::UnavailableError(
        absl::StrCat("another qmarket run has the ledger in ", dir,
                     " open: stop it, or give this one a --data folder of its own"));
  }
  if (!store.ok()) return store.status();
  store_ = *std::move(store);
  return absl::OkStatus();
}

absl::Status FollowedMarket::OpenEngine(EventLog& log) {
  EngineOptions options;
  options.max_batch_records = options_.max_batch_records;
  options.checkpoints_dir = CheckpointsDir(options_.dir);
  options.checkpoint_records = options_.checkpoint_records;
  options.on_note = options_.on_report;
  options.on_rebuild = options_.on_rebuild;
  options.on_durable = options_.on_durable;
  absl::StatusOr<std::unique_ptr<Engine>> engine =
      Engine::Open(log, store_.get(), std::move(options));
  if (!engine.ok()) return engine.status();
  engine_ = *std::move(engine);
  return absl::OkStatus();
}

std::string FollowedMarket::Standing() const {
  return absl::StrCat("offset ", engine_->next_offset(), ", digest ", ToHex(engine_->digest()));
}

absl::Duration FollowedMarket::UntilTick(const TickSchedule& ticks, absl::Duration most) const {
  const std::int64_t wait_ms = ticks.NextMs(engine_->market().settings().cycle_ms) - NowMs();
  return std::min(absl::Milliseconds(std::max(wait_ms, std::int64_t{0})), most);
}

absl::StatusOr<std::optional<std::string>> FollowedMarket::TickIfDue(TickSchedule& ticks) const {
  const std::optional<Event> tick = ticks.Due(NowMs(), engine_->market().settings().cycle_ms);
  if (!tick.has_value()) return std::nullopt;
  if (absl::Status room = CheckDiskSpace(options_.dir); !room.ok()) return room;
  return EncodeEvent(*tick);
}

absl::Status FollowedMarket::Finish() {
  if (absl::Status flushed = engine_->Flush(); !flushed.ok()) return flushed;
  engine_->Checkpoint();
  options_.on_report(absl::StrCat("stopped at ", Standing()));
  return absl::OkStatus();
}

}  // namespace qmarket
