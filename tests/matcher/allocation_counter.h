// Counts what a test program asks of the heap. Linking allocation_counter.cc replaces operator new.
#ifndef QMARKET_TESTS_MATCHER_ALLOCATION_COUNTER_H_
#define QMARKET_TESTS_MATCHER_ALLOCATION_COUNTER_H_

#include <cstdint>

namespace qmarket {

struct Allocations {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
};

// Since the program started.
[[nodiscard]] Allocations AllocationsSoFar();

}  // namespace qmarket

#endif  // QMARKET_TESTS_MATCHER_ALLOCATION_COUNTER_H_
