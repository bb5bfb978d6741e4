// Notices that this process did not run for a while: it was stopped, or its machine slept.
//
//   StallWatch watch;
//   if (watch.TakeLongest() > absl::Seconds(6)) ...
//
// Thread-safe. It has a thread of its own, which wakes up ten times a second.
#ifndef QMARKET_MATCHER_PROCESS_STALL_WATCH_H_
#define QMARKET_MATCHER_PROCESS_STALL_WATCH_H_

#include <atomic>
#include <cstdint>
#include <thread>

#include "absl/time/time.h"

namespace qmarket {

class StallWatch {
 public:
  StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;
  ~StallWatch();

  // The longest time that it did not run since the last call.
  absl::Duration TakeLongest() { return absl::Milliseconds(longest_ms_.exchange(0)); }

 private:
  void Watch();

  std::atomic<bool> stop_ = false;
  std::atomic<std::int64_t> longest_ms_ = 0;
  std::thread thread_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_STALL_WATCH_H_
