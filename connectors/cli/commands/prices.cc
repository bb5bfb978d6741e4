#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/accounts.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/filters.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/price_history.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/options.h"
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
                "(--at, --offset), or over a stretch of time (--from, --to) those in force when it "
                "began, with their own time, and each change. Prices are in micro-credits in JSON "
                "and CSV.",
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
    const auto wanted = [this](const std::string& resource, const std::string& pool) {
      return (resource_.empty() || resource == resource_) && filters_.TakesPool(pool);
    };
    PriceHistory history(out, options_.format, all_, wanted);
    if (absl::Status opened = Open(query, history); !opened.ok()) return opened;
    const absl::Status read =
        ForEachOutcome(query, [&](std::uint64_t offset, const Outcome& outcome) {
          const auto* cleared = std::get_if<MarketCleared>(&outcome);
          return cleared == nullptr || history.Add(offset, *cleared);
        });
    if (!read.ok()) return read;
    history.Finish();
    return absl::OkStatus();
  }

  // The prices that were in force when the stretch began.
  absl::Status Open(const Query& query, PriceHistory& history) const {
    if (options_.from.empty()) return absl::OkStatus();
    const absl::StatusOr<std::int64_t> from_ms = ParseTime("--from", options_.from);
    if (!from_ms.ok()) return from_ms.status();
    const absl::StatusOr<std::vector<std::string>> names = NamesOf(query, IndexKind::kResource);
    if (!names.ok()) return names.status();
    std::vector<LastOutcomes> all;
    std::uint64_t last_cycle = 0;
    for (const std::string& name : *names) {
      absl::StatusOr<LastOutcomes> opening =
          OpeningOutcomesAbout(query, *from_ms, IndexKind::kResource, name);
      if (!opening.ok()) return opening.status();
      if (opening->outcomes.empty()) continue;
      last_cycle = std::max(last_cycle, opening->offset);
      all.push_back(*std::move(opening));
    }
    for (const LastOutcomes& opening : all) {
      if (opening.offset != last_cycle) continue;  // not cleared any more: it has no price
      for (const Outcome& outcome : opening.outcomes) {
        if (const auto* cleared = std::get_if<MarketCleared>(&outcome)) {
          history.Open(opening.offset, *cleared);
        }
      }
    }
    return absl::OkStatus();
  }

  std::string resource_;
  Filters filters_;
  bool all_ = false;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewPricesCommand() {
  return std::make_unique<PricesCommand>();
}

}  // namespace qmarket
