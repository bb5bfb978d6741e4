#include "matcher/process/stop_signal.h"

#include <csignal>
#include <ctime>

#include "events/check.h"

namespace qmarket {

StopSignal::StopSignal() {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, SIGINT);
  ::sigaddset(&signals_, SIGTERM);
  QM_CHECK(::pthread_sigmask(SIG_BLOCK, &signals_, &before_) == 0, "signals cannot be blocked");
}

StopSignal::~StopSignal() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool StopSignal::Raised() {
  const ::timespec now = {};
  if (!raised_) raised_ = ::sigtimedwait(&signals_, nullptr, &now) > 0;
  return raised_;
}

}  // namespace qmarket
