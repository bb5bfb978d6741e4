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

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/records.h"
#include "events/outcome.h"

namespace qmarket {
namespace {

class PricesCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "prices",
            .group = kQueryGroup,
            .summary = "Prices of every resource, in every pool",
            .explanation =
                "Prints the reference price of every resource and what the teams of every pool pay "
                "for a chip and hour: of the last cycle, of the one in force at any moment before "
                "(--at, --offset), or each change over a stretch of time (--from, --to). Prices "
                "are in micro-credits in JSON and CSV.",
            .example =
                "qmarket prices\n"
                "  qmarket prices h100 --from 2026-01-01T09:00 --to 2026-01-01T17:00"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("RESOURCE", resource_, "This resource alone");
    filters_.AddPool(app);
    app.add_flag("--all", all_, "Of a history, every cycle, not changes alone");
    AddQueryOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    const absl::StatusOr<AccountList> list = AccountList::Read(query->store());
    if (!list.ok()) return list.status();
    if (absl::Status known = filters_.Check(*list); !known.ok()) return known;
    if (absl::Status known = CheckResource(*query, resource_); !known.ok()) return known;
    return query->is_history() ? PrintHistory(*query, out) : PrintPrices(*query, out);
  }

 private:
  absl::Status PrintPrices(Query& query, Output& out) {
    const absl::StatusOr<std::vector<std::string>> names = NamesOf(query, IndexKind::kResource);
    if (!names.ok()) return names.status();
    std::vector<MarketCleared> resources;
    std::uint64_t last_cycle = 0;
    for (const std::string& name : *names) {
      const absl::StatusOr<LastOutcomes> last =
          LastOutcomesAbout(query, IndexKind::kResource, name);
      if (!last.ok()) return last.status();
      for (const Outcome& outcome : last->outcomes) {
        if (const auto* cleared = std::get_if<MarketCleared>(&outcome)) {
          last_cycle = std::max(last_cycle, cleared->cycle);
          resources.push_back(*cleared);
        }
      }
    }
    // What the last cycle did not clear has neither supply nor bids any more, and no price.
    std::erase_if(resources, [&](const MarketCleared& cleared) {
      return cleared.cycle != last_cycle || (!resource_.empty() && cleared.resource != resource_);
    });
    return PrintResources(query, resources, out);
  }

  absl::Status PrintResources(Query& query, const std::vector<MarketCleared>& resources,
                              Output& out) {
    RecordPrinter printer(out, options_.format, "prices",
                          {{"resource", "resource"},
                           {"pool", "pool"},
                           {"price_micros", "price cr/chip-h", Kind::kMicros},
                           {"reference_price_micros", "reference cr/chip-h", Kind::kMicros},
                           {"owned", "owned", Kind::kCount},
                           {"lent", "lent", Kind::kCount},
                           {"paid", "paid", Kind::kCount},
                           {"allocated", "allocated", Kind::kCount},
                           {"supply", "supply", Kind::kCount},
                           {"cycle_time_ms", "cycle", Kind::kTimeMs}});
    const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.time_ms();
    if (!time_ms.ok()) return time_ms.status();
    printer.Moment(query.offset(), *time_ms);
    for (const MarketCleared& resource : resources) {
      for (const PoolCleared& pool : resource.pools) {
        if (!filters_.TakesPool(pool.pool)) continue;
        printer.Add({resource.resource, pool.pool, OptionalCell(pool.price_micros),
                     OptionalCell(resource.reference_price_micros), Int128{pool.owned},
                     Int128{pool.lent}, Int128{pool.paid}, Int128{pool.allocated},
                     Int128{resource.supply}, Int128{resource.time_ms}});
      }
    }
    printer.Finish("No prices yet.");
    return absl::OkStatus();
  }

  absl::Status PrintHistory(Query& query, Output& out) {
    RecordPrinter printer(out, options_.format, "prices",
                          {{"offset", "offset", Kind::kOffset},
                           {"time_ms", "time", Kind::kTimeMs},
                           {"resource", "resource"},
                           {"pool", "pool"},
                           {"price_micros", "price cr/chip-h", Kind::kMicros},
                           {"reference_price_micros", "reference cr/chip-h", Kind::kMicros},
                           {"supply", "supply", Kind::kCount},
                           {"allocated", "allocated", Kind::kCount}});
    const absl::Status read =
        ForEachOutcome(query, [&](std::uint64_t offset, const Outcome& outcome) {
          const auto* cleared = std::get_if<MarketCleared>(&outcome);
          const bool wanted =
              cleared != nullptr && (resource_.empty() || cleared->resource == resource_);
          return !wanted || PrintCleared(offset, *cleared, printer);
        });
    if (!read.ok()) return read;
    printer.Finish("No prices in that time.");
    return absl::OkStatus();
  }

  bool PrintCleared(std::uint64_t offset, const MarketCleared& cleared, RecordPrinter& printer) {
    return std::ranges::all_of(cleared.pools, [&](const PoolCleared& pool) {
      if (!filters_.TakesPool(pool.pool)) return true;
      const Prices prices = {pool.price_micros, cleared.reference_price_micros};
      const auto [last, first] = last_.try_emplace({cleared.resource, pool.pool}, prices);
      if (!first && std::exchange(last->second, prices) == prices && !all_) return true;
      return printer.Add({Int128{offset}, Int128{cleared.time_ms}, cleared.resource, pool.pool,
                          OptionalCell(pool.price_micros),
                          OptionalCell(cleared.reference_price_micros), Int128{cleared.supply},
                          Int128{cleared.allocated}});
    });
  }

  using Prices = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;

  std::string resource_;
  Filters filters_;
  bool all_ = false;
  QueryOptions options_;
  std::map<std::pair<std::string, std::string>, Prices> last_;  // by resource and pool
};

}  // namespace

std::unique_ptr<Command> NewPricesCommand() {
  return std::make_unique<PricesCommand>();
}

}  // namespace qmarket
