#include "replay/audit/checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "matcher/core/image.h"
#include "matcher/core/market.h"
#include "matcher/process/checkpoint.h"
#include "matcher/process/checkpoint_format.h"

namespace qmarket {
namespace {

using checkpoint_format::PastFile;
using checkpoint_format::PastFileName;
using checkpoint_format::StateFile;
using checkpoint_format::StateFileName;

// Whether `list` is what there is of `all` from `first` on.
template <typename T>
bool IsRest(const std::vector<T>& list, absl::Span<const T> all, std::size_t first) {
  return first <= all.size() && absl::MakeConstSpan(list) == all.subspan(first);
}

}  // namespace

CheckpointAudit::CheckpointAudit(std::string dir, std::string log_identity, AuditReport& report)
    : dir_(std::move(dir)),
      log_identity_(std::move(log_identity)),
      report_(report),
      files_(report.Begin("checkpoint files", "files")),
      contents_(report.Begin("checkpoints", "files")) {}

void CheckpointAudit::ReadFiles() {
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator file(dir_, error), end; !error && file != end;
       file.increment(error)) {
    names.push_back(file->path().filename().string());
  }
  std::ranges::sort(names);
  for (const std::string& name : names) {
    if (absl::EndsWith(name, ".part")) continue;  // never finished, never read
    if (absl::StartsWith(name, "state-")) {
      ReadState(name);
    } else if (absl::StartsWith(name, "past-")) {
      ReadPast(name);
    } else {
      report_.Note(
          absl::StrCat(dir_, "/", name, " is no file of a checkpoint, and nobody reads it"));
    }
  }
  std::ranges::sort(places_);
  places_.erase(std::unique(places_.begin(), places_.end()), places_.end());
}

// None where there is nothing to look into: it was deleted meanwhile, as they may be at any time,
// or is no file of a checkpoint, which is a finding.
std::optional<std::string> CheckpointAudit::Read(const std::string& name) {
  absl::StatusOr<std::string> bytes = ReadCheckpointFile(dir_ + "/" + name);
  if (bytes.ok()) {
    files_.Count();
    return *std::move(bytes);
  }
  if (!absl::IsNotFound(bytes.status())) {
    files_.Count();
    Find(name, std::nullopt, std::string(bytes.status().message()));
  }
  return std::nullopt;
}

void CheckpointAudit::ReadState(const std::string& name) {
  const std::optional<std::string> bytes = Read(name);
  if (!bytes.has_value()) return;
  const absl::StatusOr<StateFile> file = checkpoint_format::DecodeState(*bytes);
  if (absl::IsUnimplemented(file.status())) {
    report_.Note(
        absl::StrCat(dir_, "/", name, ": ", file.status().message(), "; it is never used"));
  } else if (!file.ok()) {
    Find(name, std::nullopt, std::string(file.status().message()));
  } else if (name != StateFileName(file->next_offset)) {
    Find(name, std::nullopt, absl::StrCat("it is the state at offset ", file->next_offset));
  } else {
    states_.push_back(file->next_offset);
    places_.push_back(file->next_offset);
  }
}

void CheckpointAudit::ReadPast(const std::string& name) {
  const std::optional<std::string> bytes = Read(name);
  if (!bytes.has_value()) return;
  const absl::StatusOr<PastFile> file = checkpoint_format::DecodePast(*bytes);
  if (absl::IsUnimplemented(file.status())) {
    report_.Note(
        absl::StrCat(dir_, "/", name, ": ", file.status().message(), "; it is never used"));
  } else if (!file.ok()) {
    Find(name, std::nullopt, std::string(file.status().message()));
  } else if (name != PastFileName(file->next_offset)) {
    Find(name, std::nullopt, absl::StrCat("it is the past up to offset ", file->next_offset));
  } else {
    pasts_.emplace(file->next_offset, checkpoint_format::HashOf(*bytes));
    places_.push_back(file->next_offset);
    places_.push_back(file->previous);
  }
}

