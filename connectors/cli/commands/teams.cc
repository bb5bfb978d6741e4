#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/held_chips.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"
#include "events/units.h"

namespace qmarket {
namespace {

// How long a balance lasts where more is paid than comes in; no value where it does not fall.
Cell LastsMs(const TeamView& team) {
  const Int128 drain = static_cast<Int128>(team.burn_micros_per_hour) - team.income_micros_per_hour;
  if (drain <= 0) return {};
  return Int128{team.balance_micros} * kMsPerHour / drain;
}

class TeamsCommand : public Command {
 public:
  CommandText text() const override {
    return {
        .name = "teams",
        .group = kQueryGroup,
        .summary = "Teams: income, balance, what they pay, how long it lasts",
        .explanation =
            "Prints every team: its income, its posted balance, what its chips cost an hour at "
            "the prices of the last cycle (its burn rate), how long the balance lasts if income "
            "and burn rate stay, the burn rates with which it may enter and stay (the caps of "
            "the last cycle), and the chips that it holds, of all resources. Now, or at any "
            "moment before (--at, --offset); it is rebuilt from the log. Amounts are in "
            "micro-credits of the team's pool in JSON and CSV.",
        .example =
            "qmarket teams --pool search\n"
            "  qmarket teams --team search-03 --at 2026-01-01T12:00:00Z --format json"};
  }

  void AddOptions(CLI::App& app) override {
    filters_.AddTeam(app);
    filters_.AddPool(app);
    AddMomentOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    const absl::StatusOr<StateReport> state = filters_.RebuildState(options_);
    if (!state.ok()) return state.status();
    Print(*state, out);
    return absl::OkStatus();
  }

 private:
  void Print(const StateReport& state, Output& out) const {
    const HeldByName holdings = HeldByTeams(state);
    RecordPrinter printer(out, options_.format, "teams",
                          {{"team", "team"},
                           {"pool", "pool"},
                           {"income_micros_per_hour", "income cr/h", Kind::kMicros},
                           {"income_leverage_percent", "leverage %", Kind::kCount, true},
                           {"balance_micros", "balance cr", Kind::kMicros},
                           {"burn_micros_per_hour", "burn cr/h", Kind::kMicros},
                           {"lasts_ms", "lasts h", Kind::kHours},
                           {"enter_cap_micros_per_hour", "enter cap cr/h", Kind::kMicros},
                           {"keep_cap_micros_per_hour", "keep cap cr/h", Kind::kMicros},
                           {"minted_micros", "minted cr", Kind::kMicros, true},
                           {"charged_micros", "charged cr", Kind::kMicros, true},
                           {"uncollected_micros", "uncollected cr", Kind::kMicros, true},
                           {"chips", "chips", Kind::kCount},
                           {"paid", "paid chips", Kind::kCount}});
    printer.Moment(state.offset, state.time_ms);
    for (const TeamView& team : state.teams) {
      if (!filters_.TakesTeam(team.team) || !filters_.TakesPool(team.pool)) continue;
      const HeldChips holding = HeldOf(holdings, team.team);
      printer.Add({team.team, team.pool, Int128{team.income_micros_per_hour},
                   Int128{team.income_leverage_percent}, Int128{team.balance_micros},
                   static_cast<Int128>(team.burn_micros_per_hour), LastsMs(team),
                   static_cast<Int128>(team.enter_cap_micros_per_hour),
                   static_cast<Int128>(team.keep_cap_micros_per_hour), team.minted_micros,
                   team.charged_micros, team.uncollected_micros, Int128{holding.chips},
                   Int128{holding.paid}});
    }
    printer.Finish("No teams yet.");
  }

  Filters filters_;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewTeamsCommand() {
  return std::make_unique<TeamsCommand>();
}

}  // namespace qmarket
