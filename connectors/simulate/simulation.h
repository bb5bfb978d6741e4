// The closed loop: a scenario played against a market.
//
//   Simulation simulation(scenario, host);
//   absl::StatusOr<SimulationReport> report = simulation.Run(progress);
//
// A job's bid is placed when it is submitted; its work is done while the bid holds chips; the bid
// is withdrawn, as finished, at the moment it is done. A tick comes every cycle_ms from the start
// on. At one moment, jobs finish first, then supplies change, then bids are placed, then the clock
// ticks. The same scenario gives the same events. Not thread-safe.
#ifndef QMARKET_CONNECTORS_SIMULATE_SIMULATION_H_
#define QMARKET_CONNECTORS_SIMULATE_SIMULATION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include "connectors/simulate/checks.h"
#include "connectors/simulate/holdings.h"
#include "connectors/simulate/market_host.h"
#include "connectors/simulate/measures.h"
#include "connectors/simulate/report.h"
#include "connectors/simulate/scenario.h"
#include "connectors/simulate/work.h"

namespace qmarket {

class Simulation {
 public:
  // Called after every tick with the ticks done, and how many there will be (0: not known).
  using ProgressCallback = std::function<void(std::uint64_t done, std::uint64_t total)>;

  // Both must outlive this. `host` has a market to which nothing has happened yet.
  Simulation(const Scenario& scenario, MarketHost& host);

  // Runs to the end; once. Errors: those of the host, and InvalidArgument where the market rejects
  // an event.
  absl::StatusOr<SimulationReport> Run(const ProgressCallback& progress);

 private:
  // When a job finishes unless what it holds changes, which makes `version` an old one.
  struct Finish {
    std::int64_t time_ms;
    std::uint32_t job;
    std::uint32_t version;

    friend bool operator>(const Finish& a, const Finish& b) {
      return std::tie(a.time_ms, a.job) > std::tie(b.time_ms, b.job);
    }
  };

  absl::Status SetUp();
  absl::Status RunUntil(std::int64_t tick_ms);  // all that happens up to, and before, a tick
  absl::Status Tick(std::int64_t time_ms);
  absl::Status FinishJob(const Finish& finish);
  absl::Status PlaceBid(std::uint32_t job);
  absl::Status ChangeSupply(std::size_t number);
  absl::StatusOr<std::vector<Outcome>> Apply(const Event& event);
  void Follow(absl::Span<const Outcome> outcomes);
  void SetHolding(std::uint32_t job, std::int64_t time_ms, Holding holding);
  void ForgetOldFinishes();
  [[nodiscard]] bool Done(std::int64_t next_tick_ms) const;
  [[nodiscard]] Event MakeEvent(const char* what, std::uint64_t number, std::int64_t time_ms,
                                Payload payload) const;

  const Scenario& scenario_;
  MarketHost& host_;
  Holdings holdings_;
  CycleChecks checks_;
  Measures measures_;
  std::vector<Work> work_;               // by job
  std::vector<std::uint32_t> versions_;  // by job
  absl::flat_hash_map<std::string, std::uint32_t> job_numbers_;
  std::priority_queue<Finish, std::vector<Finish>, std::greater<>> finishes_;
  std::size_t next_job_ = 0;
  std::size_t next_supply_ = 0;
  std::uint64_t ticks_ = 0;
  std::uint64_t events_ = 0;
  std::size_t jobs_standing_ = 0;
  std::int64_t last_held_ms_ = 0;  // when a job last held chips
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_SIMULATION_H_
