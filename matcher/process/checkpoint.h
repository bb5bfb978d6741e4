// Checkpoints: the market as it was at places in the log, so that no replay has to begin at zero.
//
//   absl::StatusOr<FoundCheckpoint> found = FindCheckpoint(log, dir, {.most_next_offset = 1000});
//   Replica replica = found->checkpoint ? std::move(found->checkpoint->replica) : Replica();
//
// They are a cache beside the log: all answers are the same without them, only slower, and any of
// their files can be deleted at any time. One that is damaged, of another log, or of a version that
// this program does not know is passed over, and said to have been. Thread-safe.
#ifndef QMARKET_MATCHER_PROCESS_CHECKPOINT_H_
#define QMARKET_MATCHER_PROCESS_CHECKPOINT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "events/event_log.h"
#include "events/fingerprint.h"
#include "matcher/process/replica.h"

namespace qmarket {

struct Checkpoint {
  Replica replica;
  std::uint64_t next_offset = 0;  // where the log is read on
  Digest last_record_hash{};      // of the record at replica.offset() (record.h)
  Digest past_hash{};             // of its newest piece (checkpoint_format.h)
};

// Which ones will do: the newest of them is taken.
struct CheckpointLimit {
  std::uint64_t most_next_offset = UINT64_MAX;
  std::optional<std::int64_t> most_time_ms{};  // effective, of all that was applied
};

struct FoundCheckpoint {
  std::optional<Checkpoint> checkpoint;
  std::vector<std::string> skipped;  // a line for people for each file that is of no use, and why
};

// Errors: those of the log.
[[nodiscard]] absl::StatusOr<FoundCheckpoint> FindCheckpoint(EventLog& log, const std::string& dir,
                                                             const CheckpointLimit& limit);

// The next offsets of all states there, lowest first, whether they are of use or not.
[[nodiscard]] std::vector<std::uint64_t> ListCheckpoints(const std::string& dir);

// The bytes of a checkpoint's file, at most the first `most` of them. Errors: NotFound; DataLoss,
// it is no file, or none of a checkpoint, or cannot be read.
[[nodiscard]] absl::StatusOr<std::string> ReadCheckpointFile(const std::string& path,
                                                             std::size_t most = SIZE_MAX);

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_CHECKPOINT_H_
