#include "connectors/cli/input.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

namespace qmarket {
namespace {

absl::Status CannotRead(const std::string& path, int error) {
  const std::string message = absl::StrCat(path, ": cannot read: ", std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
      return absl::PermissionDeniedError(message);
    default:
      return absl::InvalidArgumentError(message);
  }
}

}  // namespace

absl::StatusOr<InputFile> InputFile::Open(const std::string& path) {
  if (path == "-") {
    std::ios::sync_with_stdio(false);
    return InputFile("stdin", std::make_unique<std::istream>(std::cin.rdbuf()));
  }

  struct stat info {};

  if (::stat(path.c_str(), &info) != 0) return CannotRead(path, errno);
  if (S_ISDIR(info.st_mode)) return CannotRead(path, EISDIR);
  errno = 0;
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!file->is_open()) return CannotRead(path, errno);
  return InputFile(path, std::move(file));
}

absl::Status InputFile::status() const {
  if (!stream_->bad()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(name_, ": reading stopped before the end of the file"));
}

absl::StatusOr<std::string> InputFile::ReadAll() {
  std::string text{std::istreambuf_iterator<char>(*stream_), std::istreambuf_iterator<char>()};
  if (absl::Status read = status(); !read.ok()) return read;
  return text;
}

}  // namespace qmarket
