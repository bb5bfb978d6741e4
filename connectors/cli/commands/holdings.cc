#include "connectors/cli/commands/holdings.h"

namespace qmarket {

Holdings HoldingsOfTeams(const StateReport& state) {
  Holdings holdings;
  for (const BidView& bid : state.bids) {
    if (bid.chips > 0) {
      holdings[bid.team][bid.resource] += Holding{.chips = bid.chips, .paid = bid.paid};
    }
  }
  return holdings;
}

Holdings HoldingsOfPools(const StateReport& state) {
  const Holdings by_team = HoldingsOfTeams(state);
  Holdings holdings;
  for (const TeamView& team : state.teams) {
    const auto found = by_team.find(team.team);
    if (found == by_team.end()) continue;
    for (const auto& [resource, holding] : found->second)
      holdings[team.pool][resource] += holding;
  }
  return holdings;
}

Holding HoldingOf(const Holdings& holdings, const std::string& name, const std::string& resource) {
  const auto found = holdings.find(name);
  if (found == holdings.end()) return {};
  const auto holding = found->second.find(resource);
  return holding == found->second.end() ? Holding() : holding->second;
}

Holding HoldingOf(const Holdings& holdings, const std::string& name) {
  Holding sum;
  const auto found = holdings.find(name);
  if (found == holdings.end()) return sum;
  for (const auto& [resource, holding] : found->second)
    sum += holding;
  return sum;
}

}  // namespace qmarket
