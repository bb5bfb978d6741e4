#include "matcher/process/checkpoint_writer.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "matcher/core/market.h"
#include "matcher/process/disk_space.h"

namespace qmarket {
namespace {

absl::Status FileError(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int file) : file_(file) {}

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() {
    if (file_ >= 0) close(file_);
  }

  [[nodiscard]] int get() const { return file_; }

 private:
  int file_;
};

absl::Status WriteAll(int file, absl::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FileError("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

constexpr char kPart[] = ".part";

// What a writer that was killed has left.
void RemoveParts(const std::string& dir) {
  std::error_code error;
  std::vector<std::filesystem::path> parts;
  for (std::filesystem::directory_iterator file(dir, error), end; !error && file != end;
       file.increment(error)) {
    if (file->path().extension() == kPart) parts.push_back(file->path());
  }
  for (const std::filesystem::path& part : parts)
    std::filesystem::remove(part, error);
}

// The file is there whole, or as it was before.
absl::Status WriteWhole(const std::string& path, absl::string_view bytes) {
  const std::string part = path + kPart;
  constexpr mode_t kPermissions = 0644;
  {
    const Descriptor file(
        open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPermissions));
    if (file.get() < 0) return FileError("cannot make", part);
    if (absl::Status status = WriteAll(file.get(), bytes, part); !status.ok()) return status;
    if (fsync(file.get()) != 0) return FileError("cannot write", part);
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) return FileError("cannot rename", part);
  return absl::OkStatus();
}

absl::Status SyncFolder(const std::string& dir) {
  const Descriptor folder(open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || fsync(folder.get()) != 0) return FileError("cannot sync", dir);
  return absl::OkStatus();
}

template <typename T>
std::vector<T> From(absl::Span<const T> all, std::size_t first) {
  const absl::Span<const T> rest = all.subspan(first);
  return {rest.begin(), rest.end()};
}

}  // namespace

CheckpointWriter::~CheckpointWriter() {
  if (thread_.joinable()) thread_.join();
}

void CheckpointWriter::ContinueFrom(const Checkpoint& checkpoint) {
  base_ = {.mark = checkpoint.replica.mark(),
           .next_offset = checkpoint.next_offset,
           .past_hash = checkpoint.past_hash};
}

absl::Status CheckpointWriter::Wait() {
  if (thread_.joinable()) thread_.join();
  if (pending_.has_value() && status_.ok()) base_ = *pending_;
  pending_.reset();
  return status_;
}

void CheckpointWriter::Write(const Replica& replica, std::uint64_t next_offset,
                             const Digest& last_record_hash) {
  static_cast<void>(Wait());  // what failed before is of no matter now
  checkpoint_format::PastFile past;
  past.log_identity = options_.log_identity;
  past.next_offset = next_offset;
  past.previous = base_.next_offset;
  past.previous_hash = base_.past_hash;
  past.rejected = From(replica.rejected(), base_.mark.rejected);
  past.preempted = From(replica.preempted(), base_.mark.preempted);
  past.market = replica.market().PastImage(base_.mark.market);
  checkpoint_format::StateFile state;
  state.log_identity = options_.log_identity;
  state.rules_version = kRulesVersion;
  state.next_offset = next_offset;
  state.last_offset = replica.offset();
  state.last_record_hash = last_record_hash;
  state.digest = replica.digest();
  state.events = replica.events();
  state.time_ms = replica.market().time_ms();
  state.present = replica.market().PresentImage();
  pending_ = Base{.mark = replica.mark(), .next_offset = next_offset, .past_hash = {}};
  done_ = false;
  thread_ = std::thread([this, state = std::move(state), past = std::move(past)]() mutable {
    status_ = WriteFiles(std::move(state), past, *pending_);
    done_ = true;
  });
}

absl::Status CheckpointWriter::WriteFiles(checkpoint_format::StateFile state,
                                          const checkpoint_format::PastFile& past,
                                          Base& next) const {
  std::error_code error;
  std::filesystem::create_directories(options_.dir, error);
  if (error) {
    return absl::ErrnoToStatus(error.value(),
                               absl::StrCat("cannot make the folder ", options_.dir));
  }
  RemoveParts(options_.dir);
  if (absl::Status room = CheckDiskSpace(options_.dir); !room.ok()) return room;
  const std::string past_bytes = checkpoint_format::Encode(past);
  state.past_hash = checkpoint_format::HashOf(past_bytes);
  next.past_hash = state.past_hash;
  const std::string folder = options_.dir + "/";
  // The piece first: a state is never there without what it needs.
  absl::Status status =
      WriteWhole(folder + checkpoint_format::PastFileName(past.next_offset), past_bytes);
  if (status.ok()) {
    status = WriteWhole(folder + checkpoint_format::StateFileName(state.next_offset),
                        checkpoint_format::Encode(state));
  }
  return status.ok() ? SyncFolder(options_.dir) : status;
}

}  // namespace qmarket
