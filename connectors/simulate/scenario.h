// What a simulation plays: a trace with everything that the market needs to know, filled in.
//
// Pools, teams, resources and jobs refer to each other by their place in the vectors. Amounts are
// micro-credits, times milliseconds, work chip-milliseconds. A plain value; BuildScenario is a pure
// function of its inputs, so the same files and seed give the same scenario on any machine.
#ifndef QMARKET_CONNECTORS_SIMULATE_SCENARIO_H_
#define QMARKET_CONNECTORS_SIMULATE_SCENARIO_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "connectors/simulate/market_file.h"
#include "connectors/simulate/trace.h"
#include "events/event.h"

namespace qmarket {

struct ScenarioPool {
  std::string name;
  std::int64_t weight_micros_per_hour = 0;
  bool lend_idle = true;
};

struct ScenarioTeam {
  std::string name;  // in the market
  std::uint32_t pool = 0;
  std::int64_t income_micros_per_hour = 0;
  std::uint32_t income_leverage_percent = 0;
  std::int64_t grant_micros = 0;
};

struct ScenarioJob {
  std::string id;  // of the job and of its bid
  std::uint32_t team = 0;
  std::uint32_t resource = 0;
  std::int64_t submit_ms = 0;   // in the trace
  std::int64_t arrival_ms = 0;  // when its bid is placed
  std::uint32_t chips = 0;
  std::uint32_t min_chips = 0;
  std::int64_t limit_price_micros = -1;
  std::int32_t priority = 0;
  bool opportunistic = false;
  bool standby = true;
  std::int64_t work_chip_ms = 0;

  // Submitted before the simulation starts; its waiting time is not known.
  [[nodiscard]] bool early() const { return submit_ms < arrival_ms; }
};

struct ScenarioSupply {
  std::int64_t time_ms = 0;
  std::uint32_t resource = 0;
  std::optional<std::uint32_t> pool = std::nullopt;  // none: shared
  std::uint32_t chips = 0;
};

struct Scenario {
  MarketConfigured market;
  std::vector<ScenarioPool> pools;     // by name
  std::vector<ScenarioTeam> teams;     // by pool, then name
  std::vector<std::string> resources;  // by name
  std::vector<ScenarioJob> jobs;       // by arrival, then as in the trace
  std::vector<ScenarioSupply> supply;  // by time, then as in the trace; not before start_ms
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;         // no bid is placed after it
  bool drain = false;              // go on after end_ms until all work is done
  std::int64_t checkpoint_ms = 0;  // running time between two checkpoints; 0: nothing is ever lost
  std::int64_t jobs_left_out = 0;  // over before the start, or submitted after the end
};

// What becomes of jobs that were submitted before the start.
enum class EarlyJobs {
  kRemaining,  // taken as running since they were submitted: they have the rest still to do
  kWhole,      // they have everything still to do
  kSkip,       // they are left out
};

struct ScenarioOptions {
  std::optional<std::int64_t> start_ms;  // none: the first supply, or where that is later, ...
  std::optional<std::int64_t> until_ms;  // none: the last submission or supply change
  EarlyJobs early = EarlyJobs::kRemaining;
  bool drain = false;
  std::int64_t checkpoint_ms = 1'800'000;
};

// Error: InvalidArgument where the market file names what the trace does not have, or where the
// window is empty.
[[nodiscard]] absl::StatusOr<Scenario> BuildScenario(const Trace& trace, const MarketFile& file,
                                                     const ScenarioOptions& options);

// The events that set the market up at scenario.start_ms: settings, pools, teams and grants.
[[nodiscard]] std::vector<Event> SetupEvents(const Scenario& scenario);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_SCENARIO_H_
