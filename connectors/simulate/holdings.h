// Who holds which chips in a simulation, kept from the market's outcomes alone.
//
// A second account of what the market says it did: the checks compare the two, and the measures
// count what was used. Numbers of jobs, pools and resources are those of the scenario. Not
// thread-safe.
#ifndef QMARKET_CONNECTORS_SIMULATE_HOLDINGS_H_
#define QMARKET_CONNECTORS_SIMULATE_HOLDINGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

#include "connectors/simulate/scenario.h"

namespace qmarket {

struct Holding {
  std::int64_t chips = 0;
  std::int64_t paid = 0;  // of them
};

class Holdings {
 public:
  // `scenario` must outlive this.
  explicit Holdings(const Scenario& scenario);

  // The job's bid stands from now on. To be called in the order of the log.
  void Place(std::uint32_t job);

  // The job's bid holds this from now on; it stands.
  void Set(std::uint32_t job, Holding holding);

  // The job's bid has ended, and holds nothing.
  void End(std::uint32_t job);

  // A change of the supply, which counts from the next TakeSupply on (mechanism §6).
  void Announce(const ScenarioSupply& supply);

  void TakeSupply() { in_force_ = announced_; }

  [[nodiscard]] Holding job(std::uint32_t job) const { return jobs_[job]; }

  [[nodiscard]] Holding pool(std::uint32_t pool, std::uint32_t resource) const {
    return of_pool_[Cell(pool, resource)];
  }

  // All that is held of a resource.
  [[nodiscard]] Holding resource(std::uint32_t resource) const { return of_resource_[resource]; }

  // The supply in force: a pool's own, the shared, and that of all owners together.
  [[nodiscard]] std::int64_t owned(std::uint32_t pool, std::uint32_t resource) const {
    return in_force_[Cell(pool, resource)];
  }

  [[nodiscard]] std::int64_t shared(std::uint32_t resource) const {
    return in_force_[SharedCell(resource)];
  }

  [[nodiscard]] std::int64_t supply(std::uint32_t resource) const;

  // The jobs whose bids stand, in the order of the log.
  [[nodiscard]] absl::Span<const std::uint32_t> standing();

  // What is idle of a resource: the chips that any pool may use, and those that only their owner
  // may, because it does not lend. Below zero where more is held than there is.
  struct Idle {
    std::int64_t common = 0;
    std::vector<std::int64_t> own;  // by pool
  };

  [[nodiscard]] Idle FindIdle(std::uint32_t resource) const;

  // By resource, how many idle chips the standing bids could use if each, in log order, took what
  // it may (mechanism §5.5): never above zero after a cycle, but for bids without standby, which do
  // not count here.
  [[nodiscard]] std::vector<std::int64_t> FindUsableIdle();

 private:
  [[nodiscard]] std::size_t Cell(std::uint32_t pool, std::uint32_t resource) const {
    return std::size_t{pool} * resources_ + resource;
  }

  [[nodiscard]] std::size_t SharedCell(std::uint32_t resource) const {
    return scenario_.pools.size() * resources_ + resource;
  }

  const Scenario& scenario_;
  std::size_t resources_;
  std::vector<Holding> jobs_;
  std::vector<Holding> of_pool_;
  std::vector<Holding> of_resource_;
  std::vector<std::int64_t> announced_;
  std::vector<std::int64_t> in_force_;
  std::vector<std::uint32_t> standing_;  // with some that have ended, until standing() is asked for
  std::vector<bool> stands_;
  std::size_t ended_ = 0;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_HOLDINGS_H_
