// A program that a test starts, talks to line by line, and kills.
#ifndef QMARKET_TESTS_EVENTS_CHILD_PROCESS_H_
#define QMARKET_TESTS_EVENTS_CHILD_PROCESS_H_

#include <sys/types.h>

#include <cstdio>
#include <string>
#include <vector>

namespace qmarket {

class ChildProcess {
 public:
  explicit ChildProcess(const std::vector<std::string>& command);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Kills it where it still runs.
  ~ChildProcess();

  void WriteLine(const std::string& line);

  // Without the newline; empty at the end.
  std::string ReadLine();

  // Ends it at once, as a crash would.
  void Kill();

  // Closes its input and waits; its exit status.
  int Finish();

 private:
  void CloseInput();

  pid_t process_ = -1;
  std::FILE* input_ = nullptr;
  std::FILE* output_ = nullptr;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_EVENTS_CHILD_PROCESS_H_
