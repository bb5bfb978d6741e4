#include "matcher/process/engine.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"

#include "events/check.h"
#include "events/event.h"
#include "events/event_codec.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "events/int128.h"
#include "ledger/core/book.h"
#include "ledger/store/state.h"
#include "ledger/store/store.h"
#include "matcher/core/market.h"
#include "matcher/process/checkpoint.h"
#include "matcher/process/checkpoint_writer.h"
#include "matcher/process/commit_builder.h"
#include "matcher/process/record.h"
#include "matcher/process/replica.h"

namespace qmarket {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 20;
// So many seconds records that were there are waited for.
constexpr int kPatience = 30;

absl::Status OtherLog(const std::string& what) {
  return absl::FailedPreconditionError(
      absl::StrCat("the log is not the one that the ledger's store was made from: ", what));
}

// Nothing, or what differs first between the accounts rebuilt and those stored.
std::string CompareBooks(const Book& rebuilt, const Book& stored) {
  if (rebuilt.accounts().size() != stored.accounts().size()) {
    return absl::StrCat("the log makes ", rebuilt.accounts().size(),
                        " accounts, and the store has ", stored.accounts().size());
  }
  for (std::size_t i = 0; i < rebuilt.accounts().size(); ++i) {
    const Account& mine = rebuilt.accounts()[i];
    const Account& theirs = stored.accounts()[i];
    if (mine.name != theirs.name || mine.currency != theirs.currency) {
      return absl::StrCat("account ", i, " is ", mine.name, " by the log and ", theirs.name,
                          " in the store");
    }
    if (mine.balance != theirs.balance) {
      return absl::StrCat("account ", mine.name, " has ", ToString(mine.balance),
                          " micro-credits by the log and ", ToString(theirs.balance),
                          " in the store");
    }
  }
  return "";
}

}  // namespace

