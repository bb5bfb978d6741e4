#include "matcher/process/run.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/embedded_log.h"
#include "events/event_log.h"
#include "matcher/process/append_service.h"
#include "matcher/process/appender.h"
#include "matcher/process/cycle_report.h"
#include "matcher/process/data_dir.h"
#include "matcher/process/engine.h"
#include "matcher/process/followed_market.h"
#include "matcher/process/stop_signal.h"
#include "matcher/process/tick_schedule.h"

namespace qmarket {
namespace {

// How long somebody else may have the log before this gives up.
constexpr absl::Duration kLogPatience = absl::Seconds(10);
constexpr absl::Duration kRetryPause = absl::Milliseconds(50);
// How often signals are looked for.
constexpr absl::Duration kLookAround = absl::Milliseconds(100);

std::int64_t NowMs() {
  return absl::ToUnixMillis(absl::Now());
}

class Runner {
 public:
  explicit Runner(const RunOptions& options) : options_(options) {}

  absl::Status Run() {
    if (absl::Status status = OpenLog(); !status.ok()) return status;
    const absl::StatusOr<std::uint64_t> end = log_->EndOffset();
    if (!end.ok()) return end.status();
    if (absl::Status status = Start(); !status.ok()) {
      // A signal while the state is rebuilt: nothing was applied, nothing is to be saved.
      return absl::IsCancelled(status) && stop_.Raised() ? absl::OkStatus() : status;
    }
    absl::Status status = options_.once ? ApplyUpTo(*end) : Serve();
    return status.ok() ? market_->Finish() : status;
  }

 private:
  absl::Status OpenLog() {
    const absl::Time deadline = absl::Now() + kLogPatience;
    while (true) {
      absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
          EmbeddedLog::Open(LogDir(options_.data_dir), EmbeddedLog::Mode::kReadWrite);
      if (log.ok()) {
        log_ = *std::move(log);
        return absl::OkStatus();
      }
      if (IsMatcherServing(options_.data_dir)) {
        return absl::UnavailableError(
            absl::StrCat("another matcher runs on ", options_.data_dir, ": stop it first"));
      }
      if (!absl::IsUnavailable(log.status()) || absl::Now() >= deadline || stop_.Raised()) {
        return log.status();
      }
      absl::SleepFor(kRetryPause);
    }
  }

  // Appends are taken while the state is still being rebuilt.
  absl::Status Start() {
    if (!options_.once) {
      absl::StatusOr<std::unique_ptr<AppendService>> service =
          AppendService::Start(*log_, SocketPath(options_.data_dir));
      if (!service.ok()) return service.status();
      service_ = *std::move(service);
    }
    absl::StatusOr<std::unique_ptr<FollowedMarket>> market = FollowedMarket::Open(
        *log_, {.dir = options_.data_dir,
                .max_batch_records = options_.max_batch_records,
                .checkpoint_records = options_.checkpoint_records,
                .on_rebuild =
                    [this](std::uint64_t done, std::uint64_t all) {
                      if (options_.on_rebuild) options_.on_rebuild(done, all);
                      return !stop_.Raised();
                    },
                .on_durable =
                    [this](absl::Span<const AppliedStep> steps) {
                      for (const AppliedStep& step : steps)
                        Report(cycles_.Add(step.outcomes));
                    },
                .on_report = [this](const std::string& line) { Report(line); }});
    if (!market.ok()) return market.status();
    market_ = *std::move(market);
    return absl::OkStatus();
  }

  // Stops early where a signal comes.
  absl::Status ApplyUpTo(std::uint64_t end) {
    std::size_t applied = 1;
    while (applied > 0 && !stop_.Raised()) {
      const absl::StatusOr<std::size_t> batch = market_->engine().FollowBatch(end);
      if (!batch.ok()) return batch.status();
      applied = *batch;
    }
    return absl::OkStatus();
  }

  absl::Status Serve() {
    TickSchedule ticks(NowMs(), RandomRunId());
    while (!stop_.Raised()) {
      const absl::StatusOr<std::optional<std::string>> tick = market_->TickIfDue(ticks);
      if (!tick.ok()) return tick.status();
      if (tick->has_value()) {
        absl::Status appended = log_->Append({**tick}, EventLog::Durability::kDurable).status();
        if (!appended.ok()) return appended;
      }
      const absl::StatusOr<std::size_t> applied = market_->engine().FollowBatch(UINT64_MAX);
      if (!applied.ok()) return applied.status();
      if (*applied > 0) continue;
      const absl::StatusOr<bool> more =
          log_->WaitFor(market_->engine().next_offset(), market_->UntilTick(ticks, kLookAround));
      if (!more.ok()) return more.status();
    }
    // What was acknowledged to appenders is in the log; it is applied at the next start.
    return absl::OkStatus();
  }

  void Report(const std::string& line) {
    if (options_.on_report && !line.empty()) options_.on_report(line);
  }

  const RunOptions& options_;
  StopSignal stop_;
  std::unique_ptr<EmbeddedLog> log_;
  std::unique_ptr<AppendService> service_;  // gone before the log is closed
  std::unique_ptr<FollowedMarket> market_;
  CycleReport cycles_;
};

}  // namespace

absl::Status RunMatcher(const RunOptions& options) {
  return Runner(options).Run();
}

}  // namespace qmarket
