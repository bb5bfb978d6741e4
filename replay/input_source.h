// Where a replay gets its inputs from: a log, or JSON Lines.
//
// Sources give batches, in order, and an empty one at the end. Reading, decoding and hashing cost
// as much as the market does, so Prefetcher does them in a thread of its own; what is given, and in
// which order, does not depend on it. A source is used by one thread at a time.
#ifndef QMARKET_REPLAY_INPUT_SOURCE_H_
#define QMARKET_REPLAY_INPUT_SOURCE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "events/event_json.h"
#include "events/event_log.h"
#include "matcher/core/input.h"

namespace qmarket {

class InputSource {
 public:
  InputSource() = default;
  InputSource(const InputSource&) = delete;
  InputSource& operator=(const InputSource&) = delete;
  virtual ~InputSource() = default;

  // The next inputs; empty at the end, and from then on. After an error it is not called again.
  virtual absl::StatusOr<std::vector<Input>> Next() = 0;
};

// The events of JSON Lines, offsets counted from 0, without append times. `reader` must outlive it.
// Errors: those of the reader, which name the line.
class LineSource : public InputSource {
 public:
  explicit LineSource(EventLineReader& reader) : reader_(reader) {}

  absl::StatusOr<std::vector<Input>> Next() override;

 private:
  EventLineReader& reader_;
  std::uint64_t next_offset_ = 0;
};

// The records of a log with offsets in [from, end). `log` must outlive it. Errors: those of the
// log.
class LogSource : public InputSource {
 public:
  LogSource(EventLog& log, std::uint64_t from, std::uint64_t end)
      : log_(log), next_offset_(from), end_(end) {}

  absl::StatusOr<std::vector<Input>> Next() override;

 private:
  EventLog& log_;
  std::uint64_t next_offset_;
  std::uint64_t end_;
};

// Runs `source` ahead in a thread of its own, by a few batches. `source` must outlive it and is not
// used by anyone else meanwhile.
class Prefetcher : public InputSource {
 public:
  explicit Prefetcher(InputSource& source);
  ~Prefetcher() override;

  absl::StatusOr<std::vector<Input>> Next() override;

 private:
  void ReadAhead();

  InputSource& source_;
  std::mutex mutex_;                 // of what follows
  std::condition_variable changed_;  // some of it has
  std::deque<std::vector<Input>> batches_;
  bool ended_ = false;    // nothing comes after batches_ but status_
  absl::Status status_;   // how the source ended
  bool stopped_ = false;  // nobody wants more
  std::thread thread_;
};

}  // namespace qmarket

#endif  // QMARKET_REPLAY_INPUT_SOURCE_H_
