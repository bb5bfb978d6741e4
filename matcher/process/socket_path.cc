#include "matcher/process/socket_path.h"

#include <fcntl.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace qmarket {

absl::StatusOr<ShortSocketPath> ShortSocketPath::For(const std::string& path) {
  if (path.size() < sizeof(sockaddr_un::sun_path)) return ShortSocketPath(path, -1);
  const std::filesystem::path whole(path);
  const std::string folder = whole.parent_path().string();
  const int open = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (open < 0) return absl::ErrnoToStatus(errno, absl::StrCat("cannot open the folder ", folder));
  return ShortSocketPath(absl::StrCat("/proc/self/fd/", open, "/", whole.filename().string()),
                         open);
}

ShortSocketPath::ShortSocketPath(ShortSocketPath&& other) noexcept
    : path_(std::move(other.path_)), folder_(std::exchange(other.folder_, -1)) {}

ShortSocketPath::~ShortSocketPath() {
  if (folder_ >= 0) ::close(folder_);
}

}  // namespace qmarket
