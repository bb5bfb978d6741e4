#include "connectors/cli/commands/held_chips.h"

namespace qmarket {

HeldByName HeldByTeams(const StateReport& state) {
  HeldByName holdings;
  for (const BidView& bid : state.bids) {
    if (bid.chips > 0) {
      holdings[bid.team][bid.resource] += HeldChips{.chips = bid.chips, .paid = bid.paid};
    }
  }
  return holdings;
}

HeldByName HeldByPools(const StateReport& state) {
  const HeldByName by_team = HeldByTeams(state);
  HeldByName holdings;
  for (const TeamView& team : state.teams) {
    const auto found = by_team.find(team.team);
    if (found == by_team.end()) continue;
    for (const auto& [resource, holding] : found->second)
      holdings[team.pool][resource] += holding;
  }
  return holdings;
}

HeldChips HeldOf(const HeldByName& holdings, const std::string& name, const std::string& resource) {
  const auto found = holdings.find(name);
  if (found == holdings.end()) return {};
  const auto holding = found->second.find(resource);
  return holding == found->second.end() ? HeldChips() : holding->second;
}

HeldChips HeldOf(const HeldByName& holdings, const std::string& name) {
  HeldChips sum;
  const auto found = holdings.find(name);
  if (found == holdings.end()) return sum;
  for (const auto& [resource, holding] : found->second)
    sum += holding;
  return sum;
}

}  // namespace qmarket
