// Random runs of units, exchange rates and prices, for tests that compare closed forms with what a
// slow loop finds.
#ifndef QMARKET_TESTS_MATCHER_RANDOM_RUNS_H_
#define QMARKET_TESTS_MATCHER_RANDOM_RUNS_H_

#include <cstdint>
#include <random>
#include <vector>

#include "events/int128.h"
#include "matcher/core/exchange_rate.h"
#include "matcher/core/unit_run.h"

namespace qmarket {

class RandomRuns {
 public:
  explicit RandomRuns(std::uint64_t seed) : random_(seed) {}

  // 0 ... n - 1.
  std::uint64_t Below(std::uint64_t n) { return random_() % n; }

  // 0 ... most, each order of magnitude equally likely.
  Uint128 UpTo(Uint128 most) {
    Uint128 bound = 1;
    while (bound < most && Below(8) != 0)
      bound *= 10;
    const Uint128 wide = (Uint128{random_()} << 64) | random_();
    return wide % (bound < most ? bound + 1 : most + 1);
  }

  // Of any magnitude that the ranges of the contract allow; sometimes none.
  ExchangeRate Rate() {
    const Uint128 most_numerator = Uint128{40} * 1'000'000'000'000 * 1'000'000'000;
    const Uint128 most_denominator = Uint128{4} * 1'000'000'000'000 * 1'000'000'000'000;
    return {UpTo(most_numerator), UpTo(most_denominator)};
  }

  // With reservation prices of up to `most` ticks, its prices set.
  UnitRun Run(const ExchangeRate& rate, std::int64_t most) {
    UnitRun run;
    run.units = 1 + static_cast<std::int64_t>(Below(Below(3) == 0 ? 1 : 40));
    run.unit_chips = Chips(1 + static_cast<std::int64_t>(Below(4)));
    run.team_chips_before = Chips(static_cast<std::int64_t>(Below(Below(2) == 0 ? 1 : 30)));
    run.margin = 100 + static_cast<std::uint32_t>(Below(2) * Below(60));
    run.cap = Price(Below(2) == 0 ? most : static_cast<std::int64_t>(UpTo(ToUint128(most))));
    run.purchasing_power = UpTo(ToUint128(most) * 100 * 50);
    SetPrices(run, rate);
    return run;
  }

 private:
  std::mt19937_64 random_;
};

// rho_ref of each of the run's units, by the formula of mechanism §3.4.
[[nodiscard]] inline std::vector<std::int64_t> ReferencePrices(const UnitRun& run,
                                                               const ExchangeRate& rate) {
  std::vector<std::int64_t> prices;
  for (std::int64_t place = 1; place <= run.units; ++place) {
    const Uint128 chips = ToUint128(run.team_chips_before.value() + place * run.unit_chips.value());
    Uint128 local = run.purchasing_power / (run.margin * chips);
    if (local > ToUint128(run.cap.value())) local = ToUint128(run.cap.value());
    Uint128 reference = rate.exists() ? local * rate.numerator() / rate.denominator() : 0;
    if (reference > 1'000'000'000'000) reference = 1'000'000'000'000;
    prices.push_back(static_cast<std::int64_t>(reference));
  }
  return prices;
}

}  // namespace qmarket

#endif  // QMARKET_TESTS_MATCHER_RANDOM_RUNS_H_
