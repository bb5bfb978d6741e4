#include "connectors/simulate/work.h"

#include <algorithm>

#include "events/check.h"

namespace qmarket {

void Work::AdvanceTo(std::int64_t time_ms) {
  QM_CHECK(time_ms >= time_ms_, "a job's time goes back");
  if (chips_ > 0) {
    const std::int64_t last_checkpoint =
        checkpoint_ms_ == 0 ? time_ms
                            : since_ms_ + (time_ms - since_ms_) / checkpoint_ms_ * checkpoint_ms_;
    if (last_checkpoint > since_ms_ && last_checkpoint >= time_ms_) {
      kept_ = std::min(wanted_, done_ + chips_ * (last_checkpoint - time_ms_));
    }
    done_ = std::min(wanted_, done_ + chips_ * (time_ms - time_ms_));
  }
  time_ms_ = time_ms;
}

std::int64_t Work::SetChips(std::int64_t time_ms, std::int64_t chips) {
  AdvanceTo(time_ms);
  std::int64_t lost = 0;
  if (chips_ == 0 && chips > 0) {
    since_ms_ = time_ms;
    kept_ = done_;
  }
  if (chips_ > 0 && chips == 0 && !finished()) {
    lost = done_ - kept_;
    done_ = kept_;
  }
  chips_ = chips;
  return lost;
}

std::optional<std::int64_t> Work::FinishTime() const {
  if (chips_ == 0) return std::nullopt;
  return time_ms_ + (wanted_ - done_ + chips_ - 1) / chips_;
}

}  // namespace qmarket
