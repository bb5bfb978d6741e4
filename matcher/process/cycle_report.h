// One line for people about each cycle: what came in, what chips cost, how many are in use.
//
//   cycle 12 at 2026-01-01T00:12:00Z: 34 events (1 rejected), h100 2.5 cr/h, 96 of 100 chips
//
// Not thread-safe.
#ifndef QMARKET_MATCHER_PROCESS_CYCLE_REPORT_H_
#define QMARKET_MATCHER_PROCESS_CYCLE_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

#include "events/outcome.h"

namespace qmarket {

class CycleReport {
 public:
  // Takes the outcomes of the next record. Gives the line of its cycle if it cleared the market,
  // else an empty text.
  std::string Add(absl::Span<const Outcome> outcomes);

 private:
  std::uint64_t events_ = 0;  // since the last cycle
  std::uint64_t rejected_ = 0;
};

}  // namespace qmarket

#endif  // QMARKET_MATCHER_PROCESS_CYCLE_REPORT_H_
