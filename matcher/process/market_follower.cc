#include "matcher/process/market_follower.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/kafka/kafka_log.h"
#include "events/kafka/topic_admin.h"
#include "matcher/process/cycle_report.h"
#include "matcher/process/engine.h"
#include "matcher/process/followed_market.h"
#include "matcher/process/outcome_publisher.h"
#include "matcher/process/tick_schedule.h"

namespace qmarket {
namespace {

// How often changes of ownership and the end are looked for.
constexpr absl::Duration kLookAround = absl::Milliseconds(100);

std::int64_t NowMs() {
  return absl::ToUnixMillis(absl::Now());
}

}  // namespace

class MarketFollower::Impl {
 public:
  explicit Impl(FollowerOptions options) : options_(std::move(options)), kafka_(options_.kafka) {
    kafka_.stopped = [this] { return stop_.load(); };
    thread_ = std::thread([this] { Run(); });
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() { Stop(); }

  void Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }

  void Own() { wants_to_own_ = true; }

  void Release() {
    wants_to_own_ = false;
    const std::lock_guard lock(mutex_);
    publisher_.reset();
    ticks_.reset();
  }

  [[nodiscard]] bool owns() const { return wants_to_own_; }

  [[nodiscard]] bool ended() const { return ended_; }

  [[nodiscard]] absl::Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  void Run() {
    absl::Status status = Open();
    if (status.ok()) status = options_.once ? FollowOnce() : Follow();
    // Stopped while brokers are waited for, or the state is rebuilt: nothing is to be saved.
    if (stop_ && (absl::IsCancelled(status) || absl::IsUnavailable(status))) {
      status = absl::OkStatus();
    }
    {
      const std::lock_guard lock(mutex_);
      publisher_.reset();
    }
    if (status.ok() && market_ != nullptr) status = market_->Finish();
    const std::lock_guard lock(mutex_);
    if (!status.ok()) {
      status_ = absl::Status(
          status.code(), absl::StrCat("market ", options_.topics.market, ": ", status.message()));
    }
    ended_ = true;
  }

  absl::Status Open() {
    const absl::StatusOr<std::vector<TopicReport>> reports = CheckTopics(
        kafka_, options_.topics, {.replication = 0, .mirror_json = options_.mirror_json});
    if (!reports.ok()) return reports.status();
    if (absl::Status problem = TopicProblem(
            *reports, CreateTopicsCommand(options_.kafka, options_.topics, options_.mirror_json));
        !problem.ok()) {
      return problem;
    }
    absl::StatusOr<std::unique_ptr<KafkaLog>> log = KafkaLog::Open(kafka_, options_.topics);
    if (!log.ok()) return log.status();
    log_ = *std::move(log);
    absl::StatusOr<std::unique_ptr<FollowedMarket>> market = FollowedMarket::Open(
        *log_, {.dir = options_.dir,
                .max_batch_records = options_.max_batch_records,
                .checkpoint_records = options_.checkpoint_records,
                .role = wants_to_own_ ? "" : ", follows and publishes nothing",
                .on_rebuild =
                    [this](std::uint64_t done, std::uint64_t all) {
                      if (options_.on_rebuild) options_.on_rebuild(done, all);
                      return !stop_.load();
                    },
                .on_durable =
                    [this](absl::Span<const AppliedStep> steps) {
                      durable_ = steps.back().offset + 1;
                      for (const AppliedStep& step : steps)
                        ReportCycle(cycles_.Add(step.outcomes));
                    },
                .on_report = [this](const std::string& line) { Report(line); }});
    if (!market.ok()) return market.status();
    market_ = *std::move(market);
    durable_ = engine().next_offset();
    return absl::OkStatus();
  }

  Engine& engine() { return market_->engine(); }

  absl::Status Follow() {
    while (!stop_) {
      if (absl::Status status = TendPublisher(/*ticks=*/true); !status.ok()) return status;
      const absl::StatusOr<std::size_t> applied = engine().FollowBatch(UINT64_MAX);
      if (!applied.ok()) return applied.status();
      if (*applied > 0) continue;
      durable_ = engine().next_offset();
      const absl::StatusOr<bool> more = log_->WaitFor(engine().next_offset(), UntilTick());
      if (!more.ok()) return more.status();
    }
    return absl::OkStatus();
  }