Engine::Engine(EventLog& log, LedgerStore* store, EngineOptions options)
    : log_(log),
      store_(store),
      options_(std::move(options)),
      schedule_(options_.checkpoint_records),
      pending_(0, 0) {
  QM_CHECK(options_.max_batch_records > 0, "a batch of no record");
  QM_CHECK(options_.checkpoints_dir.empty() || store_ != nullptr, "checkpoints without a store");
  if (options_.checkpoints_dir.empty()) return;
  checkpoints_ = std::make_unique<CheckpointWriter>(
      CheckpointWriter::Options{.dir = options_.checkpoints_dir, .log_identity = log_.Identity()});
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::Open(EventLog& log, LedgerStore* store,
                                                     EngineOptions options) {
  std::unique_ptr<Engine> engine(new Engine(log, store, std::move(options)));
  if (store != nullptr) {
    if (absl::Status status = engine->Rebuild(); !status.ok()) return status;
  }
  return engine;
}

absl::Status Engine::Rebuild() {
  const StoreState state = store_->state();
  const absl::StatusOr<std::uint64_t> end = log_.EndOffset();
  if (!end.ok()) return end.status();
  if (*end < state.next_offset) {
    return absl::DataLossError(absl::StrCat(
        "the log ends at offset ", *end, ", and the ledger's store has applied it up to ",
        state.next_offset, ": the log has lost records, or is another one"));
  }
  if (const std::optional<OffsetRange> lost = store_->lost(); lost.has_value()) {
    Note(absl::StrCat("the ledger had lost what it knew of the offsets from ", lost->from, " to ",
                      lost->to, ": its files are damaged. It is made again from the log"));
  }
  if (absl::Status begun = BeginAtCheckpoint(state.next_offset); !begun.ok()) return begun;
  while (next_offset_ < state.next_offset) {
    absl::StatusOr<LogBatch> batch = ReadBatch(state.next_offset);
    if (!batch.ok()) return batch.status();
    const absl::Time start = absl::Now();
    for (const LogRecord& record : batch->records)
      Apply(record, /*collect=*/false);
    Worked(batch->records, start);
    next_offset_ = batch->next_offset;
    if (batch->records.empty() && batch->at_end && next_offset_ < state.next_offset) {
      if (absl::Status status = WaitForRecord(state.next_offset); !status.ok()) return status;
    }
    if (options_.on_rebuild && !options_.on_rebuild(next_offset_, state.next_offset)) {
      return absl::CancelledError("the rebuilding of the market's state was given up");
    }
  }
  pending_ = CommitBuilder(state.currencies, state.accounts);
  return CheckRebuilt(state);
}

absl::Status Engine::BeginAtCheckpoint(std::uint64_t most_next_offset) {
  if (checkpoints_ == nullptr || most_next_offset == 0) return absl::OkStatus();
  absl::StatusOr<FoundCheckpoint> found =
      FindCheckpoint(log_, options_.checkpoints_dir, {.most_next_offset = most_next_offset});
  if (!found.ok()) return found.status();
  for (const std::string& line : found->skipped)
    Note(line);
  if (!found->checkpoint.has_value()) return absl::OkStatus();
  checkpoints_->ContinueFrom(*found->checkpoint);
  next_offset_ = found->checkpoint->next_offset;
  last_record_hash_ = found->checkpoint->last_record_hash;
  replica_ = std::move(found->checkpoint->replica);
  return absl::OkStatus();
}

// A broker's new leader may for a moment not give what its predecessor gave.
absl::Status Engine::WaitForRecord(std::uint64_t end) {
  for (int attempt = 0; attempt < kPatience; ++attempt) {
    const absl::StatusOr<bool> there = log_.WaitFor(next_offset_, absl::Seconds(1));
    if (!there.ok()) return there.status();
    if (*there) return absl::OkStatus();
    if (options_.on_rebuild && !options_.on_rebuild(next_offset_, end)) break;
  }
  return absl::DataLossError(absl::StrCat("the log gives no record from offset ", next_offset_,
                                          " on, and the ledger's store has applied it up to ", end,
                                          ": the log has lost records, or is another one"));
}

absl::Status Engine::CheckRebuilt(const StoreState& state) const {
  if (!state.last_offset.has_value()) return absl::OkStatus();
  if (replica_.offset() != state.last_offset) {
    return OtherLog(absl::StrCat(
        "the last record before offset ", state.next_offset, " is ",
        replica_.offset().has_value() ? absl::StrCat("at ", *replica_.offset()) : "missing",
        ", and was at ", *state.last_offset));
  }
  if (last_record_hash_ != state.last_record_hash) {
    return OtherLog(absl::StrCat("the record at offset ", *state.last_offset,
                                 " is not the one that the store has applied"));
  }
  if (digest() != state.digest) {
    return OtherLog(absl::StrCat("its outcomes up to offset ", *state.last_offset,
                                 " have the digest ", ToHex(digest()), ", and the store has ",
                                 ToHex(state.digest)));
  }
  const std::string difference = CompareBooks(market().book(), store_->book());
  return difference.empty() ? absl::OkStatus() : OtherLog(difference);
}

absl::StatusOr<LogBatch> Engine::ReadBatch(std::uint64_t end) {
  absl::StatusOr<LogBatch> batch = log_.Read(next_offset_, options_.max_batch_records, kReadBytes);
  if (!batch.ok()) return batch.status();
  while (!batch->records.empty() && batch->records.back().offset >= end)
    batch->records.pop_back();
  if (batch->next_offset >= end) {
    batch->at_end = true;
    batch->more = false;
  }
  batch->next_offset = std::min(batch->next_offset, end);
  return batch;
}

AppliedStep Engine::Apply(const LogRecord& record, bool collect) {
  Replica::Applied applied = replica_.Apply(InputOf(record));
  if (collect) pending_.Add(market(), record, applied.step, std::move(applied.canonical));
  next_offset_ = record.offset + 1;
  return {.offset = record.offset, .outcomes = std::move(applied.step.outcomes)};
}

void Engine::Worked(const std::vector<LogRecord>& records, absl::Time since) {
  if (records.empty()) return;
  last_record_hash_ = RecordHash(records.back());
  schedule_.Applied(records.size(), absl::Now() - since);
}

absl::StatusOr<std::size_t> Engine::FollowBatch(std::uint64_t end) {
  if (next_offset_ >= end) return FlushStatus();
  absl::StatusOr<LogBatch> batch = ReadBatch(end);
  if (!batch.ok()) return batch.status();
  std::size_t applied = 0;
  const absl::Time start = absl::Now();
  for (const LogRecord& record : batch->records) {
    AppliedStep step = Apply(record, store_ != nullptr);
    ++applied;
    if (options_.on_durable) undelivered_.push_back(std::move(step));
    if (pending_.bytes() < options_.max_batch_bytes) continue;
    absl::Status status = CommitPending(EventLog::Durability::kBuffered);
    if (!status.ok()) return status;
  }
  Worked(batch->records, start);
  next_offset_ = std::max(next_offset_, batch->next_offset);
  if (applied == 0) return FlushStatus();
  const bool sync = !batch->more || unsynced_records_ + applied >= options_.sync_records;
  absl::Status status = sync ? Flush() : CommitPending(EventLog::Durability::kBuffered);
  if (!status.ok()) return status;
  CheckpointIfDue();
  return applied;
}

absl::StatusOr<std::size_t> Engine::FlushStatus() {
  if (absl::Status status = Flush(); !status.ok()) return status;
  return std::size_t{0};
}

absl::StatusOr<std::uint64_t> Engine::Follow(std::uint64_t end) {
  std::uint64_t all = 0;
  while (true) {
    const absl::StatusOr<std::size_t> applied = FollowBatch(end);
    if (!applied.ok()) return applied.status();
    if (*applied == 0) return all;
    all += *applied;
  }
}

absl::StatusOr<std::vector<AppliedStep>> Engine::AppendAndApply(absl::Span<const Event> events) {
  std::vector<std::string> records;
  records.reserve(events.size());
  for (const Event& event : events)
    records.push_back(EncodeEvent(event));
  const absl::StatusOr<AppendedRange> appended =
      log_.Append(records, EventLog::Durability::kBuffered);
  if (!appended.ok()) return appended.status();
  log_unsynced_ = true;
  const std::uint64_t end = appended->end;
  std::vector<AppliedStep> steps;
  while (next_offset_ < end) {
    const absl::StatusOr<LogBatch> batch = ReadBatch(end);
    if (!batch.ok()) return batch.status();
    const absl::Time start = absl::Now();
    for (const LogRecord& record : batch->records) {
      AppliedStep step = Apply(record, store_ != nullptr);
      if (options_.on_durable) undelivered_.push_back(step);
      if (record.offset >= appended->first) steps.push_back(std::move(step));
    }
    Worked(batch->records, start);
    if (pending_.records() >= options_.max_batch_records ||
        pending_.bytes() >= options_.max_batch_bytes) {
      absl::Status status = CommitPending(EventLog::Durability::kBuffered);
      if (!status.ok()) return status;
      CheckpointIfDue();
    }
  }
  return steps;
}

void Engine::CheckpointIfDue() {
  if (checkpoints_ == nullptr || !schedule_.IsDue() || checkpoints_->busy()) return;
  WriteCheckpoint();
}

void Engine::Checkpoint() {
  if (checkpoints_ == nullptr) return;
  if (schedule_.IsWorthwhile()) WriteCheckpoint();
  if (absl::Status written = checkpoints_->Wait(); !written.ok()) {
    Note(absl::StrCat("no checkpoint was written: ", written.message()));
  }
}

void Engine::WriteCheckpoint() {
  if (absl::Status written = checkpoints_->Wait(); !written.ok()) {
    Note(absl::StrCat("a checkpoint could not be written: ", written.message()));
  }
  const absl::Time start = absl::Now();
  checkpoints_->Write(replica_, next_offset_, last_record_hash_);
  schedule_.Begun(absl::Now() - start);
}

void Engine::Note(const std::string& line) const {
  if (options_.on_note) options_.on_note(line);
}

absl::Status Engine::CommitPending(EventLog::Durability durability) {
  if (pending_.records() == 0) return absl::OkStatus();
  const std::size_t records = pending_.records();
  const LedgerCommit commit = pending_.Take(market(), next_offset_, digest());
  if (absl::Status status = store_->Commit(commit, durability); !status.ok()) return status;
  unsynced_records_ =
      durability == EventLog::Durability::kDurable ? 0 : unsynced_records_ + records;
  return absl::OkStatus();
}

absl::Status Engine::Flush() {
  // First the log: the store must not outlive records that it has applied.
  if (log_unsynced_) {
    if (absl::Status status = log_.Sync(); !status.ok()) return status;
    log_unsynced_ = false;
  }
  if (absl::Status status = CommitPending(EventLog::Durability::kDurable); !status.ok()) {
    return status;
  }
  if (unsynced_records_ > 0) {
    if (absl::Status status = store_->Sync(); !status.ok()) return status;
    unsynced_records_ = 0;
  }
  if (!undelivered_.empty()) options_.on_durable(std::exchange(undelivered_, {}));
  return absl::OkStatus();
}

}  // namespace qmarket
