#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"
#include "connectors/cli/text.h"
#include "events/outcome.h"

namespace qmarket {
namespace {

// What the bids of one team on one resource hold and ask for.
struct Allocation {
  Int128 chips = 0;
  Int128 paid = 0;
  Int128 wanted = 0;
  Int128 running = 0;
  Int128 waiting = 0;
};

class AllocationsCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "allocations",
            .group = kQueryGroup,
            .summary = "Chips that every team has of every resource",
            .explanation =
                "Prints what the bids of every team hold of every resource, paid and unpaid, and "
                "what they ask for: now, at any moment before (--at, --offset), or each change of "
                "a team's quota over a stretch of time (--from, --to).",
            .example =
                "qmarket allocations --pool search\n"
                "  qmarket allocations --team vision --at 2026-01-01T12:00:00Z"};
  }

  void AddOptions(CLI::App& app) override {
    filters_.AddTeam(app);
    filters_.AddPool(app);
    filters_.AddResource(app);
    AddQueryOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    const absl::StatusOr<AccountList> list = AccountList::Read(query->store());
    if (!list.ok()) return list.status();
    if (absl::Status known = filters_.Check(*list); !known.ok()) return known;
    return query->is_history() ? PrintHistory(*query, *list, out) : PrintNow(*query, out);
  }

 private:
  absl::Status PrintNow(Query& query, Output& out) const {
    const absl::StatusOr<StateReport> state = query.RebuildState();
    if (!state.ok()) return state.status();
    std::map<std::string, std::string> pools;  // by team
    for (const TeamView& team : state->teams)
      pools[team.team] = team.pool;
    std::map<std::pair<std::string, std::string>, Allocation> allocations;
    for (const BidView& bid : state->bids) {
      if (bid.state == BidState::kEnded || !IsWanted(bid.team, pools[bid.team], bid.resource)) {
        continue;
      }
      Allocation& sum = allocations[{bid.resource, bid.team}];
      sum.chips += bid.chips;
      sum.paid += bid.paid;
      sum.wanted += bid.wanted;
      ++(bid.state == BidState::kWaiting ? sum.waiting : sum.running);
    }
    RecordPrinter printer(out, options_.format, "allocations",
                          {{"resource", "resource"},
                           {"pool", "pool"},
                           {"team", "team"},
                           {"chips", "chips", Kind::kCount},
                           {"paid", "paid", Kind::kCount},
                           {"wanted", "wanted", Kind::kCount},
                           {"bids_with_chips", "bids with chips", Kind::kCount},
                           {"bids_waiting", "waiting", Kind::kCount}});
    printer.Moment(state->offset, state->time_ms);
    for (const auto& [key, sum] : allocations) {
      printer.Add({key.first, pools[key.second], key.second, sum.chips, sum.paid, sum.wanted,
                   sum.running, sum.waiting});
    }
    printer.Finish("No bids.");
    return absl::OkStatus();
  }

  absl::Status PrintHistory(Query& query, const AccountList& list, Output& out) const {
    std::map<std::string, std::string> pools = list.PoolsOfTeams();
    RecordPrinter printer(out, options_.format, "allocations",
                          {{"offset", "offset", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"resource", "resource"},
                           {"pool", "pool"},
                           {"team", "team"},
                           {"chips", "chips", Kind::kCount}});
    const absl::Status read =
        ForEachOutcome(query, [&](std::uint64_t offset, const Outcome& outcome) {
          const auto* quota = std::get_if<QuotaChanged>(&outcome);
          const bool wanted =
              quota != nullptr && IsWanted(quota->team, pools[quota->team], quota->resource);
          return !wanted || printer.Add({Int128{offset}, Int128{quota->time_ms}, quota->resource,
                                         pools[quota->team], quota->team, Int128{quota->chips}});
        });
    if (!read.ok()) return read;
    printer.Finish("No quota changed in that time.");
    return absl::OkStatus();
  }

  bool IsWanted(const std::string& team, const std::string& pool,
                const std::string& resource) const {
    return filters_.TakesTeam(team) && filters_.TakesPool(pool) && filters_.TakesResource(resource);
  }

  Filters filters_;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewAllocationsCommand() {
  return std::make_unique<AllocationsCommand>();
}

}  // namespace qmarket
