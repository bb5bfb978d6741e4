// What the tests of the simulation share: small traces, and running them in memory.
#ifndef QMARKET_TESTS_SIMULATE_TESTING_H_
#define QMARKET_TESTS_SIMULATE_TESTING_H_

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "connectors/simulate/memory_host.h"
#include "connectors/simulate/report.h"
#include "connectors/simulate/scenario.h"
#include "connectors/simulate/simulation.h"
#include "connectors/simulate/trace.h"

namespace qmarket {

inline constexpr std::int64_t kMinute = 60'000;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kStart = 1'700'000'040'000;  // on a minute

// A job of team `team` in the pool of the same name plus "-pool", on h100; times from kStart.
inline TraceJob Job(const std::string& id, const std::string& team, std::int64_t submit_ms,
                    std::uint32_t chips, std::int64_t duration_ms) {
  return {.id = id,
          .submit_ms = kStart + submit_ms,
          .team = team,
          .pool = team + "-pool",
          .resource = "h100",
          .chips = chips,
          .duration_ms = duration_ms};
}

// Shared h100 chips.
inline TraceSupply Shared(std::int64_t time_ms, std::uint32_t chips) {
  return {.time_ms = kStart + time_ms, .owner = "", .resource = "h100", .chips = chips};
}

inline Scenario BuildOrDie(const Trace& trace, const MarketFile& file = {},
                           const ScenarioOptions& options = {}) {
  absl::StatusOr<Scenario> scenario = BuildScenario(trace, file, options);
  EXPECT_TRUE(scenario.ok()) << scenario.status();
  return scenario.ok() ? *std::move(scenario) : Scenario{};
}

inline SimulationReport RunInMemory(const Scenario& scenario) {
  MemoryHost host;
  Simulation simulation(scenario, host);
  absl::StatusOr<SimulationReport> report = simulation.Run(nullptr);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : SimulationReport{};
}

}  // namespace qmarket

#endif  // QMARKET_TESTS_SIMULATE_TESTING_H_
