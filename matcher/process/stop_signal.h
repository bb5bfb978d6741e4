// Asks whether SIGINT or SIGTERM has come, instead of being interrupted by them.
#ifndef QMARKET_MATCHER_PROCESS_STOP_SIGNAL_H_
#define QMARKET_MATCHER_PROCESS_STOP_SIGNAL_H_

#include <csignal>

namespace qmarket {

// Blocks both signals in the calling thread, and so in those that it starts, for as long as it
// lives. Use it from the thread that made it.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;
  ~StopSignal();

  // Whether one has come; true from then on.
  bool Raised();

 private:
  ::sigset_t signals_{};
  ::sigset_t before_{};
  bool raised_ = false;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_STOP_SIGNAL_H_
