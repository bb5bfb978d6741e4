// A generated cluster trace: ten days of a fleet of two chip types, for the demo.
//
// Sizes, durations and the rhythm of day and week are like those published for Microsoft's Philly
// cluster (Jeon et al., ATC 2019): about 60 jobs an hour, four in five on one chip, half of them
// over within minutes and one in ten longer than most of a day, few teams with most of the jobs.
// Integers and tables alone: a seed gives the same bytes on any machine.
#ifndef QMARKET_CONNECTORS_SIMULATE_WORKLOAD_H_
#define QMARKET_CONNECTORS_SIMULATE_WORKLOAD_H_

#include <cstdint>
#include <string>

#include "connectors/simulate/trace.h"

namespace qmarket {

// 2025-03-03, a Monday, 00:00 UTC.
inline constexpr std::int64_t kWorkloadStartMs = 1'740'960'000'000;
inline constexpr std::int64_t kWorkloadDays = 10;

// 11 pools, 130 teams, two resources of 1,720 chips together, some of them owned by pools, and an
// outage. Jobs that were submitted before the start and still run then are part of it.
[[nodiscard]] Trace GenerateWorkload(std::uint64_t seed);

// The market file that goes with it (market_file.h).
[[nodiscard]] std::string WorkloadMarketFile(std::uint64_t seed);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_WORKLOAD_H_
