#include "events/durable_mark.h"

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "events/big_endian.h"
#include "events/fingerprint.h"

namespace qmarket {
namespace {

constexpr std::size_t kMarkBytes = 16;

using MarkBytes = std::array<char, kMarkBytes>;

MarkBytes BytesOf(std::uint64_t end) {
  const BigEndian offset = ToBigEndian(end);
  const Digest digest = Sha256({absl::string_view(offset.data(), offset.size())});
  MarkBytes bytes;
  std::copy(offset.begin(), offset.end(), bytes.begin());
  std::transform(digest.begin(), digest.begin() + (kMarkBytes - offset.size()),
                 bytes.begin() + offset.size(),
                 [](std::uint8_t byte) { return static_cast<char>(byte); });
  return bytes;
}

absl::Status FileError(absl::string_view what, const std::string& path) {
  return absl::ErrnoToStatus(errno, absl::StrCat(what, " ", path));
}

}  // namespace

absl::StatusOr<DurableMark> DurableMark::Open(const std::string& path) {
  constexpr mode_t kPermissions = 0644;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kPermissions);
  if (file < 0) return FileError("cannot open", path);
  return DurableMark(file, path);
}

absl::StatusOr<std::uint64_t> DurableMark::Read(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return 0;
  if (file < 0) return FileError("cannot open", path);
  MarkBytes bytes{};
  const ssize_t size = pread(file, bytes.data(), bytes.size(), 0);
  const absl::Status failure = size < 0 ? FileError("cannot read", path) : absl::OkStatus();
  close(file);
  if (!failure.ok()) return failure;
  const std::uint64_t end = FromBigEndian(absl::string_view(bytes.data(), bytes.size()));
  if (size == 0) return 0;  // made, and the process ended before it was written
  if (size != kMarkBytes || bytes != BytesOf(end)) {
    return absl::DataLossError(
        absl::StrCat(path,
                     " is damaged; without it what it is for can be opened, and a loss of "
                     "acknowledged data would not be noticed"));
  }
  return end;
}

DurableMark::DurableMark(DurableMark&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)) {}

DurableMark& DurableMark::operator=(DurableMark&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(path_, other.path_);
  return *this;
}

DurableMark::~DurableMark() {
  if (file_ >= 0) close(file_);
}

absl::Status DurableMark::Write(std::uint64_t end) {
  const MarkBytes bytes = BytesOf(end);
  if (pwrite(file_, bytes.data(), bytes.size(), 0) != kMarkBytes) {
    return FileError("cannot write", path_);
  }
  return absl::OkStatus();
}

}  // namespace qmarket
