// The event log in a folder of its own, on RocksDB: for one machine, without a broker.
//
//   absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
//       EmbeddedLog::Open("qmarket-data/log", EmbeddedLog::Mode::kReadWrite);
//
// One process writes; any number of others can read beside it (kReadOnly) and see what it appends.
// Offsets count from 0 without holes. Every record carries a checksum that is looked at whenever it
// is read. What Append has acknowledged as durable outlives the process and the machine, and is
// noticed where it is missing later. The format is described in docs/formats.md.
//
// All methods may be called from any thread. Memory is bounded by the caches set at opening plus
// the batches that callers hold.
#ifndef QMARKET_EVENTS_EMBEDDED_LOG_H_
#define QMARKET_EVENTS_EMBEDDED_LOG_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/event_log.h"

namespace qmarket {

class EmbeddedLog : public EventLog {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  struct Options {
    // Milliseconds since the Unix epoch, for append times; the system's clock if empty. Called by
    // one thread at a time. Append times never fall, whatever it says.
    std::function<std::int64_t()> clock;
  };

  // kReadWrite makes the folder and the log where there is none; kReadOnly does not.
  // Errors: NotFound, no log there; Unavailable, another process has it open for writing;
  // FailedPrecondition, it was written by a newer version or is something else; DataLoss, it is
  // damaged; ResourceExhausted, the disk is full.
  static absl::StatusOr<std::unique_ptr<EmbeddedLog>> Open(const std::string& dir, Mode mode,
                                                           Options options);

  static absl::StatusOr<std::unique_ptr<EmbeddedLog>> Open(const std::string& dir, Mode mode) {
    return Open(dir, mode, Options());
  }

  EmbeddedLog(const EmbeddedLog&) = delete;
  EmbeddedLog& operator=(const EmbeddedLog&) = delete;
  ~EmbeddedLog() override;

  // As EventLog says. A failed Append may still have left its records in the log (they are seen
  // after the log is opened again); after a failure all later calls fail the same way until then.
  // FailedPrecondition on a log opened read-only.
  absl::StatusOr<AppendedRange> Append(absl::Span<const std::string> records,
                                       Durability durability) override;

  [[nodiscard]] absl::Status Sync() override;

  absl::StatusOr<LogBatch> Read(std::uint64_t from, std::size_t max_records,
                                std::size_t max_bytes) override;

  absl::StatusOr<std::uint64_t> FindByTime(std::int64_t append_time_ms) override;

  absl::StatusOr<std::uint64_t> EndOffset() override;

  absl::StatusOr<bool> WaitFor(std::uint64_t from, absl::Duration timeout) override;

  // 32 hexadecimal digits, made at random when the log was.
  [[nodiscard]] std::string Identity() const override;

 private:
  class Impl;

  explicit EmbeddedLog(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace qmarket

#endif  // QMARKET_EVENTS_EMBEDDED_LOG_H_
