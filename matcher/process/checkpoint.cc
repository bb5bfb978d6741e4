#include "matcher/process/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "matcher/core/market.h"
#include "matcher/process/checkpoint_format.h"
#include "matcher/process/record.h"

namespace qmarket {
namespace {

using checkpoint_format::PastFile;
using checkpoint_format::StateFile;

absl::Status AtFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("checkpoint ", path, ": ", status.message()));
}

absl::Status OtherLog(const std::string& identity, const std::string& wanted) {
  return absl::FailedPreconditionError(
      absl::StrCat("it is of log ", identity, ", and the log here is ", wanted));
}

absl::StatusOr<StateFile> ReadState(const std::string& path, const std::string& identity) {
  const absl::StatusOr<std::string> bytes = ReadCheckpointFile(path);
  if (!bytes.ok()) return AtFile(path, bytes.status());
  absl::StatusOr<StateFile> file = checkpoint_format::DecodeState(*bytes);
  if (!file.ok()) return AtFile(path, file.status());
  if (file->log_identity != identity) return AtFile(path, OtherLog(file->log_identity, identity));
  if (file->rules_version > kRulesVersion) {
    return AtFile(path, absl::UnimplementedError(absl::StrCat(
                            "it has version ", file->rules_version,
                            " of the market's rules, and this program knows ", kRulesVersion)));
  }
  return file;
}

// The pieces of the past that end at `end` with the one of that hash, oldest first.
absl::StatusOr<std::vector<PastFile>> ReadPast(const std::string& dir, std::uint64_t end,
                                               Digest hash, const std::string& identity) {
  std::vector<PastFile> pieces;
  while (true) {
    const std::string path = absl::StrCat(dir, "/", checkpoint_format::PastFileName(end));
    const absl::StatusOr<std::string> bytes = ReadCheckpointFile(path);
    if (absl::IsNotFound(bytes.status())) {
      return AtFile(path, absl::DataLossError(bytes.status().message()));
    }
    if (!bytes.ok()) return AtFile(path, bytes.status());
    if (checkpoint_format::HashOf(*bytes) != hash) {
      return AtFile(path, absl::DataLossError("it is damaged, or of another history"));
    }
    absl::StatusOr<PastFile> piece = checkpoint_format::DecodePast(*bytes);
    if (!piece.ok()) return AtFile(path, piece.status());
    if (piece->log_identity != identity) {
      return AtFile(path, OtherLog(piece->log_identity, identity));
    }
    if (piece->next_offset != end || (piece->previous != 0 && piece->previous >= end)) {
      return AtFile(path, absl::DataLossError("it does not say what its name says"));
    }
    end = piece->previous;
    hash = piece->previous_hash;
    pieces.push_back(*std::move(piece));
    if (end == 0) break;
  }
  std::ranges::reverse(pieces);
  return pieces;
}

absl::StatusOr<Checkpoint> MakeCheckpoint(StateFile state, std::vector<PastFile> past) {
  std::vector<absl::string_view> market_past;
  Replica::Parts parts;
  for (PastFile& piece : past) {
    market_past.push_back(piece.market);
    std::ranges::move(piece.rejected, std::back_inserter(parts.rejected));
    std::ranges::move(piece.preempted, std::back_inserter(parts.preempted));
  }
  absl::StatusOr<Market> market = Market::FromImage(market_past, state.present);
  if (!market.ok()) return market.status();
  parts.market = *std::move(market);
  parts.digest = state.digest;
  parts.offset = state.last_offset;
  parts.events = state.events;
  return Checkpoint{.replica = Replica(std::move(parts)),
                    .next_offset = state.next_offset,
                    .last_record_hash = state.last_record_hash,
                    .past_hash = state.past_hash};
}

absl::StatusOr<Checkpoint> Complete(const std::string& dir, const std::string& path,
                                    StateFile state) {
  absl::StatusOr<std::vector<PastFile>> past =
      ReadPast(dir, state.next_offset, state.past_hash, state.log_identity);
  if (!past.ok()) return past.status();
  absl::StatusOr<Checkpoint> made = MakeCheckpoint(std::move(state), *std::move(past));
  return made.ok() ? std::move(made) : AtFile(path, made.status());
}

