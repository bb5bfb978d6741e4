#include "events/embedded_log.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "rocksdb/slice.h"
#include "rocksdb/write_batch.h"

#include "events/big_endian.h"
#include "events/check.h"
#include "events/durable_mark.h"
#include "events/log_record.h"
#include "events/log_store_internal.h"

namespace qmarket {
namespace {

constexpr std::size_t kMaxRecordBytes = 16 << 20;
constexpr std::size_t kMaxGroupBytes = 4 << 20;  // how much one write takes beyond its first call
constexpr absl::Duration kFollowInterval = absl::Milliseconds(20);
constexpr absl::Duration kLongestWait = absl::Hours(1);

std::int64_t SystemTimeMs() {
  return absl::ToUnixMillis(absl::Now());
}

// One call of Append or Sync that waits for its write.
struct Waiter {
  absl::Span<const std::string> records;
  bool durable = false;
  std::uint64_t first = 0;
  absl::Status status;
  bool done = false;
  std::condition_variable wake;
};

std::size_t BytesOf(absl::Span<const std::string> records) {
  std::size_t bytes = 0;
  for (const std::string& record : records)
    bytes += record.size();
  return bytes;
}

}  // namespace

// Writing is by turns: the call at the head of the queue writes for all that wait behind it, with
// one sync, and wakes them. So offsets are in the order of the writes, and a record is never there
// before an earlier one.
class EmbeddedLog::Impl {
 public:
  Impl(std::unique_ptr<LogStore> store, std::optional<DurableMark> mark, Options options)
      : store_(std::move(store)), mark_(std::move(mark)), clock_(std::move(options.clock)) {
    if (!clock_) clock_ = SystemTimeMs;
  }

  // Finds where the log ends. Call once, before all else.
  absl::Status FindEnd() {
    const std::lock_guard lock(mutex_);
    return UpdateEnd();
  }

  // What there is at the opening for writing was moved out of the journal, onto stable storage: a
  // writer that was killed has left it.
  absl::Status MarkFound() {
    const std::lock_guard lock(mutex_);
    return mark_->Write(end_);
  }

  absl::StatusOr<std::uint64_t> Enqueue(absl::Span<const std::string> records, bool durable) {
    Waiter waiter;
    waiter.records = records;
    waiter.durable = durable;
    std::unique_lock lock(mutex_);
    queue_.push_back(&waiter);
    waiter.wake.wait(lock, [&] { return waiter.done || queue_.front() == &waiter; });
    if (!waiter.done) WriteGroup(lock);
    if (!waiter.status.ok()) return waiter.status;
    return waiter.first;
  }

  // The end, with what another process has appended.
  absl::StatusOr<std::uint64_t> CurrentEnd() {
    const std::lock_guard lock(mutex_);
    if (absl::Status status = Follow(); !status.ok()) return status;
    return end_;
  }

  // The end, at least where `wanted` lies below it without looking for more.
  absl::StatusOr<std::uint64_t> EndFor(std::uint64_t wanted) {
    {
      const std::lock_guard lock(mutex_);
      if (wanted < end_) return end_;
    }
    return CurrentEnd();
  }

  absl::StatusOr<bool> WaitFor(std::uint64_t from, absl::Duration timeout) {
    const absl::Time deadline = absl::Now() + timeout;
    std::unique_lock lock(mutex_);
    while (true) {
      if (absl::Status status = Follow(); !status.ok()) return status;
      if (end_ > from) return true;
      const absl::Duration left = deadline - absl::Now();
      if (left <= absl::ZeroDuration()) return false;
      const absl::Duration step = writable() ? kLongestWait : kFollowInterval;
      grown_.wait_for(lock, absl::ToChronoMicroseconds(std::min(left, step)));
    }
  }

  [[nodiscard]] bool writable() const { return mark_.has_value(); }

  LogStore& store() { return *store_; }

 private:
  absl::Status Follow() {
    if (writable()) return absl::OkStatus();
    if (absl::Status status = store_->CatchUp(); !status.ok()) return status;
    return UpdateEnd();
  }

  absl::Status UpdateEnd() {
    absl::StatusOr<std::optional<LogRecord>> last = store_->LastRecord();
    if (!last.ok()) return last.status();
    if (!last->has_value()) return absl::OkStatus();
    end_ = std::max(end_, (*last)->offset + 1);
    last_time_ms_ = std::max(last_time_ms_, (*last)->append_time_ms);
    return absl::OkStatus();
  }

  // The calls that the next write serves: the head of the queue, and those behind it as far as they
  // fit.
  std::vector<Waiter*> NextGroup() {
    std::vector<Waiter*> group = {queue_.front()};
    std::size_t bytes = 0;
    for (std::size_t i = 1; i < queue_.size(); ++i) {
      bytes += BytesOf(queue_[i]->records);
      if (bytes > kMaxGroupBytes) break;
      group.push_back(queue_[i]);
    }
    return group;
  }

  // Writes for the head of the queue and those behind it; lets go of the mutex meanwhile.
  void WriteGroup(std::unique_lock<std::mutex>& lock) {
    const std::vector<Waiter*> group = NextGroup();
    absl::Status status = failure_;
    std::uint64_t end = end_;
    if (status.ok()) {
      last_time_ms_ = std::max(last_time_ms_, clock_());
      const std::int64_t time_ms = last_time_ms_;
      lock.unlock();
      status = WriteRecords(group, time_ms, end);
      lock.lock();
      failure_ = status;
    }
    if (status.ok()) end_ = end;
    for (Waiter* waiter : group) {
      QM_CHECK(queue_.front() == waiter, "appends left the queue out of turn");
      queue_.pop_front();
      waiter->status = status;
      waiter->done = true;
      waiter->wake.notify_one();
    }
    if (!queue_.empty()) queue_.front()->wake.notify_one();
    grown_.notify_all();
  }

