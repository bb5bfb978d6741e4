// A progress line on stderr for work that takes long; silent where stderr is no terminal.
//
//   Progress progress("replaying");
//   for (...) progress.Update(done, total);
//
// Nothing is shown in the first half second, and nothing is left when it ends. Update is cheap:
// call it for every item. Not thread-safe. It reads the clock, for display only.
#ifndef QMARKET_CONNECTORS_CLI_PROGRESS_H_
#define QMARKET_CONNECTORS_CLI_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/time/time.h"

namespace qmarket {

class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  // `total` 0: not known.
  void Update(std::uint64_t done, std::uint64_t total = 0) {
    if (shown_at_all_ && (++calls_ & kEveryMask) == 0) Show(done, total);
  }

 private:
  static constexpr std::uint64_t kEveryMask = 0xFF;  // the clock is read at every 256th call

  void Show(std::uint64_t done, std::uint64_t total);

  std::string what_;
  bool shown_at_all_;
  bool drawn_ = false;
  std::uint64_t calls_ = 0;
  absl::Time start_;
  absl::Time last_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_PROGRESS_H_
