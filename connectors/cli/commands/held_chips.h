// Who holds how many chips of what, summed up from the bids of a state.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_HELD_CHIPS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_HELD_CHIPS_H_

#include <cstdint>
#include <map>
#include <string>

#include "replay/rebuild.h"

namespace qmarket {

struct HeldChips {
  std::int64_t chips = 0;
  std::int64_t paid = 0;  // of them at the price

  HeldChips& operator+=(const HeldChips& other) {
    chips += other.chips;
    paid += other.paid;
    return *this;
  }
};

// By the name of a team or pool, then of the resource; those without chips are left out.
using HeldByName = std::map<std::string, std::map<std::string, HeldChips>>;

[[nodiscard]] HeldByName HeldByTeams(const StateReport& state);
[[nodiscard]] HeldByName HeldByPools(const StateReport& state);

// Of one team or pool: of a resource, and of all together.
[[nodiscard]] HeldChips HeldOf(const HeldByName& holdings, const std::string& name,
                               const std::string& resource);
[[nodiscard]] HeldChips HeldOf(const HeldByName& holdings, const std::string& name);

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_HELD_CHIPS_H_
