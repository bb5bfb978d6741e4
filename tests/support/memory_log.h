// An event log in memory for tests, whose records, offsets and identity can be anything.
#ifndef QMARKET_TESTS_SUPPORT_MEMORY_LOG_H_
#define QMARKET_TESTS_SUPPORT_MEMORY_LOG_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/event_log.h"

namespace qmarket {

// Not thread-safe. WaitFor does not wait.
class MemoryLog : public EventLog {
 public:
  explicit MemoryLog(std::string identity = "memory") : identity_(std::move(identity)) {}

  // All records, to be looked at and changed; by offset.
  std::vector<LogRecord>& records() { return records_; }

  void set_append_time_ms(std::int64_t time_ms) { append_time_ms_ = time_ms; }

  // How often Sync, or a durable Append, was called.
  [[nodiscard]] int syncs() const { return syncs_; }

  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records,
                                       Durability durability) override {
    const std::uint64_t first = End();
    for (const std::string& bytes : records) {
      records_.push_back({.offset = End(), .append_time_ms = append_time_ms_, .bytes = bytes});
    }
    if (durability == Durability::kDurable) ++syncs_;
    return AppendedRange{.first = first, .end = End()};
  }

  [[nodiscard]] absl::Status Sync() override {
    ++syncs_;
    return absl::OkStatus();
  }

  absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records,
                                std::size_t max_bytes) override {
    if (from > End()) return absl::OutOfRangeError("beyond the end");
    LogBatch batch = {.records = {}, .next_offset = from};
    std::size_t bytes = 0;
    auto next = std::ranges::lower_bound(records_, from, {}, &LogRecord::offset);
    for (; next != records_.end() && batch.records.size() < max_records; ++next) {
      if (bytes > 0 && bytes + next->bytes.size() > max_bytes) break;
      bytes += next->bytes.size();
      batch.records.push_back(*next);
      batch.next_offset = next->offset + 1;
    }
    batch.at_end = next == records_.end();
    batch.more = !batch.at_end;
    return batch;
  }

  absl::StatusOr<std::uint64_t> FindByTime(std::int64_t append_time_ms) override {
    const auto found =
        std::ranges::lower_bound(records_, append_time_ms, {}, &LogRecord::append_time_ms);
    return found == records_.end() ? End() : found->offset;
  }

  absl::StatusOr<std::uint64_t> EndOffset() override { return End(); }

  absl::StatusOr<bool> WaitFor(std::uint64_t from, absl::Duration /*timeout*/) override {
    return from < End();
  }

  [[nodiscard]] std::string Identity() const override { return identity_; }

 private:
  [[nodiscard]] std::uint64_t End() const {
    return records_.empty() ? 0 : records_.back().offset + 1;
  }

  std::string identity_;
  std::int64_t append_time_ms_ = 0;
  std::vector<LogRecord> records_;
  int syncs_ = 0;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_SUPPORT_MEMORY_LOG_H_
