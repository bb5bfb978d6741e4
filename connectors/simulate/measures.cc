#include "connectors/simulate/measures.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "absl/container/flat_hash_map.h"

#include "events/check.h"

namespace qmarket {
namespace {

// The lowest wait that at least `percent` of the waits are not above.
std::int64_t Quantile(const std::vector<std::int64_t>& sorted, std::size_t percent) {
  if (sorted.empty()) return 0;
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

struct Waits {
  std::vector<std::int64_t> waits;
  std::int64_t not_started = 0;

  void Add(std::int64_t wait_ms, bool started) {
    waits.push_back(wait_ms);
    if (!started) ++not_started;
  }

  [[nodiscard]] WaitReport Summary() {
    std::sort(waits.begin(), waits.end());
    const Int128 sum = std::accumulate(waits.begin(), waits.end(), Int128{0});
    return {.jobs = static_cast<std::int64_t>(waits.size()),
            .jobs_not_started = not_started,
            .mean_ms = waits.empty() ? 0 : static_cast<std::int64_t>(sum / Int128{waits.size()}),
            .p50_ms = Quantile(waits, 50),
            .p95_ms = Quantile(waits, 95)};
  }
};

}  // namespace

Measures::Measures(const Scenario& scenario)
    : scenario_(scenario),
      jobs_(scenario.jobs.size()),
      since_cycle_(scenario.resources.size()),
      time_ms_(scenario.start_ms) {
  for (const std::string& resource : scenario.resources) {
    resources_.push_back({.resource = resource});
  }
}

void Measures::JobChanged(std::uint32_t job, std::int64_t time_ms, Holding holding,
                          std::int64_t lost) {
  JobCount& count = jobs_[job];
  const std::int64_t passed = time_ms - count.since_ms;
  count.held += count.holding.chips * passed;
  count.held_paid += count.holding.paid * passed;
  count.since_ms = time_ms;
  count.holding = holding;
  count.lost += lost;
  if (holding.chips > 0 && !count.first_ms) count.first_ms = time_ms;
}

void Measures::JobPreempted(std::uint32_t job, const std::string& reason) {
  ++jobs_[job].preemptions;
  ++preemptions_[reason];
}

void Measures::AdvanceTo(std::int64_t time_ms) {
  const Int128 passed = time_ms - time_ms_;
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    resources_[r].supplied += since_cycle_[r].supply * passed;
    resources_[r].usable_idle += since_cycle_[r].usable_idle * passed;
    // What jobs held is added at the end; this is what they would hold if none had ended.
    resources_[r].freed_idle += since_cycle_[r].held * passed;
  }
  time_ms_ = time_ms;
}

void Measures::CycleCleared(absl::Span<const Outcome> outcomes, const Holdings& holdings,
                            absl::Span<const std::int64_t> usable_idle) {
  for (std::uint32_t r = 0; r < resources_.size(); ++r) {
    since_cycle_[r] = {.supply = holdings.supply(r),
                       .held = holdings.resource(r).chips,
                       .usable_idle = usable_idle[r]};
    resources_[r].reference_prices.emplace_back();
  }
  for (const Outcome& outcome : outcomes) {
    const auto* cleared = std::get_if<MarketCleared>(&outcome);
    if (cleared == nullptr) continue;
    for (ResourceReport& resource : resources_) {
      if (resource.resource != cleared->resource) continue;
      resource.reference_prices.back() = cleared->reference_price_micros;
    }
  }
}

std::int64_t Measures::WaitOf(std::uint32_t job) const {
  return jobs_[job].first_ms.value_or(time_ms_) - scenario_.jobs[job].submit_ms;
}

void Measures::AddJob(WorkReport& report, std::uint32_t job, const Work& work) const {
  const ScenarioJob& of = scenario_.jobs[job];
  const JobCount& count = jobs_[job];
  ++report.jobs;
  if (work.finished()) ++report.jobs_done;
  report.brought += work.wanted();
  report.demand += std::min(Int128{work.wanted()}, Int128{time_ms_ - of.arrival_ms} * of.chips);
  report.done += work.done();
  report.lost += count.lost;
  report.held += count.held;
  report.held_paid += count.held_paid;
}

void Measures::FillJobs(SimulationReport& report, absl::Span<const Work> work) const {
  Waits all;
  std::vector<Waits> of_team(scenario_.teams.size());
  std::vector<Waits> of_pool(scenario_.pools.size());
  for (std::uint32_t j = 0; j < jobs_.size(); ++j) {
    const ScenarioJob& job = scenario_.jobs[j];
    if (job.arrival_ms > time_ms_) continue;
    const std::uint32_t pool = scenario_.teams[job.team].pool;
    for (WorkReport* part :
         {&report.work, &report.teams[job.team].work, &report.pools[pool].work}) {
      AddJob(*part, j, work[j]);
    }
    report.teams[job.team].preemptions += jobs_[j].preemptions;
    report.pools[pool].preemptions += jobs_[j].preemptions;
    ResourceReport& resource = report.resources[job.resource];
    resource.held += jobs_[j].held;
    resource.held_paid += jobs_[j].held_paid;
    resource.freed_idle -= jobs_[j].held;
    if (job.early()) continue;
    for (Waits* waits : {&all, &of_team[job.team], &of_pool[pool]}) {
      waits->Add(WaitOf(j), jobs_[j].first_ms.has_value());
    }
  }
  report.wait = all.Summary();
  for (std::size_t i = 0; i < of_team.size(); ++i) {
    report.teams[i].wait = of_team[i].Summary();
  }
  for (std::size_t k = 0; k < of_pool.size(); ++k) {
    report.pools[k].wait = of_pool[k].Summary();
  }
}

void Measures::FillAccounts(SimulationReport& report, const Market& market) const {
  absl::flat_hash_map<std::string, TeamView> teams;
  for (TeamView& team : market.Teams()) {
    teams.emplace(team.team, std::move(team));
  }
  for (std::size_t i = 0; i < report.teams.size(); ++i) {
    TeamReport& team = report.teams[i];
    const auto view = teams.find(team.team);
    if (view == teams.end()) continue;
    team.minted_micros = view->second.minted_micros;
    team.spent_micros = view->second.charged_micros;
    team.left_micros = view->second.balance_micros;
    PoolReport& pool = report.pools[scenario_.teams[i].pool];
    pool.minted_micros += team.minted_micros;
    pool.spent_micros += team.spent_micros;
    pool.left_micros += team.left_micros;
  }
  for (const PoolView& view : market.Pools()) {
    for (PoolReport& pool : report.pools) {
      if (pool.pool == view.pool) pool.purse_micros = view.purse_micros;
    }
  }
}

SimulationReport Measures::Finish(const Market& market, absl::Span<const Work> work) const {
  SimulationReport report{.start_ms = scenario_.start_ms,
                          .end_ms = time_ms_,
                          .cycle_ms = scenario_.market.cycle_ms,
                          .checkpoint_ms = scenario_.checkpoint_ms,
                          .jobs_left_out = scenario_.jobs_left_out,
                          .preemptions = preemptions_,
                          .resources = resources_};
  for (const ScenarioPool& pool : scenario_.pools) {
    report.pools.push_back(
        {.pool = pool.name, .weight_micros_per_hour = pool.weight_micros_per_hour});
  }
  for (const ScenarioTeam& team : scenario_.teams) {
    report.teams.push_back({.team = team.name,
                            .pool = scenario_.pools[team.pool].name,
                            .income_micros_per_hour = team.income_micros_per_hour});
    ++report.pools[team.pool].teams;
  }
  FillJobs(report, work);
  FillAccounts(report, market);
  return report;
}

}  // namespace qmarket
