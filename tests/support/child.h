// A program that a test runs beside itself, reads from, and kills.
#ifndef QMARKET_TESTS_SUPPORT_CHILD_H_
#define QMARKET_TESTS_SUPPORT_CHILD_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace qmarket {

// Not thread-safe. A child that still runs at the end of its Child is killed.
class Child {
 public:
  // arguments[0] is the program. Its stdout and stderr come here, both in one.
  explicit Child(const std::vector<std::string>& arguments);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  // The next line of what it says; none once it has ended and all was read.
  std::optional<std::string> ReadLine();

  // Sends it a signal; SIGKILL cannot be refused.
  void Kill(int signal) const;

  // Waits until it has ended. Its exit status, or minus the signal that killed it.
  int Wait();

  // All that it said and that was not read as a line.
  std::string ReadAll();

 private:
  bool Fill();

  pid_t pid_ = -1;
  int output_ = -1;
  std::string unread_;
  std::optional<int> status_;
};

}  // namespace qmarket

#endif  // QMARKET_TESTS_SUPPORT_CHILD_H_
