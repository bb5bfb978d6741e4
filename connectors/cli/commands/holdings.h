// Who holds how many chips of what, summed up from the bids of a state.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_HOLDINGS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_HOLDINGS_H_

#include <cstdint>
#include <map>
#include <string>

#include "replay/rebuild.h"

namespace qmarket {

struct Holding {
  std::int64_t chips = 0;
  std::int64_t paid = 0;  // of them at the price

  Holding& operator+=(const Holding& other) {
    chips += other.chips;
    paid += other.paid;
    return *this;
  }
};

// By the name of a team or pool, then of the resource; those without chips are left out.
using Holdings = std::map<std::string, std::map<std::string, Holding>>;

[[nodiscard]] Holdings HoldingsOfTeams(const StateReport& state);
[[nodiscard]] Holdings HoldingsOfPools(const StateReport& state);

// Of one team or pool: of a resource, and of all together.
[[nodiscard]] Holding HoldingOf(const Holdings& holdings, const std::string& name,
                                const std::string& resource);
[[nodiscard]] Holding HoldingOf(const Holdings& holdings, const std::string& name);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_HOLDINGS_H_
