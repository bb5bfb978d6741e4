// The path of a Unix-domain socket, however long the name of its folder is.
//
// An address has room for 107 bytes only. A longer path is given as /proc/self/fd/N/NAME, where N
// is the folder, open for as long as this lives.
#ifndef QMARKET_MATCHER_PROCESS_SOCKET_PATH_H_
#define QMARKET_MATCHER_PROCESS_SOCKET_PATH_H_

#include <string>

#include "absl/status/statusor.h"

namespace qmarket {

class ShortSocketPath {
 public:
  // Errors: NotFound and its like, where the folder cannot be opened.
  static absl::StatusOr<ShortSocketPath> For(const std::string& path);

  ShortSocketPath(ShortSocketPath&& other) noexcept;
  ShortSocketPath(const ShortSocketPath&) = delete;
  ShortSocketPath& operator=(const ShortSocketPath&) = delete;
  ShortSocketPath& operator=(ShortSocketPath&&) = delete;
  ~ShortSocketPath();

  [[nodiscard]] const std::string& get() const { return path_; }

 private:
  ShortSocketPath(std::string path, int folder) : path_(std::move(path)), folder_(folder) {}

  std::string path_;
  int folder_;  // -1: the path is short enough
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_SOCKET_PATH_H_
