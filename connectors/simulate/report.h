// What a simulation found, as plain values.
//
// Work and chip-time are chip-milliseconds, amounts micro-credits, times milliseconds; all are
// whole numbers, so equal runs give equal reports. "Waiting" is from submission to the first chip,
// of the jobs submitted within the window; one that never got a chip counts with its wait so far.
#ifndef QMARKET_CONNECTORS_SIMULATE_REPORT_H_
#define QMARKET_CONNECTORS_SIMULATE_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "events/int128.h"

namespace qmarket {

struct WaitReport {
  std::int64_t jobs = 0;
  std::int64_t jobs_not_started = 0;  // of them
  std::int64_t mean_ms = 0;
  std::int64_t p50_ms = 0;
  std::int64_t p95_ms = 0;
};

struct WorkReport {
  std::int64_t jobs = 0;
  std::int64_t jobs_done = 0;
  Int128 brought = 0;    // all work of the jobs
  Int128 demand = 0;     // of it, what could be done within the window if every job started at once
  Int128 done = 0;       // and kept
  Int128 lost = 0;       // done, and lost to a preemption
  Int128 held = 0;       // chip-time: done + lost + what rounding to whole milliseconds takes
  Int128 held_paid = 0;  // of it
};

struct TeamReport {
  std::string team = {};
  std::string pool = {};
  WorkReport work = {};
  WaitReport wait = {};
  std::int64_t preemptions = 0;
  std::int64_t income_micros_per_hour = 0;
  Int128 minted_micros = 0;
  Int128 spent_micros = 0;
  std::int64_t left_micros = 0;
};

struct PoolReport {
  std::string pool = {};
  std::int64_t teams = 0;
  WorkReport work = {};
  WaitReport wait = {};
  std::int64_t preemptions = 0;
  std::int64_t weight_micros_per_hour = 0;
  std::int64_t purse_micros = 0;
  Int128 minted_micros = 0;
  Int128 spent_micros = 0;
  Int128 left_micros = 0;
};

struct ResourceReport {
  std::string resource = {};
  Int128 supplied = 0;     // chip-time
  Int128 held = 0;         // of it
  Int128 held_paid = 0;    // of that
  Int128 usable_idle = 0;  // idle after a cycle though a standing bid could have used it
  Int128 freed_idle = 0;   // given back between two cycles, and idle until the next
  std::vector<std::optional<std::int64_t>> reference_prices = {};  // of each cycle
};

struct SimulationReport {
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;
  std::int64_t cycle_ms = 0;
  std::int64_t checkpoint_ms = 0;
  std::uint64_t cycles = 0;
  std::uint64_t events = 0;
  std::int64_t jobs_left_out = 0;
  WorkReport work = {};
  WaitReport wait = {};
  std::map<std::string, std::int64_t> preemptions = {};  // by reason
  std::vector<ResourceReport> resources = {};
  std::vector<PoolReport> pools = {};
  std::vector<TeamReport> teams = {};
  std::uint64_t checked_cycles = 0;
  std::uint64_t violations = 0;
  std::vector<std::string> violation_examples = {};
  std::string digest = {};
};

// Parts of a whole in millionths, rounded down; 1,000,000 where the whole is 0.
[[nodiscard]] std::int64_t PartsPerMillion(Int128 part, Int128 whole);

// Of the chip-time that standing bids could have used after a cycle, the part that was used.
[[nodiscard]] std::int64_t UsedOfUsablePpm(const SimulationReport& report);

// Of the chip-time that was used, the part that was lost to preemptions.
[[nodiscard]] std::int64_t LostPpm(const WorkReport& work);

[[nodiscard]] std::int64_t PreemptionCount(const SimulationReport& report);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_REPORT_H_
