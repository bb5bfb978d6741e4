// Random logs of a small, crowded market, for property tests: three pools, some of them with chips
// of their own, six teams, three resources; all kinds of events, also wrong, repeated and late
// ones.
#ifndef QMARKET_TESTS_MATCHER_RANDOM_LOG_H_
#define QMARKET_TESTS_MATCHER_RANDOM_LOG_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "matcher/core/input.h"

namespace qmarket {

// The same seed and length give the same log.
[[nodiscard]] std::vector<Input> RandomLog(std::uint64_t seed, std::size_t events);

// A seed for a test: that of the environment variable QMARKET_SEED, else a random one. The test
// prints it.
[[nodiscard]] std::uint64_t TestSeed();

}  // namespace qmarket

#endif  // QMARKET_TESTS_MATCHER_RANDOM_LOG_H_