  absl::Status FollowOnce() {
    // What a dead owner had left open is settled when this one has taken over.
    while (!stop_ && !options_.observe && !IsReady()) {
      if (absl::Status status = TendPublisher(/*ticks=*/false); !status.ok()) return status;
      absl::SleepFor(absl::Milliseconds(10));
    }
    if (stop_) return absl::OkStatus();
    const absl::StatusOr<std::uint64_t> end = log_->EndOffset();
    if (!end.ok()) return end.status();
    while (!stop_ && engine().next_offset() < *end) {
      if (absl::Status status = TendPublisher(/*ticks=*/false); !status.ok()) return status;
      const absl::StatusOr<std::size_t> applied = engine().FollowBatch(*end);
      if (!applied.ok()) return applied.status();
      if (*applied > 0) continue;
      const absl::StatusOr<bool> more = log_->WaitFor(engine().next_offset(), kLookAround);
      if (!more.ok()) return more.status();
    }
    if (absl::Status status = engine().Flush(); !status.ok()) return status;
    durable_ = engine().next_offset();
    while (!stop_ && !options_.observe && Published() < *end) {
      if (absl::Status status = TendPublisher(/*ticks=*/false); !status.ok()) return status;
      absl::SleepFor(absl::Milliseconds(1));
    }
    return absl::OkStatus();
  }

  bool IsReady() {
    const std::lock_guard lock(mutex_);
    return publisher_ != nullptr && publisher_->ready();
  }

  std::uint64_t Published() {
    const std::lock_guard lock(mutex_);
    return publisher_ == nullptr ? 0 : publisher_->published();
  }

  // Has a publisher while the market is owned, tells it what is durable and when to tick, and hands
  // on its trouble.
  absl::Status TendPublisher(bool ticks) {
    const std::lock_guard lock(mutex_);
    if (!wants_to_own_) return absl::OkStatus();
    if (publisher_ == nullptr) {
      publisher_ = std::make_unique<OutcomePublisher>(
          market_->store(), PublisherOptions{.kafka = options_.kafka,
                                             .topics = options_.topics,
                                             .mirror_json = options_.mirror_json,
                                             .on_report = options_.on_report});
      ticks_.emplace(NowMs(), RandomRunId());
    }
    if (absl::Status status = publisher_->status(); !status.ok()) return status;
    publisher_->Publish(durable_);
    if (!ticks || !publisher_->ready()) return absl::OkStatus();
    const absl::StatusOr<std::optional<std::string>> tick = market_->TickIfDue(*ticks_);
    if (!tick.ok()) return tick.status();
    if (tick->has_value()) publisher_->Tick(**tick);
    return absl::OkStatus();
  }

  absl::Duration UntilTick() {
    const std::lock_guard lock(mutex_);
    if (!ticks_.has_value()) return kLookAround;
    return market_->UntilTick(*ticks_, kLookAround);
  }

  void Report(const std::string& line) {
    if (options_.on_report) {
      options_.on_report(absl::StrCat("market ", options_.topics.market, ": ", line));
    }
  }

  // Of a standby's cycles people hear from their owner.
  void ReportCycle(const std::string& line) {
    if (!line.empty() && wants_to_own_) Report(line);
  }

  const FollowerOptions options_;
  KafkaConfig kafka_;  // of the thread
  std::atomic<bool> stop_ = false;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> wants_to_own_ = false;

  // The thread's alone.
  std::unique_ptr<KafkaLog> log_;
  std::unique_ptr<FollowedMarket> market_;
  CycleReport cycles_;
  std::uint64_t durable_ = 0;

  mutable std::mutex mutex_;  // of what follows
  std::unique_ptr<OutcomePublisher> publisher_;
  std::optional<TickSchedule> ticks_;
  absl::Status status_;

  std::thread thread_;  // last: it uses all of the above
};

MarketFollower::MarketFollower(FollowerOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}

MarketFollower::~MarketFollower() = default;

void MarketFollower::Stop() {
  impl_->Stop();
}

void MarketFollower::Own() {
  impl_->Own();
}

void MarketFollower::Release() {
  impl_->Release();
}

bool MarketFollower::owns() const {
  return impl_->owns();
}

bool MarketFollower::ended() const {
  return impl_->ended();
}

absl::Status MarketFollower::status() const {
  return impl_->status();
}

}  // namespace qmarket
