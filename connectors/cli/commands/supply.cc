#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/held_chips.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"

namespace qmarket {
namespace {

// Owners that are no pool; a pool's name has no parentheses.
constexpr char kAllOwners[] = "(all)";
constexpr char kSharedOwner[] = "(shared)";

class SupplyCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "supply",
            .group = kQueryGroup,
            .summary = "Chips of every resource: whose they are, who has them, how many idle",
            .explanation =
                "Prints the supply of every resource as the last cycle used it: all of it, what is "
                "shared, and what each pool owns and lends. Beside it, what all bids and those of "
                "each pool hold now, whoever owns these chips, and what they ask for. Now, or at "
                "any moment before (--at, --offset); it is rebuilt from the log. A resource that "
                "had neither supply nor standing bids at the last cycle is left out, and so is a "
                "pool that owns, holds and asks for nothing of it.",
            .example =
                "qmarket supply --resource h100\n"
                "  qmarket supply --at 2026-01-01T12:00:00Z --format json"};
  }

  void AddOptions(CLI::App& app) override {
    filters_.AddPool(app);
    filters_.AddResource(app);
    AddMomentOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    const absl::StatusOr<StateReport> state = filters_.RebuildState(options_);
    if (!state.ok()) return state.status();
    RecordPrinter printer(out, options_.format, "supply",
                          {{"resource", "resource"},
                           {"owner", "owner"},
                           {"chips", "chips", Kind::kCount},
                           {"lent", "lent", Kind::kCount},
                           {"allocated", "allocated", Kind::kCount},
                           {"paid", "paid", Kind::kCount},
                           {"wanted", "wanted", Kind::kCount},
                           {"idle", "idle", Kind::kCount}});
    printer.Moment(state->offset, state->time_ms);
    const HeldByName holdings = HeldByPools(*state);
    for (const ResourceView& resource : state->resources) {
      if (filters_.TakesResource(resource.resource)) Print(resource, holdings, printer);
    }
    printer.Finish("No supply yet.");
    return absl::OkStatus();
  }

 private:
  void Print(const ResourceView& resource, const HeldByName& holdings,
             RecordPrinter& printer) const {
    if (!filters_.has_pool()) {
      std::int64_t lent = 0;
      std::int64_t paid = 0;
      std::int64_t wanted = 0;
      for (const ResourcePoolView& pool : resource.pools) {
        lent += pool.lent;
        paid += HeldOf(holdings, pool.pool, resource.resource).paid;
        wanted += pool.demand;
      }
      printer.Add({resource.resource, kAllOwners, Int128{resource.supply}, Int128{lent},
                   Int128{resource.allocated}, Int128{paid}, Int128{wanted},
                   Int128{resource.supply - resource.allocated}});
      printer.Add({resource.resource, kSharedOwner, Int128{resource.shared}, Cell(), Cell(), Cell(),
                   Cell(), Cell()});
    }
    for (const ResourcePoolView& pool : resource.pools) {
      const HeldChips holding = HeldOf(holdings, pool.pool, resource.resource);
      const bool concerned = pool.owned > 0 || holding.chips > 0 || pool.demand > 0;
      if (!concerned || !filters_.TakesPool(pool.pool)) continue;
      printer.Add({resource.resource, pool.pool, Int128{pool.owned}, Int128{pool.lent},
                   Int128{holding.chips}, Int128{holding.paid}, Int128{pool.demand}, Cell()});
    }
  }

  Filters filters_;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewSupplyCommand() {
  return std::make_unique<SupplyCommand>();
}

}  // namespace qmarket
