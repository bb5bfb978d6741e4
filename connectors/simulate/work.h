// How far a job is: work done while it holds chips, kept across preemptions as far as its last
// checkpoint.
//
//   Work work(/*chip_ms=*/8 * 3'600'000, /*checkpoint_ms=*/1'800'000);
//   work.SetChips(start, 8);
//   ... at work.FinishTime() it is done, or work.SetChips(time, 0) tells what was lost.
//
// Work is in chip-milliseconds: chips held x time. A checkpoint is made whenever the job has run
// for checkpoint_ms since it last got chips, or since the checkpoint before; a loss of all chips
// falls back to it. A change to another number of chips loses nothing. Times never fall. A plain
// value.
#ifndef QMARKET_CONNECTORS_SIMULATE_WORK_H_
#define QMARKET_CONNECTORS_SIMULATE_WORK_H_

#include <cstdint>
#include <optional>

namespace qmarket {

class Work {
 public:
  Work() = default;

  // `checkpoint_ms` 0: work is kept at every moment.
  Work(std::int64_t chip_ms, std::int64_t checkpoint_ms)
      : wanted_(chip_ms), checkpoint_ms_(checkpoint_ms) {}

  // Holds `chips` from `time_ms` on. Returns the work that is lost: above zero only if it held some
  // and now holds none before it is finished.
  std::int64_t SetChips(std::int64_t time_ms, std::int64_t chips);

  // Goes on to `time_ms` with the chips that it holds.
  void AdvanceTo(std::int64_t time_ms);

  // When all is done if nothing changes; none while it holds no chips.
  [[nodiscard]] std::optional<std::int64_t> FinishTime() const;

  [[nodiscard]] bool finished() const { return done_ == wanted_; }

  [[nodiscard]] std::int64_t wanted() const { return wanted_; }

  [[nodiscard]] std::int64_t done() const { return done_; }

  // Of `done`, what a loss of all chips would leave.
  [[nodiscard]] std::int64_t kept() const { return kept_; }

  [[nodiscard]] std::int64_t chips() const { return chips_; }

 private:
  std::int64_t wanted_ = 0;
  std::int64_t checkpoint_ms_ = 0;
  std::int64_t done_ = 0;
  std::int64_t kept_ = 0;
  std::int64_t chips_ = 0;
  std::int64_t since_ms_ = 0;  // holds chips without a break since then
  std::int64_t time_ms_ = 0;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_WORK_H_
