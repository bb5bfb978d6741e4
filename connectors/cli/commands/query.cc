#include "connectors/cli/commands/query.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "connectors/cli/commands/checkpoints.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/progress.h"
#include "events/event_log.h"
#include "replay/from_log.h"
#include <CLI/CLI.hpp>

namespace qmarket {

void AddMomentOptions(CLI::App& app, QueryOptions& options) {
  AddDataOption(app, options.data_dir);
  AddLogOptions(app, options.log);
  CLI::Option* offset =
      app.add_option("--offset", options.offset, "As of this offset")->type_name("N");
  app.add_option("--at", options.at, "As of this time: ISO 8601, or ms since the epoch")
      ->type_name("TIME")
      ->excludes(offset);
  AddCheckpointOption(app, options.no_checkpoints);
  AddFormatOption(app, options.format);
}

void AddQueryOptions(CLI::App& app, QueryOptions& options) {
  AddMomentOptions(app, options);
  CLI::Option* offset = app.get_option("--offset");
  CLI::Option* at = app.get_option("--at");
  app.add_option("--from", options.from, "The history from this time on")
      ->type_name("TIME")
      ->excludes(offset)
      ->excludes(at);
  app.add_option("--to", options.to, "The history up to this time, included")
      ->type_name("TIME")
      ->excludes(offset)
      ->excludes(at);
}

absl::StatusOr<Query> Query::Open(const QueryOptions& options) {
  if (absl::Status checked = CheckLogOptions(options.log); !checked.ok()) return checked;
  // Options are read before the store is, so that a usage error is one wherever there is no store.
  for (const auto& [name, text] :
       {std::pair("--at", &options.at), std::pair("--from", &options.from),
        std::pair("--to", &options.to)}) {
    if (text->empty()) continue;
    if (const auto time = ParseTime(name, *text); !time.ok()) return time.status();
  }
  if (!options.offset.empty()) {
    if (const auto offset = ParseCount("--offset", options.offset); !offset.ok()) {
      return offset.status();
    }
  }
  absl::StatusOr<std::unique_ptr<LedgerStore>> store =
      OpenStoreForReading(options.log, options.data_dir);
  if (!store.ok()) return store.status();
  Query query(options, *std::move(store));
  if (absl::Status set = query.SetMoment(options); !set.ok()) return set;
  if (absl::Status set = query.SetRange(options); !set.ok()) return set;
  return query;
}

absl::Status Query::SetMoment(const QueryOptions& options) {
  offset_ = store_->state().last_offset;
  if (!options.offset.empty()) {
    const absl::StatusOr<std::uint64_t> offset = ParseCount("--offset", options.offset);
    if (!offset.ok()) return offset.status();
    if (!offset_.has_value() || *offset > *offset_) {
      return absl::OutOfRangeError(absl::StrCat(
          "offset ", *offset, " is not applied yet: ",
          offset_.has_value() ? absl::StrCat("the last one is ", *offset_) : "nothing is"));
    }
    offset_ = *offset;
  }
  // A history ends at --to as a moment ends at --at.
  const bool ends = !options.to.empty();
  if (options.at.empty() && !ends) return absl::OkStatus();
  const absl::StatusOr<std::int64_t> time_ms =
      ends ? ParseTime("--to", options.to) : ParseTime("--at", options.at);
  if (!time_ms.ok()) return time_ms.status();
  const absl::StatusOr<std::optional<std::uint64_t>> offset = store_->OffsetAt(*time_ms);
  if (!offset.ok()) return offset.status();
  offset_ = *offset;
  return absl::OkStatus();
}

absl::Status Query::SetRange(const QueryOptions& options) {
  history_ = !options.from.empty() || !options.to.empty();
  if (offset_.has_value()) {
    range_.to = *offset_;
  } else {
    range_ = {.from = 1, .to = 0};
  }
  if (options.from.empty()) return absl::OkStatus();
  const absl::StatusOr<std::int64_t> from_ms = ParseTime("--from", options.from);
  if (!from_ms.ok()) return from_ms.status();
  if (!options.to.empty()) {
    const absl::StatusOr<std::int64_t> to_ms = ParseTime("--to", options.to);
    if (!to_ms.ok()) return to_ms.status();
    if (*from_ms > *to_ms) return UsageError("--from is later than --to");
  }
  const absl::StatusOr<std::optional<std::uint64_t>> before = store_->OffsetAt(*from_ms - 1);
  if (!before.ok()) return before.status();
  if (before->has_value() && offset_.has_value()) range_.from = **before + 1;
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::int64_t>> Query::time_ms() const {
  if (!offset_.has_value()) return std::nullopt;
  return store_->TimeAt(*offset_);
}

absl::StatusOr<std::optional<std::int64_t>> Query::TimeAt(std::uint64_t offset) {
  if (timed_offset_ != offset) {
    const absl::StatusOr<std::optional<std::int64_t>> time_ms = store_->TimeAt(offset);
    if (!time_ms.ok()) return time_ms.status();
    timed_offset_ = offset;
    timed_ = *time_ms;
  }
  return timed_;
}

absl::StatusOr<StateReport> Query::RebuildState() const {
  if (!offset_.has_value()) return StateReport();
  const absl::StatusOr<std::unique_ptr<EventLog>> log =
      OpenLogOfStore(log_, data_dir_, store_->state());
  if (!log.ok()) return log.status();
  Progress progress("rebuilding");
  absl::StatusOr<RebuiltReport> state =
      StateAt({**log, CheckpointsOf(log_, data_dir_, no_checkpoints_)}, Moment(), *offset_ + 1,
              [&](std::uint64_t events) { progress.Update(events, *offset_ + 1); });
  if (!state.ok()) return state.status();
  SayOrigin(state->origin);
  return std::move(state->report);
}

absl::StatusOr<Replica> Query::RebuildBefore(EventLog& log, std::uint64_t end) const {
  Progress progress("rebuilding");
  absl::StatusOr<RebuiltReplica> rebuilt =
      ReplicaBefore({log, CheckpointsOf(log_, data_dir_, no_checkpoints_)}, end,
                    [&](std::uint64_t events) { progress.Update(events, end); });
  if (!rebuilt.ok()) return rebuilt.status();
  SayOrigin(rebuilt->origin);
  return std::move(rebuilt->replica);
}

}  // namespace qmarket