  // Writes the records of a group from offset `end` on, and moves `end` behind them.
  absl::Status WriteRecords(const std::vector<Waiter*>& group, std::int64_t time_ms,
                            std::uint64_t& end) {
    rocksdb::WriteBatch batch;
    bool durable = false;
    for (Waiter* waiter : group) {
      waiter->first = end;
      durable = durable || waiter->durable;
      for (const std::string& record : waiter->records) {
        const BigEndian key = ToBigEndian(end);
        const auto header = LogValueHeader(end, time_ms, record);
        const rocksdb::Slice key_part(key.data(), key.size());
        const rocksdb::Slice value_parts[] = {{header.data(), header.size()},
                                              {record.data(), record.size()}};
        const rocksdb::Status put =
            batch.Put(rocksdb::SliceParts(&key_part, 1), rocksdb::SliceParts(value_parts, 2));
        QM_CHECK(put.ok(), "a record does not fit into a batch");
        ++end;
      }
    }
    absl::Status status;
    if (batch.Count() > 0) {
      status = store_->Write(batch, durable);
    } else if (durable) {
      status = store_->Sync();
    }
    if (status.ok() && durable) status = mark_->Write(end);
    return status;
  }

  const std::unique_ptr<LogStore> store_;
  std::optional<DurableMark> mark_;  // of a log open for writing; only the writing call uses it
  std::function<std::int64_t()> clock_;

  // Of all below; the private methods are called with it held, but for WriteRecords.
  std::mutex mutex_;
  std::condition_variable grown_;
  std::deque<Waiter*> queue_;
  absl::Status failure_;  // of the first write that failed
  std::uint64_t end_ = 0;
  std::int64_t last_time_ms_ = 0;
};

absl::StatusOr<std::unique_ptr<EmbeddedLog>> EmbeddedLog::Open(const std::string& dir, Mode mode,
                                                               Options options) {
  const bool write = mode == Mode::kReadWrite;
  absl::StatusOr<std::unique_ptr<LogStore>> store =
      write ? LogStore::OpenForWriting(dir) : LogStore::OpenForReading(dir);
  if (!store.ok()) return store.status();
  std::optional<DurableMark> mark;
  if (write) {
    absl::StatusOr<DurableMark> opened = DurableMark::Open(DurableMarkPath(dir));
    if (!opened.ok()) return opened.status();
    mark = *std::move(opened);
  }
  auto impl = std::make_unique<Impl>(*std::move(store), std::move(mark), std::move(options));
  if (absl::Status status = impl->FindEnd(); !status.ok()) return status;
  if (write) {
    if (absl::Status status = impl->MarkFound(); !status.ok()) return status;
  }
  return std::unique_ptr<EmbeddedLog>(new EmbeddedLog(std::move(impl)));
}

EmbeddedLog::EmbeddedLog(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

EmbeddedLog::~EmbeddedLog() = default;

absl::StatusOr<AppendedRange> EmbeddedLog::Append(absl::Span<const std::string> records,
                                                  Durability durability) {
  if (!impl_->writable()) {
    return absl::FailedPreconditionError("the event log is open for reading only");
  }
  for (const std::string& record : records) {
    if (record.size() > kMaxRecordBytes) {
      return absl::InvalidArgumentError(absl::StrCat("a record has ", record.size(),
                                                     " bytes, expected at most ", kMaxRecordBytes));
    }
  }
  const absl::StatusOr<std::uint64_t> first =
      impl_->Enqueue(records, durability == Durability::kDurable);
  if (!first.ok()) return first.status();
  return AppendedRange{.first = *first, .end = *first + records.size()};
}

absl::Status EmbeddedLog::Sync() {
  if (!impl_->writable()) return absl::OkStatus();
  return impl_->Enqueue({}, true).status();
}

absl::StatusOr<LogBatch> EmbeddedLog::Read(std::uint64_t from, std::size_t max_records,
                                           std::size_t max_bytes) {
  absl::StatusOr<std::uint64_t> end = impl_->EndFor(from);
  if (!end.ok()) return end.status();
  if (from > *end) {
    return absl::OutOfRangeError(
        absl::StrCat("offset ", from, " lies beyond the end of the event log, ", *end));
  }
  absl::StatusOr<LogBatch> batch = impl_->store().Records(from, *end, max_records, max_bytes);
  if (batch.ok()) {
    batch->at_end = batch->next_offset >= *end;
    batch->more = !batch->at_end;
  }
  return batch;
}

absl::StatusOr<std::uint64_t> EmbeddedLog::FindByTime(std::int64_t append_time_ms) {
  absl::StatusOr<std::uint64_t> end = impl_->CurrentEnd();
  if (!end.ok()) return end.status();
  // All records below `low` are earlier, all from `high` on are not.
  std::uint64_t low = 0;
  std::uint64_t high = *end;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    absl::StatusOr<LogBatch> batch = impl_->store().Records(middle, high, 1, 0);
    if (!batch.ok()) return batch.status();
    if (batch->records.front().append_time_ms < append_time_ms) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

absl::StatusOr<std::uint64_t> EmbeddedLog::EndOffset() {
  return impl_->CurrentEnd();
}

absl::StatusOr<bool> EmbeddedLog::WaitFor(std::uint64_t from, absl::Duration timeout) {
  return impl_->WaitFor(from, timeout);
}

std::string EmbeddedLog::Identity() const {
  return impl_->store().identity();
}

}  // namespace qmarket
