#include "tests/explain/ten_days.h"

#include <optional>
#include <utility>
#include <variant>

#include "connectors/simulate/market_file.h"
#include "connectors/simulate/memory_host.h"
#include "connectors/simulate/scenario.h"
#include "connectors/simulate/simulation.h"
#include "connectors/simulate/workload.h"
#include "events/check.h"
#include "events/event_codec.h"
#include "events/fingerprint.h"

namespace qmarket {
namespace {

// A market in memory that keeps the events it was given, and who was preempted.
class RecordingHost : public MemoryHost {
 public:
  absl::StatusOr<std::vector<Outcome>> Apply(const Event& event) override {
    const std::uint64_t offset = days.inputs.size();
    days.inputs.push_back({.offset = offset,
                           .append_time_ms = std::nullopt,
                           .event = event,
                           .id = FingerprintOf(event.event_id),
                           .content = FingerprintOf(CanonicalEvent(event))});
    absl::StatusOr<std::vector<Outcome>> outcomes = MemoryHost::Apply(event);
    if (!outcomes.ok()) return outcomes;
    for (const Outcome& outcome : *outcomes) {
      const auto* lost = std::get_if<BidPreempted>(&outcome);
      if (lost != nullptr) days.preempted.push_back({.offset = offset, .bid = lost->bid});
    }
    return outcomes;
  }

  TenDays days;
};

}  // namespace

TenDays SimulateTenDays(std::uint64_t seed) {
  const absl::StatusOr<MarketFile> file = ParseMarketFile("market.toml", WorkloadMarketFile(seed));
  QM_CHECK(file.ok(), "the workload's market file is not one");
  const absl::StatusOr<Scenario> scenario = BuildScenario(GenerateWorkload(seed), *file, {});
  QM_CHECK(scenario.ok(), "the workload is no scenario");
  RecordingHost host;
  QM_CHECK(Simulation(*scenario, host).Run(nullptr).ok(), "the simulation failed");
  return std::move(host.days);
}

}  // namespace qmarket
