// A generated event log of a busy day, for measuring replays.
//
// Every bid is placed, most are amended and withdrawn, teams are granted and move credits, supply
// and incomes change now and then, usage is reported all the time, and the clock ticks every
// minute. The same numbers give the same events on any machine.
#ifndef QMARKET_TESTS_WORKLOAD_WORKLOAD_H_
#define QMARKET_TESTS_WORKLOAD_WORKLOAD_H_

#include <cstdint>
#include <functional>

#include "events/event.h"

namespace qmarket {

struct WorkloadSize {
  std::uint64_t seed = 1;
  std::uint64_t events = 1'000'000;
  std::uint64_t bids = 100'000;
  std::uint64_t teams = 1'000;
  std::uint64_t pools = 20;
  std::uint64_t resources = 8;
  std::uint64_t ticks = 1'440;          // one a minute
  std::uint64_t mean_bid_minutes = 60;  // how long a bid stands
};

// Gives the events in the order of the log, exactly `events` of them. `bids` and `ticks` together
// must leave room for withdrawals: about 2 * bids + ticks + 3 * teams <= events.
void MakeWorkload(const WorkloadSize& size, const std::function<void(const Event&)>& give);

}  // namespace qmarket

#endif  // QMARKET_TESTS_WORKLOAD_WORKLOAD_H_
