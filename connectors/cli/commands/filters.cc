#include "connectors/cli/commands/filters.h"

namespace qmarket {

void Filters::AddTeam(CLI::App& app) {
  app.add_option("--team", team_, "This team alone")->type_name("TEAM");
}

void Filters::AddPool(CLI::App& app) {
  app.add_option("--pool", pool_, "This pool and its teams alone")->type_name("POOL");
}

void Filters::AddResource(CLI::App& app) {
  app.add_option("--resource", resource_, "This resource alone")->type_name("RESOURCE");
}

absl::Status Filters::Check(const AccountList& list) const {
  if (!team_.empty()) {
    if (absl::Status known = list.CheckTeam(team_); !known.ok()) return known;
  }
  return pool_.empty() ? absl::OkStatus() : list.CheckPool(pool_);
}

}  // namespace qmarket
