#include "connectors/cli/commands/filters.h"

#include "connectors/cli/commands/history.h"

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

absl::StatusOr<StateReport> Filters::RebuildState(const QueryOptions& options) const {
  const absl::StatusOr<Query> query = Query::Open(options);
  if (!query.ok()) return query.status();
  const absl::StatusOr<AccountList> list = AccountList::Read(query->store());
  if (!list.ok()) return list.status();
  if (absl::Status known = Check(*list); !known.ok()) return known;
  if (absl::Status known = CheckResource(*query, resource_); !known.ok()) return known;
  return query->RebuildState();
}

}  // namespace qmarket
