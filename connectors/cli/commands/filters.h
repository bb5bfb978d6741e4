// The options --team, --pool and --resource of queries, which leave in what has these names alone.
#ifndef QMARKET_CONNECTORS_CLI_COMMANDS_FILTERS_H_
#define QMARKET_CONNECTORS_CLI_COMMANDS_FILTERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/query.h"
#include "replay/rebuild.h"
#include <CLI/CLI.hpp>

namespace qmarket {

class Filters {
 public:
  void AddTeam(CLI::App& app);
  void AddPool(CLI::App& app);
  void AddResource(CLI::App& app);

  // NotFound, with the names that are near, where there is no such team or pool. Resources are not
  // accounts: the command checks them where it has their names.
  [[nodiscard]] absl::Status Check(const AccountList& list) const;

  // The state at the moment that the options name, rebuilt, once what is asked for by name is known
  // to be there. Errors: those of Query::Open, Check, CheckResource and Query::RebuildState.
  [[nodiscard]] absl::StatusOr<StateReport> RebuildState(const QueryOptions& options) const;

  [[nodiscard]] bool TakesTeam(const std::string& team) const {
    return team_.empty() || team == team_;
  }

  [[nodiscard]] bool TakesPool(const std::string& pool) const {
    return pool_.empty() || pool == pool_;
  }

  [[nodiscard]] bool TakesResource(const std::string& resource) const {
    return resource_.empty() || resource == resource_;
  }

  [[nodiscard]] bool has_pool() const { return !pool_.empty(); }

  [[nodiscard]] const std::string& team() const { return team_; }

  [[nodiscard]] const std::string& resource() const { return resource_; }

 private:
  std::string team_;
  std::string pool_;
  std::string resource_;
};

}  // namespace qmarket

#endif  // QMARKET_CONNECTORS_CLI_COMMANDS_FILTERS_H_
