#include "tests/events/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "events/check.h"

namespace qmarket {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    QM_CHECK(pipe2(ends.data(), O_CLOEXEC) == 0, "no pipe");
    read_end = ends[0];
    write_end = ends[1];
  }

  int read_end = -1;
  int write_end = -1;
};

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  const Pipe input;
  const Pipe output;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write_end, STDOUT_FILENO);
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int failure =
      posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  QM_CHECK(failure == 0, "the program of a test cannot be started");
  close(input.read_end);
  close(output.write_end);
  input_ = fdopen(input.write_end, "w");
  output_ = fdopen(output.read_end, "r");
}

ChildProcess::~ChildProcess() {
  if (process_ > 0) Kill();
  CloseInput();
  std::fclose(output_);
}

void ChildProcess::WriteLine(const std::string& line) {
  std::fputs((line + "\n").c_str(), input_);
  std::fflush(input_);
}

std::string ChildProcess::ReadLine() {
  std::string line;
  for (int c = std::fgetc(output_); c != EOF && c != '\n'; c = std::fgetc(output_)) {
    line.push_back(static_cast<char>(c));
  }
  return line;
}

void ChildProcess::Kill() {
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

int ChildProcess::Finish() {
  CloseInput();
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void ChildProcess::CloseInput() {
  if (input_ != nullptr) std::fclose(input_);
  input_ = nullptr;
}

}  // namespace qmarket