// Whether the log has the record that the checkpoint was made after.
absl::StatusOr<bool> IsOfLog(EventLog& log, const Checkpoint& checkpoint) {
  const std::optional<std::uint64_t> offset = checkpoint.replica.offset();
  if (!offset.has_value()) return true;
  const absl::StatusOr<std::uint64_t> end = log.EndOffset();
  if (!end.ok()) return end.status();
  if (*offset >= *end) return false;
  const absl::StatusOr<LogBatch> batch = log.Read(*offset, 1, 1);
  if (!batch.ok()) return batch.status();
  return !batch->records.empty() &&
         RecordHash(batch->records.front()) == checkpoint.last_record_hash;
}

// By its first bytes, so that a moment long past does not cost reading all states since. One that
// lies about it is only left out.
bool IsLaterThan(const std::string& path, std::int64_t time_ms) {
  const absl::StatusOr<std::string> front = ReadCheckpointFile(path, checkpoint_format::kPeekBytes);
  return front.ok() && checkpoint_format::PeekTime(*front) > time_ms;
}

std::string StatePath(const std::string& dir, std::uint64_t next_offset) {
  return absl::StrCat(dir, "/", checkpoint_format::StateFileName(next_offset));
}

}  // namespace

absl::StatusOr<std::string> ReadCheckpointFile(const std::string& path, std::size_t most) {
  // What is no file, such as a pipe, must not keep anybody waiting.
  const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return absl::NotFoundError("it is missing, or cannot be opened");
  const absl::Cleanup closing = [file] { close(file); };
  struct stat about = {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    return absl::DataLossError("it is no file");
  }
  std::string bytes(checkpoint_format::kLeastFileBytes, '\0');
  auto size = static_cast<std::size_t>(about.st_size);
  if (size < bytes.size() ||
      pread(file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()) ||
      !checkpoint_format::HasMagic(bytes)) {
    return absl::DataLossError("it is no such file, or cut");
  }
  size = std::min(size, std::max(most, bytes.size()));
  bytes.resize(size);
  std::size_t read = 0;
  while (read < size) {
    const ssize_t more = pread(file, bytes.data() + read, size - read, static_cast<off_t>(read));
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return absl::DataLossError("it cannot be read");
    read += static_cast<std::size_t>(more);
  }
  return bytes;
}

std::vector<std::uint64_t> ListCheckpoints(const std::string& dir) {
  std::vector<std::uint64_t> next_offsets;
  std::error_code error;
  for (std::filesystem::directory_iterator file(dir, error), end; !error && file != end;
       file.increment(error)) {
    const auto next_offset =
        checkpoint_format::ParseStateFileName(file->path().filename().string());
    if (next_offset.has_value()) next_offsets.push_back(*next_offset);
  }
  std::ranges::sort(next_offsets);
  return next_offsets;
}

absl::StatusOr<FoundCheckpoint> FindCheckpoint(EventLog& log, const std::string& dir,
                                               const CheckpointLimit& limit) {
  FoundCheckpoint found;
  std::vector<std::uint64_t> next_offsets = ListCheckpoints(dir);
  std::ranges::reverse(next_offsets);
  for (const std::uint64_t next_offset : next_offsets) {
    if (next_offset > limit.most_next_offset) continue;
    const std::string path = StatePath(dir, next_offset);
    if (limit.most_time_ms.has_value() && IsLaterThan(path, *limit.most_time_ms)) continue;
    absl::StatusOr<StateFile> state = ReadState(path, log.Identity());
    if (state.ok() && limit.most_time_ms.has_value() && state->time_ms > limit.most_time_ms) {
      continue;
    }
    absl::StatusOr<Checkpoint> checkpoint =
        state.ok() ? Complete(dir, path, *std::move(state)) : state.status();
    if (!checkpoint.ok()) {
      found.skipped.emplace_back(checkpoint.status().message());
      continue;
    }
    const absl::StatusOr<bool> of_log = IsOfLog(log, *checkpoint);
    if (!of_log.ok()) return of_log.status();
    if (*of_log) {
      found.checkpoint = *std::move(checkpoint);
      break;
    }
    found.skipped.push_back(
        absl::StrCat("checkpoint ", path, ": the log has another record there"));
  }
  return found;
}

}  // namespace qmarket