void CheckpointAudit::Compare(std::uint64_t next_offset, const Replica& replica,
                              const Digest& last_record_hash) {
  for (; next_ < places_.size() && places_[next_] <= next_offset; ++next_) {
    const std::uint64_t place = places_[next_];
    marks_.emplace(place, replica.mark());
    if (std::ranges::find(states_, place) != states_.end()) {
      CompareState(place, replica, last_record_hash);
    }
    if (pasts_.contains(place)) ComparePast(place, replica);
  }
}

void CheckpointAudit::CompareState(std::uint64_t place, const Replica& replica,
                                   const Digest& last_record_hash) {
  const std::string name = StateFileName(place);
  const std::optional<std::string> bytes = Read(name);
  if (!bytes.has_value()) return;
  const absl::StatusOr<StateFile> file = checkpoint_format::DecodeState(*bytes);
  if (!file.ok()) return;
  contents_.Count();
  const auto past = pasts_.find(place);
  if (past == pasts_.end()) {
    Find(name, place,
         absl::StrCat("the piece of the past that it needs, ", PastFileName(place),
                      ", is missing or damaged"));
  }
  FindDifferent(name, place,
                {{"log", log_identity_.empty() || file->log_identity == log_identity_},
                 {"version of the rules", file->rules_version <= kRulesVersion},
                 {"last offset", file->last_offset == replica.offset()},
                 {"hash of the last record",
                  !replica.offset().has_value() || file->last_record_hash == last_record_hash},
                 {"digest", file->digest == replica.digest()},
                 {"count of events", file->events == replica.events()},
                 {"time", file->time_ms == replica.market().time_ms()},
                 {"market", file->present == replica.market().PresentImage()},
                 {"past", past == pasts_.end() || file->past_hash == past->second}});
}

void CheckpointAudit::ComparePast(std::uint64_t place, const Replica& replica) {
  const std::string name = PastFileName(place);
  const std::optional<std::string> bytes = Read(name);
  if (!bytes.has_value()) return;
  const absl::StatusOr<PastFile> file = checkpoint_format::DecodePast(*bytes);
  if (!file.ok()) return;
  contents_.Count();
  ReplicaMark before;
  if (file->previous != 0) {
    const auto mark = marks_.find(file->previous);
    if (file->previous >= place || mark == marks_.end()) {
      Find(name, place,
           absl::StrCat("it goes on from offset ", file->previous, ", expected one before it"));
      return;
    }
    before = mark->second;
  }
  const auto previous = pasts_.find(file->previous);
  FindDifferent(
      name, place,
      {{"log", log_identity_.empty() || file->log_identity == log_identity_},
       {"piece before it", previous == pasts_.end() || file->previous_hash == previous->second},
       {"rejections", IsRest(file->rejected, replica.rejected(), before.rejected)},
       {"preemptions", IsRest(file->preempted, replica.preempted(), before.preempted)},
       {"market", file->market == replica.market().PastImage(before.market)}});
}

void CheckpointAudit::Finish(bool whole, std::uint64_t log_end) {
  if (!whole) {
    if (next_ < places_.size()) contents_.GiveUp();
    return;
  }
  for (; next_ < places_.size(); ++next_) {
    const std::uint64_t place = places_[next_];
    if (place > log_end) {
      Find(StateFileName(place), place, absl::StrCat("the log ends at offset ", log_end));
    } else {
      // A store may be behind after a crash of the machine; then nobody uses the checkpoint yet.
      report_.Note(
          absl::StrCat(StateFileName(place),
                       " is of a place that the ledger has not reached; it was only read"));
    }
  }
}

void CheckpointAudit::FindDifferent(const std::string& name, std::uint64_t place,
                                    const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (part.same) continue;
    contents_.Find({.where = AuditPart::kCheckpoint,
                    .object = name,
                    .offset = place,
                    .what = absl::StrCat(part.what, ": not what a replay of the log makes there")});
    return;
  }
}

void CheckpointAudit::Find(const std::string& name, std::optional<std::uint64_t> offset,
                           std::string what) {
  files_.Find(
      {.where = AuditPart::kCheckpoint, .object = name, .offset = offset, .what = std::move(what)});
}

}  // namespace qmarket
