#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/held_chips.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"
#include "connectors/cli/text.h"

namespace qmarket {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

// What the teams of a pool are and have, together.
struct PoolTotals {
  std::int64_t teams = 0;
  Int128 incomes = 0;
  Int128 balances = 0;
  Int128 spend = 0;  // reference credits an hour that the purse pays for their paid chips
};

// A part of a whole in millionths, rounded down; no value where there is no whole.
Cell Share(Int128 part, Int128 whole) {
  return whole > 0 ? Cell(part * kMillion / whole) : Cell();
}

std::map<std::string, PoolTotals> TotalsOf(const StateReport& state, const HeldByName& holdings) {
  std::map<std::string, PoolTotals> totals;
  for (const TeamView& team : state.teams) {
    PoolTotals& pool = totals[team.pool];
    ++pool.teams;
    pool.incomes += team.income_micros_per_hour;
    pool.balances += team.balance_micros;
  }
  for (const ResourceView& resource : state.resources) {
    for (const ResourcePoolView& pool : resource.pools) {
      const HeldChips holding = HeldOf(holdings, pool.pool, resource.resource);
      totals[pool.pool].spend += Int128{holding.paid} * pool.reference_price_micros.value_or(0);
    }
  }
  return totals;
}

class PoolsCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "pools",
            .group = kQueryGroup,
            .summary = "Pools: market weight, purse, exchange rate, what they spend",
            .explanation =
                "Prints every pool: its market weight and the share that this is of all weights, "
                "its purse, what a credit of its own is worth in reference credits (the exchange "
                "rate of the last cycle), what its teams have together, and what the purse pays "
                "an hour for their chips, with the share that this is of what all pools pay. Now, "
                "or at any moment before (--at, --offset); it is rebuilt from the log. Incomes and "
                "balances are in the pool's own credits, all else in reference credits; in JSON "
                "and CSV in micro-credits, and shares in millionths.",
            .example =
                "qmarket pools\n"
                "  qmarket pools --pool search --at 2026-01-01T12:00:00Z --format json"};
  }

  void AddOptions(CLI::App& app) override {
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
    RecordPrinter printer(out, options_.format, "pools",
                          {{"pool", "pool"},
                           {"market_weight_micros_per_hour", "weight cr/h", Kind::kMicros},
                           {"weight_share_ppm", "weight %", Kind::kPpm},
                           {"lend_idle", "lends"},
                           {"purse_micros", "purse cr", Kind::kMicros},
                           {"uncollected_micros", "uncollected cr", Kind::kMicros, true},
                           {"exchange_rate", "exchange rate n/d", Kind::kText, true},
                           {"exchange_rate_decimal", "exchange rate", Kind::kDecimal},
                           {"teams", "teams", Kind::kCount},
                           {"incomes_micros_per_hour", "incomes cr/h", Kind::kMicros},
                           {"balances_micros", "balances cr", Kind::kMicros},
                           {"chips", "chips", Kind::kCount},
                           {"paid", "paid chips", Kind::kCount},
                           {"spend_micros_per_hour", "spends cr/h", Kind::kMicros},
                           {"spend_share_ppm", "spends %", Kind::kPpm}});
    printer.Moment(state.offset, state.time_ms);
    const HeldByName holdings = HeldByPools(state);
    std::map<std::string, PoolTotals> totals = TotalsOf(state, holdings);
    Int128 weights = 0;
    Int128 spends = 0;
    for (const PoolView& pool : state.pools) {
      weights += pool.market_weight_micros_per_hour;
      spends += totals[pool.pool].spend;
    }
    for (const PoolView& pool : state.pools) {
      if (!filters_.TakesPool(pool.pool)) continue;
      const PoolTotals& total = totals[pool.pool];
      const HeldChips holding = HeldOf(holdings, pool.pool);
      const std::optional<ExchangeRateView>& rate = pool.exchange_rate;
      printer.Add(
          {pool.pool, Int128{pool.market_weight_micros_per_hour},
           Share(pool.market_weight_micros_per_hour, weights), pool.lend_idle,
           Int128{pool.purse_micros}, pool.uncollected_micros,
           rate.has_value() ? Cell(FractionText(rate->numerator, rate->denominator)) : Cell(),
           rate.has_value() ? Cell(DecimalText(rate->numerator, rate->denominator)) : Cell(),
           Int128{total.teams}, total.incomes, total.balances, Int128{holding.chips},
           Int128{holding.paid}, total.spend, Share(total.spend, spends)});
    }
    printer.Finish("No pools yet.");
  }

  Filters filters_;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewPoolsCommand() {
  return std::make_unique<PoolsCommand>();
}

}  // namespace qmarket
