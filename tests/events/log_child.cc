// A process of its own for the tests of the log.
//
//   log_child append DIR     appends durable records, one after another, for ever, from several
//                            threads; prints a record's text and offset once it is acknowledged
//   log_child write DIR      opens for writing, prints "open", appends each line of stdin durably
//   and
//                            prints its offset; ends with stdin
//   log_child limited DIR    as write, but no file may become larger than 200,000 bytes
//
// Output is flushed line by line.

#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <ios>
#include <iostream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"

#include "events/embedded_log.h"

namespace qmarket {
namespace {

constexpr int kThreads = 4;

void Print(const std::string& line) {
  static std::mutex mutex;
  const std::lock_guard<std::mutex> lock(mutex);
  std::fputs(absl::StrCat(line, "\n").c_str(), stdout);
  std::fflush(stdout);
}

void AppendForEver(EmbeddedLog& log, int thread) {
  for (int i = 0;; ++i) {
    // Calls of one, two and three records.
    std::vector<std::string> records;
    for (int part = 0; part <= i % 3; ++part) {
      records.push_back(absl::StrCat(thread, "-", i, "-", part));
    }
    const absl::StatusOr<AppendedRange> range = log.Append(records, EventLog::Durability::kDurable);
    if (!range.ok()) {
      Print(absl::StrCat("! ", range.status().ToString()));
      return;
    }
    for (std::size_t n = 0; n < records.size(); ++n) {
      Print(absl::StrCat(records[n], " ", range->first + n));
    }
  }
}

int Append(EmbeddedLog& log) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&log, i] { AppendForEver(log, i); });
  for (std::thread& thread : threads)
    thread.join();
  return 1;
}

int Write(EmbeddedLog& log) {
  Print("open");
  std::string line;
  while (std::getline(std::cin, line)) {
    const absl::StatusOr<AppendedRange> range = log.Append({line}, EventLog::Durability::kDurable);
    Print(range.ok() ? absl::StrCat(range->first) : range.status().ToString());
  }
  return 0;
}

// As a full disk does, this fails writes somewhere within.
void LimitFiles() {
  constexpr rlim_t kBytes = 200'000;
  const rlimit limit{kBytes, kBytes};
  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::perror("setrlimit");
}

int Run(const std::string& command, const std::string& dir) {
  if (command == "limited") LimitFiles();
  const absl::StatusOr<std::unique_ptr<EmbeddedLog>> log =
      EmbeddedLog::Open(dir, EmbeddedLog::Mode::kReadWrite);
  if (!log.ok()) {
    Print(log.status().ToString());
    return 1;
  }
  return command == "append" ? Append(**log) : Write(**log);
}

}  // namespace
}  // namespace qmarket

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  if (argc != 3) return 2;
  return qmarket::Run(argv[1], argv[2]);
}
