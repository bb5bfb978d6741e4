#include "matcher/process/disk_space.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace qmarket {

absl::Status CheckDiskSpace(const std::string& dir) {
  struct statvfs space {};

  if (::statvfs(dir.c_str(), &space) != 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot ask for the free space of ", dir));
  }
  const std::uint64_t free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  if (free_bytes >= kReservedDiskBytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "the disk of ", dir, " is full: ", free_bytes >> 20, " MB are free, and the last ",
      kReservedDiskBytes >> 20, " MB are kept for what is in the log already; make room"));
}

}  // namespace qmarket
