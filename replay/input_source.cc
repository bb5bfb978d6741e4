#include "replay/input_source.h"

#include <optional>
#include <utility>

#include "events/event_codec.h"
#include "events/fingerprint.h"
#include "matcher/process/record.h"

namespace qmarket {
namespace {

constexpr std::size_t kBatchRecords = 1024;
constexpr std::size_t kBatchBytes = 1U << 20U;
constexpr std::size_t kBatchesAhead = 8;

Input InputOfEvent(Event event) {
  Input input;
  input.id = FingerprintOf(event.event_id);
  input.content = FingerprintOf(CanonicalEvent(event));
  input.event = std::move(event);
  return input;
}

}  // namespace

absl::StatusOr<std::vector<Input>> LineSource::Next() {
  std::vector<Input> inputs;
  inputs.reserve(kBatchRecords);
  while (inputs.size() < kBatchRecords) {
    absl::StatusOr<std::optional<Event>> event = reader_.Next();
    if (!event.ok()) return event.status();
    if (!event->has_value()) break;
    inputs.push_back(InputOfEvent(**std::move(event)));
    inputs.back().offset = next_offset_++;
  }
  return inputs;
}

absl::StatusOr<std::vector<Input>> LogSource::Next() {
  std::vector<Input> inputs;
  while (inputs.empty() && next_offset_ < end_) {
    absl::StatusOr<LogBatch> batch = log_.Read(next_offset_, kBatchRecords, kBatchBytes);
    if (!batch.ok()) return batch.status();
    if (batch->records.empty() && batch->at_end) break;
    inputs.reserve(batch->records.size());
    for (const LogRecord& record : batch->records) {
      if (record.offset >= end_) break;
      inputs.push_back(InputOf(record));
    }
    next_offset_ = batch->next_offset;
  }
  return inputs;
}

Prefetcher::Prefetcher(InputSource& source) : source_(source), thread_([this] { ReadAhead(); }) {}

Prefetcher::~Prefetcher() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Prefetcher::ReadAhead() {
  bool more = true;
  while (more) {
    absl::StatusOr<std::vector<Input>> batch = source_.Next();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopped_ || batches_.size() < kBatchesAhead; });
    more = batch.ok() && !batch->empty() && !stopped_;
    if (more) {
      batches_.push_back(*std::move(batch));
    } else {
      ended_ = true;
      status_ = batch.status();
    }
    lock.unlock();
    changed_.notify_all();
  }
}

absl::StatusOr<std::vector<Input>> Prefetcher::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return ended_ || !batches_.empty(); });
  std::vector<Input> batch;
  if (!batches_.empty()) {
    batch = std::move(batches_.front());
    batches_.pop_front();
  } else if (!status_.ok()) {
    return status_;
  }
  lock.unlock();
  changed_.notify_all();
  return batch;
}

}  // namespace qmarket
