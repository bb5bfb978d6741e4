#include "connectors/cli/commands/export_focus.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

#include "connectors/books/charge_rows.h"
#include "connectors/books/focus.h"
#include "connectors/books/sink.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/options.h"
#include "connectors/cli/progress.h"
#include "events/event_log.h"
#include "replay/event_lookup.h"

namespace qmarket {
namespace {

// Writes the rows that are wanted as the outcomes go by.
class FocusExporter {
 public:
  // `after_ms`: the end of the charge periods that are too early; none where all are wanted.
  FocusExporter(std::optional<std::int64_t> after_ms, const ExportOptions& options,
                const FocusOptions& focus, const AccountList& accounts, EventLog& log,
                BookSink& sink)
      : after_ms_(after_ms),
        options_(options),
        focus_(focus),
        pools_(accounts.PoolsOfTeams()),
        events_(log),
        sink_(sink) {}

  // All outcomes from the beginning of the log: what bids hold is known from their changes alone.
  [[nodiscard]] bool Take(std::uint64_t offset, const Outcome& outcome) {
    if (offset_ != offset) EndOfEvent();
    offset_ = offset;
    rows_.Take(outcome);
    return status_.ok() && sink_.ok();
  }

  [[nodiscard]] absl::Status Finish() {
    EndOfEvent();
    return status_;
  }

 private:
  void EndOfEvent() {
    if (!offset_.has_value() || !status_.ok()) return;
    for (const ChargeRow& row : rows_.EndOfEvent(*offset_)) {
      const bool early = after_ms_.has_value() && row.to_ms <= *after_ms_;
      if (status_.ok() && !early) status_ = Write(row);
    }
  }

  [[nodiscard]] absl::Status Write(const ChargeRow& row) {
    const auto pool = pools_.find(row.team);
    if (pool == pools_.end()) {
      return absl::DataLossError(
          absl::StrCat("offset ", row.offset, ": the ledger has no team ", row.team));
    }
    if (!options_.team.empty() && row.team != options_.team) return absl::OkStatus();
    if (!options_.pool.empty() && pool->second != options_.pool) return absl::OkStatus();
    const absl::StatusOr<Decimal> rate = focus_.rates.Of(pool->second);
    if (!rate.ok()) return rate.status();
    const absl::StatusOr<EventHead> event = events_.At(row.offset);
    if (!event.ok()) return event.status();
    return sink_.Add(FocusLine(row, {.market = options_.query.log.market,
                                     .billing_currency = focus_.billing_currency,
                                     .pool = pool->second,
                                     .rate = *rate,
                                     .event_id = event->event_id,
                                     .validator_columns = focus_.validator_columns}));
  }

  std::optional<std::int64_t> after_ms_;
  const ExportOptions& options_;
  const FocusOptions& focus_;
  std::map<std::string, std::string> pools_;  // by team
  EventLookup events_;
  BookSink& sink_;
  ChargeRows rows_;
  std::optional<std::uint64_t> offset_;  // whose outcomes are coming
  absl::Status status_;
};

// Before anything is written: every rate names a pool, and every pool that is exported has one.
absl::Status CheckRates(const ExportOptions& options, const ChargebackRates& rates,
                        const AccountList& accounts) {
  for (const auto& [pool, rate] : rates.by_pool()) {
    if (absl::Status known = accounts.CheckPool(pool); !known.ok()) {
      return absl::NotFoundError(absl::StrCat("--rate: ", known.message()));
    }
  }
  for (const auto& [team, pool] : accounts.PoolsOfTeams()) {
    if (!options.team.empty() && team != options.team) continue;
    if (!options.pool.empty() && pool != options.pool) continue;
    if (const absl::StatusOr<Decimal> rate = rates.Of(pool); !rate.ok()) return rate.status();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ExportFocus(Query& query, const ExportOptions& options, const FocusOptions& focus,
                         const AccountList& accounts, Output& out) {
  if (absl::Status fit = CheckRates(options, focus.rates, accounts); !fit.ok()) return fit;
  const absl::StatusOr<std::unique_ptr<EventLog>> log =
      OpenLogOfStore(options.query.log, options.query.data_dir, query.store().state());
  if (!log.ok()) return log.status();
  absl::StatusOr<BookSink> sink =
      BookSink::Open(options.out_dir, {.stem = "focus", .extension = "csv"}, out);
  if (!sink.ok()) return sink.status();
  const std::string head = FocusHead(focus.validator_columns);
  sink->Begin(head, head);
  std::optional<std::int64_t> after_ms;
  if (!options.query.from.empty()) {
    const absl::StatusOr<std::int64_t> from_ms = ParseTime("--from", options.query.from);
    if (!from_ms.ok()) return from_ms.status();
    after_ms = *from_ms;
  }
  const OffsetRange range = query.range();
  if (range.from <= range.to) {
    FocusExporter exporter(after_ms, options, focus, accounts, **log, *sink);
    Progress progress("exporting");
    const absl::Status read = ForEachOutcome(query.store(), {.from = 0, .to = range.to},
                                             [&](std::uint64_t offset, const Outcome& outcome) {
                                               progress.Update(offset, range.to + 1);
                                               return exporter.Take(offset, outcome);
                                             });
    if (!read.ok()) return read;
    if (absl::Status done = exporter.Finish(); !done.ok()) return done;
  }
  absl::Status done =
      sink->Finish([](absl::Span<const std::string> /*files*/) { return std::string(); });
  if (done.ok()) out.Write(sink->Summary("charges"));
  return done;
}

}  // namespace qmarket
