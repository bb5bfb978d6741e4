// Counts what is used, lost and waited for while a simulation runs.
//
// Chip-time is integrated exactly, between all changes of what a job holds. Not thread-safe.
#ifndef QMARKET_CONNECTORS_SIMULATE_MEASURES_H_
#define QMARKET_CONNECTORS_SIMULATE_MEASURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"

#include "connectors/simulate/holdings.h"
#include "connectors/simulate/report.h"
#include "connectors/simulate/scenario.h"
#include "connectors/simulate/work.h"
#include "events/outcome.h"
#include "matcher/core/market.h"

namespace qmarket {

class Measures {
 public:
  // `scenario` must outlive this.
  explicit Measures(const Scenario& scenario);

  // A job holds `holding` from now on, and `lost` work with the change.
  void JobChanged(std::uint32_t job, std::int64_t time_ms, Holding holding, std::int64_t lost);

  void JobPreempted(std::uint32_t job, const std::string& reason);

  // Goes on to `time_ms`. To be called before every tick, and at the end.
  void AdvanceTo(std::int64_t time_ms);

  // A tick has cleared; it counts from the time of the last AdvanceTo on.
  void CycleCleared(absl::Span<const Outcome> outcomes, const Holdings& holdings,
                    absl::Span<const std::int64_t> usable_idle);

  // All that was counted up to the time of the last AdvanceTo. `work` is by job.
  [[nodiscard]] SimulationReport Finish(const Market& market, absl::Span<const Work> work) const;

 private:
  struct JobCount {
    std::int64_t since_ms = 0;
    Holding holding;
    std::optional<std::int64_t> first_ms;  // when it got its first chip
    std::int64_t held = 0;
    std::int64_t held_paid = 0;
    std::int64_t lost = 0;
    std::int64_t preemptions = 0;
  };

  struct ResourceCount {
    std::int64_t supply = 0;  // since the last cycle
    std::int64_t held = 0;    // right after the last cycle
    std::int64_t usable_idle = 0;
  };

  void FillJobs(SimulationReport& report, absl::Span<const Work> work) const;
  void FillAccounts(SimulationReport& report, const Market& market) const;
  void AddJob(WorkReport& report, std::uint32_t job, const Work& work) const;
  [[nodiscard]] std::int64_t WaitOf(std::uint32_t job) const;

  const Scenario& scenario_;
  std::vector<JobCount> jobs_;
  std::vector<ResourceCount> since_cycle_;  // by resource
  std::vector<ResourceReport> resources_;
  std::map<std::string, std::int64_t> preemptions_;
  std::int64_t time_ms_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_MEASURES_H_
