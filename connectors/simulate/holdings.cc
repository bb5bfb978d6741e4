#include "connectors/simulate/holdings.h"

#include <algorithm>

#include "events/check.h"

namespace qmarket {

Holdings::Holdings(const Scenario& scenario)
    : scenario_(scenario),
      resources_(scenario.resources.size()),
      jobs_(scenario.jobs.size()),
      of_pool_(scenario.pools.size() * resources_),
      of_resource_(resources_),
      announced_((scenario.pools.size() + 1) * resources_),
      in_force_(announced_),
      stands_(scenario.jobs.size()) {}

void Holdings::Place(std::uint32_t job) {
  QM_CHECK(!stands_[job], "a bid is placed twice");
  stands_[job] = true;
  standing_.push_back(job);
}

void Holdings::Set(std::uint32_t job, Holding holding) {
  const ScenarioJob& of = scenario_.jobs[job];
  const std::uint32_t pool = scenario_.teams[of.team].pool;
  for (Holding* sum : {&of_pool_[Cell(pool, of.resource)], &of_resource_[of.resource]}) {
    sum->chips += holding.chips - jobs_[job].chips;
    sum->paid += holding.paid - jobs_[job].paid;
  }
  jobs_[job] = holding;
}

void Holdings::End(std::uint32_t job) {
  QM_CHECK(stands_[job], "a bid that does not stand ends");
  Set(job, {});
  stands_[job] = false;
  ++ended_;
}

void Holdings::Announce(const ScenarioSupply& supply) {
  const std::size_t cell =
      supply.pool ? Cell(*supply.pool, supply.resource) : SharedCell(supply.resource);
  announced_[cell] = supply.chips;
}

std::int64_t Holdings::supply(std::uint32_t resource) const {
  std::int64_t chips = 0;
  for (std::size_t cell = resource; cell < in_force_.size(); cell += resources_) {
    chips += in_force_[cell];
  }
  return chips;
}

absl::Span<const std::uint32_t> Holdings::standing() {
  if (ended_ > 0) {
    std::erase_if(standing_, [&](std::uint32_t job) { return !stands_[job]; });
    ended_ = 0;
  }
  return standing_;
}

Holdings::Idle Holdings::FindIdle(std::uint32_t resource) const {
  Idle idle{.common = shared(resource), .own = std::vector<std::int64_t>(scenario_.pools.size())};
  for (std::uint32_t k = 0; k < scenario_.pools.size(); ++k) {
    const std::int64_t held = pool(k, resource).chips;
    if (scenario_.pools[k].lend_idle) {
      idle.common += owned(k, resource) - held;
    } else {
      idle.own[k] = std::max(std::int64_t{0}, owned(k, resource) - held);
      idle.common -= std::max(std::int64_t{0}, held - owned(k, resource));
    }
  }
  return idle;
}

std::vector<std::int64_t> Holdings::FindUsableIdle() {
  std::vector<Idle> idle;
  std::vector<std::int64_t> usable(resources_);
  for (std::uint32_t r = 0; r < resources_; ++r) {
    idle.push_back(FindIdle(r));
  }
  for (const std::uint32_t number : standing()) {
    const ScenarioJob& job = scenario_.jobs[number];
    const std::int64_t held = jobs_[number].chips;
    if (held == job.chips || (!job.standby && !job.opportunistic)) continue;
    std::int64_t& own = idle[job.resource].own[scenario_.teams[job.team].pool];
    std::int64_t& common = idle[job.resource].common;
    const std::int64_t take = std::min(job.chips - held, own + std::max(std::int64_t{0}, common));
    if (take == 0 || held + take < job.min_chips) continue;
    const std::int64_t from_own = std::min(own, take);
    own -= from_own;
    common -= take - from_own;
    usable[job.resource] += take;
  }
  return usable;
}

}  // namespace qmarket
