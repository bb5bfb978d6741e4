// Writes checkpoints in the background, each once it is whole under its name.
//
//   CheckpointWriter writer({.dir = ..., .log_identity = log.Identity()});
//   if (!writer.busy()) writer.Write(replica, next_offset, last_record_hash);
//
// Write takes what the replica is now, in the caller's thread: a few milliseconds for a market of
// ten thousand bids. Hashing and the disk are the business of a thread of its own. What fails is
// reported and forgotten: the next one takes its place, as checkpoints are a cache. Not
// thread-safe.
#ifndef QMARKET_MATCHER_PROCESS_CHECKPOINT_WRITER_H_
#define QMARKET_MATCHER_PROCESS_CHECKPOINT_WRITER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/status/status.h"

#include "events/fingerprint.h"
#include "matcher/process/checkpoint.h"
#include "matcher/process/checkpoint_format.h"
#include "matcher/process/replica.h"

namespace qmarket {

class CheckpointWriter {
 public:
  struct Options {
    std::string dir;  // made where there is none
    std::string log_identity;
  };

  explicit CheckpointWriter(Options options) : options_(std::move(options)) {}

  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Finishes what is being written.
  ~CheckpointWriter();

  // The next one needs only what is new since this checkpoint, whose files are there.
  void ContinueFrom(const Checkpoint& checkpoint);

  // Whether one is being written.
  [[nodiscard]] bool busy() const { return thread_.joinable() && !done_; }

  // Begins to write the checkpoint at `next_offset`; waits for the one before it first. The last
  // record applied has the hash.
  void Write(const Replica& replica, std::uint64_t next_offset, const Digest& last_record_hash);

  // Waits for the one that is being written, if any, and says how the last one went.
  [[nodiscard]] absl::Status Wait();

 private:
  // What the next past piece follows on.
  struct Base {
    ReplicaMark mark;
    std::uint64_t next_offset = 0;
    Digest past_hash{};
  };

  [[nodiscard]] absl::Status WriteFiles(checkpoint_format::StateFile state,
                                        const checkpoint_format::PastFile& past, Base& next) const;

  Options options_;
  Base base_;
  std::optional<Base> pending_;  // of what is being written; the base once it is there
  absl::Status status_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_CHECKPOINT_WRITER_H_
