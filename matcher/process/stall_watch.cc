#include "matcher/process/stall_watch.h"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <thread>

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace qmarket {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(100);

// A clock that cannot be set, and goes on while the machine sleeps.
std::int64_t SinceBootMs() {
  ::timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

StallWatch::StallWatch() : thread_([this] { Watch(); }) {}

StallWatch::~StallWatch() {
  stop_ = true;
  thread_.join();
}

void StallWatch::Watch() {
  std::int64_t before = SinceBootMs();
  while (!stop_) {
    absl::SleepFor(kLook);
    const std::int64_t now = SinceBootMs();
    longest_ms_ = std::max(longest_ms_.load(), now - before);
    before = now;
  }
}

}  // namespace qmarket
