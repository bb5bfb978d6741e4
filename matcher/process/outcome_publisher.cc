#include "matcher/process/outcome_publisher.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
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

#include "events/event_log.h"
#include "events/kafka/broker_contact.h"
#include "events/kafka/last_record.h"
#include "events/kafka/record_headers.h"
#include "events/kafka/transactional_producer.h"
#include "ledger/store/store.h"
#include "matcher/process/outbox.h"

namespace qmarket {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(5);
constexpr absl::Duration kForAnswer = absl::Seconds(5);
// A transaction that is open for longer than a minute is aborted by the brokers, and its producer
// is fenced as if another one had taken over.
constexpr absl::Duration kLongOutage = absl::Seconds(20);

}  // namespace

class OutcomePublisher::Impl {
 public:
  Impl(const LedgerStore& store, PublisherOptions options)
      : options_(std::move(options)),
        outbox_(store, options_.topics, options_.mirror_json),
        thread_([this] { Run(); }) {}

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    work_.notify_all();
    thread_.join();
  }

  void Publish(std::uint64_t next_offset) {
    const std::lock_guard lock(mutex_);
    if (next_offset <= durable_) return;
    durable_ = next_offset;
    work_.notify_all();
  }

  void Tick(std::string record) {
    const std::lock_guard lock(mutex_);
    tick_ = std::move(record);
    work_.notify_all();
  }

  [[nodiscard]] bool ready() const { return ready_; }

  [[nodiscard]] std::uint64_t published() const { return published_; }

  [[nodiscard]] absl::Status status() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  struct Work {
    std::uint64_t durable = 0;
    std::optional<std::string> tick;
  };

  // Session after session, until one ends for good.
  void Run() {
    absl::Duration pause = kFirstPause;
    while (!stop_) {
      const absl::Time start = absl::Now();
      const absl::Status status = Session();
      if (stop_) return;
      if (absl::Now() - start > kLongestPause) pause = kFirstPause;
      if (!MayGoOn(status)) {
        const std::lock_guard lock(mutex_);
        status_ = status;
        ready_ = false;
        return;
      }
      Report(absl::StrCat("publishing is interrupted (", status.message(), "): opening it again"));
      std::unique_lock lock(mutex_);
      work_.wait_for(lock, absl::ToChronoMilliseconds(pause), [this] { return stop_.load(); });
      pause = std::min(2 * pause, kLongestPause);
    }
  }

  // The brokers fence a producer whose transaction was open for too long, too.
  [[nodiscard]] bool MayGoOn(const absl::Status& status) const {
    if (absl::IsUnavailable(status)) return true;
    const BrokerContact* const contact = options_.kafka.contact.get();
    return absl::IsAborted(status) && contact != nullptr && contact->WasAway(kLongOutage, worked_);
  }

  // Takes over, finds out how far the topic is, and publishes from there on until something breaks.
  absl::Status Session() {
    absl::StatusOr<std::unique_ptr<TransactionalProducer>> producer = TransactionalProducer::Open(
        options_.kafka, absl::StrCat("qmarket/", options_.topics.outcomes), Topics(), stop_);
    if (!producer.ok()) return producer.status();
    // Brokers that go away meanwhile end the session, and the next one waits for them.
    KafkaConfig soon = options_.kafka;
    soon.timeout = kForAnswer;
    soon.patience = kForAnswer;
    soon.stopped = [this] { return stop_.load(); };
    const absl::StatusOr<std::optional<LogRecord>> last =
        ReadLastRecord(soon, options_.topics.outcomes, stop_);
    if (!last.ok()) return last.status();
    std::optional<LogRecord> unchecked = *last;
    place_ = {};
    if (last->has_value()) {
      const absl::StatusOr<OutcomePlace> place = Outbox::PlaceOf(**last);
      if (!place.ok()) return place.status();
      place_ = {.offset = place->offset, .index = place->index + 1};
    }
    published_ = place_.offset;
    worked_ = absl::Now();
    Report(absl::StrCat("owns the market: publishing from offset ", place_.offset, " on"));
    ready_ = true;
    while (true) {
      const Work work = WaitForWork();
      if (stop_) return absl::OkStatus();
      if (work.tick.has_value()) {
        if (absl::Status status = CommitTick(**producer, *work.tick); !status.ok()) {
          return Explain(status);
        }
      }
      if (work.durable <= place_.offset) continue;
      if (unchecked.has_value()) {
        if (absl::Status status = outbox_.Check(*unchecked); !status.ok()) return status;
        unchecked.reset();
      }
      const absl::StatusOr<OutboxBatch> batch = outbox_.Next(place_, work.durable);
      if (!batch.ok()) return batch.status();
      if (!batch->records.empty()) {
        if (absl::Status status = (*producer)->Commit(batch->records); !status.ok()) {
          return Explain(status);
        }
      }
      worked_ = absl::Now();
      place_ = batch->next;
      published_ = place_.offset;
    }
  }

  [[nodiscard]] std::vector<std::string> Topics() const {
    std::vector<std::string> topics = {options_.topics.events, options_.topics.outcomes};
    if (options_.mirror_json) topics.push_back(options_.topics.outcomes_json);
    return topics;
  }

  // Waits for a tick, or until the offset at the place is durable.
  Work WaitForWork() {
    std::unique_lock lock(mutex_);
    work_.wait(lock, [&] { return stop_ || tick_.has_value() || durable_ > place_.offset; });
    return {.durable = durable_, .tick = tick_};
  }

  absl::Status CommitTick(TransactionalProducer& producer, const std::string& tick) {
    const KeyedRecord record = {.topic = options_.topics.events,
                                .key = "",
                                .value = tick,
                                .headers = HeadersOfEvent(options_.topics.market, tick)};
    if (absl::Status status = producer.Commit({&record, 1}); !status.ok()) return status;
    worked_ = absl::Now();
    const std::lock_guard lock(mutex_);
    if (tick_ == tick) tick_.reset();
    return absl::OkStatus();
  }

  static absl::Status Explain(const absl::Status& status) {
    if (!absl::IsAborted(status)) return status;
    return absl::AbortedError(
        absl::StrCat("another matcher has taken it over, or this one was stopped for longer than a "
                     "transaction may take; this one publishes nothing more (",
                     status.message(), ")"));
  }

  void Report(const std::string& line) {
    if (options_.on_report) {
      options_.on_report(absl::StrCat("market ", options_.topics.market, ": ", line));
    }
  }

  const PublisherOptions options_;
  const Outbox outbox_;
  // The thread's alone.
  OutcomePlace place_;                        // of the next outcome
  absl::Time worked_ = absl::InfinitePast();  // its last transaction, or the beginning
  std::atomic<bool> stop_ = false;
  std::atomic<bool> ready_ = false;
  std::atomic<std::uint64_t> published_ = 0;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable work_;
  std::uint64_t durable_ = 0;
  std::optional<std::string> tick_;
  absl::Status status_;
  std::thread thread_;  // last: it uses all of the above
};

OutcomePublisher::OutcomePublisher(const LedgerStore& store, PublisherOptions options)
    : impl_(std::make_unique<Impl>(store, std::move(options))) {}

OutcomePublisher::~OutcomePublisher() = default;

void OutcomePublisher::Publish(std::uint64_t next_offset) {
  impl_->Publish(next_offset);
}

void OutcomePublisher::Tick(std::string record) {
  impl_->Tick(std::move(record));
}

bool OutcomePublisher::ready() const {
  return impl_->ready();
}

std::uint64_t OutcomePublisher::published() const {
  return impl_->published();
}

absl::Status OutcomePublisher::status() const {
  return impl_->status();
}

}  // namespace qmarket
