#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/options.h"
#include "connectors/cli/records.h"
#include "events/outcome.h"

namespace qmarket {
namespace {

std::string PoolOf(const std::map<std::string, std::string>& pools, const std::string& team) {
  const auto found = pools.find(team);
  return found == pools.end() ? "" : found->second;
}

class AllocationsCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "allocations",
            .group = kQueryGroup,
            .summary = "Chips that every team has of every resource",
            .explanation =
                "Prints the quota of every team of every resource, which is what its bids hold, "
                "paid and unpaid: now, at any moment before (--at, --offset), or over a stretch of "
                "time (--from, --to) those in force when it began, with the time since when, and "
                "each change. `qmarket bids` has what the bids ask for.",
            .example =
                "qmarket allocations --pool search\n"
                "  qmarket allocations --team safety-01 --at 2026-01-01T12:00:00Z"};
  }

  void AddOptions(CLI::App& app) override {
    filters_.AddTeam(app);
    filters_.AddPool(app);
    filters_.AddResource(app);
    app.add_flag("--all", all_, "Teams that had chips and have none now, too");
    AddQueryOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    const absl::StatusOr<AccountList> list = AccountList::Read(query->store());
    if (!list.ok()) return list.status();
    if (absl::Status known = filters_.Check(*list); !known.ok()) return known;
    if (absl::Status known = CheckResource(*query, filters_.resource()); !known.ok()) return known;
    return query->is_history() ? PrintHistory(*query, *list, out) : PrintNow(*query, *list, out);
  }

 private:
  absl::Status PrintNow(Query& query, const AccountList& list, Output& out) const {
    const std::map<std::string, std::string> pools = list.PoolsOfTeams();
    RecordPrinter printer(out, options_.format, "allocations",
                          {{"team", "team"},
                           {"pool", "pool"},
                           {"resource", "resource"},
                           {"chips", "chips", Kind::kCount},
                           {"since_ms", "since", Kind::kTimeMs}});
    const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.time_ms();
    if (!time_ms.ok()) return time_ms.status();
    printer.Moment(query.offset(), *time_ms);
    const absl::StatusOr<std::vector<std::string>> names = NamesOf(query, IndexKind::kQuota);
    if (!names.ok()) return names.status();
    for (const std::string& name : *names) {
      const QuotaName about = ParseQuotaIndexName(name);
      const std::string pool = PoolOf(pools, about.team);
      if (!IsWanted(about.team, pool, about.resource)) continue;
      const absl::StatusOr<LastOutcomes> last = LastOutcomesAbout(query, IndexKind::kQuota, name);
      if (!last.ok()) return last.status();
      const auto* quota =
          last->outcomes.empty() ? nullptr : std::get_if<QuotaChanged>(&last->outcomes.back());
      if (quota == nullptr || (quota->chips == 0 && !all_)) continue;
      printer.Add({about.team, pool, about.resource, Int128{quota->chips}, Int128{quota->time_ms}});
    }
    printer.Finish("No team has chips.");
    return absl::OkStatus();
  }

  absl::Status PrintHistory(Query& query, const AccountList& list, Output& out) const {
    const std::map<std::string, std::string> pools = list.PoolsOfTeams();
    RecordPrinter printer(out, options_.format, "allocations",
                          {{"offset", "offset", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"team", "team"},
                           {"pool", "pool"},
                           {"resource", "resource"},
                           {"chips", "chips", Kind::kCount}});
    const auto print = [&](std::uint64_t offset, const Outcome& outcome) {
      const auto* quota = std::get_if<QuotaChanged>(&outcome);
      const bool wanted =
          quota != nullptr && IsWanted(quota->team, PoolOf(pools, quota->team), quota->resource);
      return !wanted ||
             printer.Add({Int128{offset}, Int128{quota->time_ms}, quota->team,
                          PoolOf(pools, quota->team), quota->resource, Int128{quota->chips}});
    };
    if (absl::Status opened = Open(query, print); !opened.ok()) return opened;
    if (absl::Status read = ForEachOutcome(query, print); !read.ok()) return read;
    printer.Finish("No team had chips in that time.");
    return absl::OkStatus();
  }

  // The quotas that were in force when the stretch began; with --all those of 0 chips, too.
  absl::Status Open(const Query& query,
                    absl::FunctionRef<bool(std::uint64_t, const Outcome&)> print) const {
    if (options_.from.empty()) return absl::OkStatus();
    const absl::StatusOr<std::int64_t> from_ms = ParseTime("--from", options_.from);
    if (!from_ms.ok()) return from_ms.status();
    const absl::StatusOr<std::vector<std::string>> names = NamesOf(query, IndexKind::kQuota);
    if (!names.ok()) return names.status();
    for (const std::string& name : *names) {
      const absl::StatusOr<LastOutcomes> opening =
          OpeningOutcomesAbout(query, *from_ms, IndexKind::kQuota, name);
      if (!opening.ok()) return opening.status();
      const auto* quota = opening->outcomes.empty()
                              ? nullptr
                              : std::get_if<QuotaChanged>(&opening->outcomes.back());
      if (quota == nullptr || (quota->chips == 0 && !all_)) continue;
      if (!print(opening->offset, opening->outcomes.back())) break;
    }
    return absl::OkStatus();
  }

  bool IsWanted(const std::string& team, const std::string& pool,
                const std::string& resource) const {
    return filters_.TakesTeam(team) && filters_.TakesPool(pool) && filters_.TakesResource(resource);
  }

  Filters filters_;
  bool all_ = false;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewAllocationsCommand() {
  return std::make_unique<AllocationsCommand>();
}

}  // namespace qmarket
