// A market in memory, without log and store: for tests and measurements.
#ifndef QMARKET_CONNECTORS_SIMULATE_MEMORY_HOST_H_
#define QMARKET_CONNECTORS_SIMULATE_MEMORY_HOST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "connectors/simulate/market_host.h"
#include "events/digest.h"

namespace qmarket {

class MemoryHost : public MarketHost {
 public:
  absl::StatusOr<std::vector<Outcome>> Apply(const Event& event) override;
  absl::StatusOr<std::string> Finish() override;

  [[nodiscard]] const Market& market() const override { return market_; }

 private:
  Market market_;
  std::uint64_t next_offset_ = 0;
  DigestChain digest_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_SIMULATE_MEMORY_HOST_H_
