#include "connectors/cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"

#include "connectors/cli/exit_status.h"

namespace qmarket {
namespace {

constexpr std::size_t kBufferBytes = 1U << 16U;

}  // namespace

void Output::Write(absl::string_view text) {
  if (!status_.ok()) return;
  buffer_.append(text.data(), text.size());
  if (buffer_.size() >= kBufferBytes) WriteOut();
}

absl::Status Output::Flush() {
  if (status_.ok()) WriteOut();
  return status_;
}

void Output::WriteOut() {
  absl::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      status_ = errno == EPIPE ? BrokenPipeError()
                               : absl::InternalError(absl::StrCat("standard output: cannot write: ",
                                                                  std::strerror(errno)));
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

bool Output::is_terminal() const {
  return ::isatty(descriptor_) == 1;
}

std::size_t Output::width() const {
  if (!is_terminal()) return 0;
  winsize size{};
  if (::ioctl(descriptor_, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

bool Output::colour() const {
  if (!is_terminal()) return false;
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || absl::string_view(terminal) != "dumb";
}

}  // namespace qmarket
