#include "tests/support/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "events/check.h"

namespace qmarket {

Child::Child(const std::vector<std::string>& arguments) {
  int ends[2] = {-1, -1};
  QM_CHECK(::pipe2(ends, O_CLOEXEC) == 0, "no pipe can be made");
  ::posix_spawn_file_actions_t actions;
  QM_CHECK(::posix_spawn_file_actions_init(&actions) == 0, "no process can be prepared");
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> copy = arguments;
  std::vector<char*> argv;
  argv.reserve(copy.size() + 1);
  for (std::string& argument : copy)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  QM_CHECK(::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) == 0,
           "a child cannot be started");
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  output_ = ends[0];
}

Child::~Child() {
  if (!status_.has_value()) {
    Kill(SIGKILL);
    Wait();
  }
  ::close(output_);
}

bool Child::Fill() {
  char buffer[4096];
  ssize_t got = -1;
  do {
    got = ::read(output_, buffer, sizeof(buffer));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  unread_.append(buffer, static_cast<std::size_t>(got));
  return true;
}

std::optional<std::string> Child::ReadLine() {
  std::size_t end = unread_.find('\n');
  while (end == std::string::npos && Fill())
    end = unread_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

std::string Child::ReadAll() {
  while (Fill()) {
  }
  return std::exchange(unread_, {});
}

void Child::Kill(int signal) const {
  if (!status_.has_value()) ::kill(pid_, signal);
}

int Child::Wait() {
  int status = 0;
  while (!status_.has_value()) {
    if (::waitpid(pid_, &status, 0) != pid_) {
      QM_CHECK(errno == EINTR, "a child is lost");
      continue;
    }
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return *status_;
}

}  // namespace qmarket
