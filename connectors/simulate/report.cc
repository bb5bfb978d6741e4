#include "connectors/simulate/report.h"

namespace qmarket {
namespace {

constexpr Int128 kMillion = 1'000'000;

}  // namespace

std::int64_t PartsPerMillion(Int128 part, Int128 whole) {
  return static_cast<std::int64_t>(whole == 0 ? kMillion : part * kMillion / whole);
}

std::int64_t UsedOfUsablePpm(const SimulationReport& report) {
  Int128 held = 0;
  Int128 idle = 0;
  for (const ResourceReport& resource : report.resources) {
    held += resource.held;
    idle += resource.usable_idle;
  }
  return PartsPerMillion(held, held + idle);
}

std::int64_t LostPpm(const WorkReport& work) {
  return work.held == 0 ? 0 : PartsPerMillion(work.lost, work.held);
}

std::int64_t PreemptionCount(const SimulationReport& report) {
  std::int64_t count = 0;
  for (const auto& [reason, times] : report.preemptions) {
    count += times;
  }
  return count;
}

}  // namespace qmarket
