// The simulated ten days of `qmarket demo`: the market's inputs, and who was preempted.
#ifndef QMARKET_TESTS_EXPLAIN_TEN_DAYS_H_
#define QMARKET_TESTS_EXPLAIN_TEN_DAYS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "matcher/core/input.h"

namespace qmarket {

// A bid that lost all its chips at a cycle.
struct PreemptedAt {
  std::uint64_t offset = 0;
  std::string bid{};
};

struct TenDays {
  std::vector<Input> inputs;  // in order, offsets counted from 0
  std::vector<PreemptedAt> preempted;
};

// Runs the simulation with this seed of the workload in memory. Stops the process where it fails.
[[nodiscard]] TenDays SimulateTenDays(std::uint64_t seed);

}  // namespace qmarket

#endif  // QMARKET_TESTS_EXPLAIN_TEN_DAYS_H_
