// When the next checkpoint is due: once so many records were applied, or so much work was done that
// doing it again would keep somebody waiting.
//
// Not thread-safe.
#ifndef QMARKET_MATCHER_PROCESS_CHECKPOINT_SCHEDULE_H_
#define QMARKET_MATCHER_PROCESS_CHECKPOINT_SCHEDULE_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/time/time.h"

namespace qmarket {

class CheckpointSchedule {
 public:
  // After so many records, 0: never; by work if not given.
  explicit CheckpointSchedule(std::optional<std::uint64_t> records) : every_(records) {}

  // Records were applied, which took so long.
  void Applied(std::uint64_t records, absl::Duration work) {
    records_ += records;
    work_ += work;
  }

  [[nodiscard]] bool IsDue() const {
    if (every_.has_value()) return *every_ > 0 && records_ >= *every_;
    return work_ >= std::max(kWork, kCost * cost_);
  }

  // Whether the end of a run is worth one.
  [[nodiscard]] bool IsWorthwhile() const {
    return records_ > 0 && (every_.has_value() ? *every_ > 0 : work_ >= kLeastWork);
  }

  // One was begun, which kept the applying waiting for so long.
  void Begun(absl::Duration cost) {
    records_ = 0;
    work_ = absl::ZeroDuration();
    cost_ = cost;
  }

 private:
  static constexpr absl::Duration kWork = absl::Milliseconds(400);
  static constexpr absl::Duration kLeastWork = absl::Milliseconds(20);
  static constexpr int kCost = 20;  // so that checkpoints take a twentieth of the time at most

  std::optional<std::uint64_t> every_;
  std::uint64_t records_ = 0;
  absl::Duration work_;
  absl::Duration cost_;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_CHECKPOINT_SCHEDULE_H_
