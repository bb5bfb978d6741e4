// The matcher's engine: follows an event log, applies it to the market, and keeps the effects in
// the ledger's store.
//
//   absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Open(log, &store, {});
//   absl::Status status = (*engine)->Follow(end).status();   // again and again
//
// At its opening it rebuilds the market up to where the store stands, from the nearest checkpoint
// and the log behind it, or from the log alone, without writing, and proves that it is the log that
// the store was made from: the record there, the digest of all outcomes and every balance must be
// the same. Then it goes on from there. What is in the store after a crash is a whole number of
// records, so state and digest are the same, to the byte, as if nothing had happened (mechanism
// §7). How records are cut into commits changes nothing.
//
// It writes checkpoints (checkpoint_writer.h) as it goes, so that what would have to be done again
// stays short.
//
// Group commit adapts: a commit takes what has arrived, up to a batch, and is synced when the log
// has no more, or every so many records. Without a store it applies and keeps the digest alone.
//
// Not thread-safe. The log may be appended to by other threads meanwhile.
#ifndef QMARKET_MATCHER_PROCESS_ENGINE_H_
#define QMARKET_MATCHER_PROCESS_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/event.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "events/outcome.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/checkpoint_schedule.h"
#include "matcher/process/checkpoint_writer.h"
#include "matcher/process/commit_builder.h"
#include "matcher/process/replica.h"

namespace qmarket {

// What one record led to.
struct AppliedStep {
  std::uint64_t offset = 0;
  std::vector<Outcome> outcomes;
};

struct EngineOptions {
  // A commit takes at most so many records, and about so many bytes of effects.
  std::size_t max_batch_records = 1024;
  std::size_t max_batch_bytes = std::size_t{8} << 20;
  // Where the log has more, a commit in so many records is synced.
  std::size_t sync_records = 16 * 1024;
  // Where checkpoints are read and written; empty: none are. They need a store.
  std::string checkpoints_dir{};
  // One after so many records, 0 for none; if not given, after so much work that it is worth it.
  std::optional<std::uint64_t> checkpoint_records{};
  // One line for people about checkpoints that are of no use or could not be written.
  std::function<void(const std::string& line)> on_note{};
  // While the state is rebuilt: how many of how many offsets are done. Called often. Returns false
  // to give up.
  std::function<bool(std::uint64_t done, std::uint64_t all)> on_rebuild{};
  // After steps have become durable, in order, each once in a run; those of a rebuild are left out.
  // Without a store: after they were applied.
  std::function<void(absl::Span<const AppliedStep>)> on_durable{};
};

class Engine {
 public:
  // `log`, and `store` where there is one, must outlive the engine; nobody else commits to the
  // store. Errors: DataLoss, the log has lost records that the store has applied;
  // FailedPrecondition, the log is not the one that the store was made from, and what differs;
  // Cancelled, on_rebuild said so; those of the log and the store.
  static absl::StatusOr<std::unique_ptr<Engine>> Open(EventLog& log, LedgerStore* store,
                                                      EngineOptions options);

  // Applies the records from next_offset() on that are there and lie below `end`, at most a batch
  // of them, and commits them. Returns how many; 0 means that there are none, and that all that was
  // applied is durable. Errors: those of the log and the store, after which the engine is not used
  // again.
  absl::StatusOr<std::size_t> FollowBatch(std::uint64_t end);

  // FollowBatch until there are none. Returns how many records were applied.
  absl::StatusOr<std::uint64_t> Follow(std::uint64_t end);

  // Appends events and applies all that is in the log up to the last of them, for a caller who
  // waits for the outcomes: a simulation. Returns the steps of these events. Neither the log nor
  // the store is synced; Flush does that.
  absl::StatusOr<std::vector<AppliedStep>> AppendAndApply(absl::Span<const Event> events);

  // Makes all that was applied durable, in the log and in the store.
  [[nodiscard]] absl::Status Flush();

  // Writes a checkpoint of where it stands, if checkpoints are written at all and the last one is
  // some work ago, and waits until it is there: for the end of a run.
  void Checkpoint();

  [[nodiscard]] const Market& market() const { return replica_.market(); }

  // Of the chain over all outcomes so far (digest.h).
  [[nodiscard]] const Digest& digest() const { return replica_.digest(); }

  // Where the log is read on.
  [[nodiscard]] std::uint64_t next_offset() const { return next_offset_; }

 private:
  Engine(EventLog& log, LedgerStore* store, EngineOptions options);

  // Brings the market to where the store stands.
  [[nodiscard]] absl::Status Rebuild();
  [[nodiscard]] absl::Status BeginAtCheckpoint(std::uint64_t most_next_offset);
  [[nodiscard]] absl::Status WaitForRecord(std::uint64_t end);
  [[nodiscard]] absl::Status CheckRebuilt(const StoreState& state) const;

  absl::StatusOr<LogBatch> ReadBatch(std::uint64_t end);
  // Applies a record, and collects its effects where they are to be stored.
  AppliedStep Apply(const LogRecord& record, bool collect);
  // These records were applied, which began then.
  void Worked(const std::vector<LogRecord>& records, absl::Time since);
  [[nodiscard]] absl::Status CommitPending(EventLog::Durability durability);
  // Begins to write a checkpoint if one is due.
  void CheckpointIfDue();
  void WriteCheckpoint();
  void Note(const std::string& line) const;
  // Flush, and 0.
  absl::StatusOr<std::size_t> FlushStatus();

  EventLog& log_;
  LedgerStore* store_;
  EngineOptions options_;
  Replica replica_;
  std::uint64_t next_offset_ = 0;
  Digest last_record_hash_{};
  CheckpointSchedule schedule_;
  std::unique_ptr<CheckpointWriter> checkpoints_;
  CommitBuilder pending_;
  std::uint64_t unsynced_records_ = 0;    // committed, but not durable
  bool log_unsynced_ = false;             // appended, but not durable
  std::vector<AppliedStep> undelivered_;  // for on_durable
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_ENGINE_H_
