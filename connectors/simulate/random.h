// Numbers drawn from a seed: the same on every machine, integers alone.
//
// The generator is SplitMix64 (Steele, Lea, Flood 2014). Not for secrets.
#ifndef QMARKET_CONNECTORS_SIMULATE_RANDOM_H_
#define QMARKET_CONNECTORS_SIMULATE_RANDOM_H_

#include <cstdint>

#include "events/check.h"
#include "events/int128.h"

namespace qmarket {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  // A stream of its own for each pair of numbers, whatever was drawn elsewhere.
  SeededRandom(std::uint64_t seed, std::uint64_t stream)
      : state_(Mix(seed) ^ Mix(stream * 0xD1342543DE82EF95U + 1)) {}

  std::uint64_t Next() {
    state_ += 0x9E3779B97F4A7C15U;
    return Mix(state_);
  }

  // From 0 to bound - 1. The bias is below bound / 2^64.
  std::uint64_t Below(std::uint64_t bound) {
    QM_CHECK(bound > 0, "a random number below zero");
    return static_cast<std::uint64_t>((static_cast<Uint128>(Next()) * bound) >> 64);
  }

 private:
  static std::uint64_t Mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_RANDOM_H_
