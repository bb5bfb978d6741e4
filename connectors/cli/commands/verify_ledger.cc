#include "connectors/cli/commands/verify_ledger.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

#include "connectors/cli/commands/checkpoints.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/exit_status.h"
#include "connectors/cli/json_writer.h"
#include "connectors/cli/progress.h"
#include "connectors/cli/text.h"
#include "events/event_log.h"
#include "events/fingerprint.h"
#include "matcher/process/data_dir.h"
#include "replay/from_log.h"
#include "replay/input_source.h"
#include "replay/verify.h"
#include <CLI/CLI.hpp>

namespace qmarket {
namespace {

// The result, and what it is of.
struct Proof {
  OffsetRange range;
  Verified verified{};
  RebuildOrigin origin{};
  std::uint64_t behind = 0;  // records of the log that the store has not applied
};

absl::StatusOr<Proof> Prove(const VerifyOptions& options, EventLog& log, const LedgerStore& store,
                            OffsetRange range) {
  Proof proof = {.range = range};
  const absl::StatusOr<std::uint64_t> end = log.EndOffset();
  if (!end.ok()) return end.status();
  proof.behind = *end - std::min(*end, store.state().next_offset);
  Progress progress("verifying");
  const auto show = [&progress, &range](std::uint64_t done) {
    progress.Update(done, range.to + 1);
  };
  absl::StatusOr<std::optional<Difference>> record = VerifyRecords(log, store, range, show);
  if (!record.ok()) return record.status();
  proof.verified.difference = *std::move(record);
  if (proof.verified.difference.has_value()) return proof;
  absl::StatusOr<RebuiltReplica> start =
      ReplicaBefore({log, CheckpointsOf(options.log, options.data_dir, options.no_checkpoints)},
                    range.from, show);
  if (!start.ok()) return start.status();
  LogSource source(log, range.from, range.to + 1);
  Prefetcher prefetcher(source);
  absl::StatusOr<Verified> verified = VerifyStore(
      prefetcher, store,
      {.start = std::move(start->replica), .first = range.from, .last = range.to}, show);
  if (!verified.ok()) return verified.status();
  proof.verified = *std::move(verified);
  proof.origin = std::move(start->origin);
  return proof;
}

void PrintJson(const Proof& proof, Output& out) {
  const Verified& verified = proof.verified;
  JsonWriter json;
  json.BeginObject()
      .Field("verified", !verified.difference.has_value())
      .Field("events", verified.events)
      .Field("from_offset", proof.range.from)
      .Field("offset",
             verified.difference.has_value() ? verified.difference->offset : verified.last)
      .Field("digest", ToHex(verified.digest))
      .Field("not_applied", proof.behind);
  if (verified.difference.has_value()) {
    json.Field("difference", DescribeDifference(*verified.difference))
        .Field("object", verified.difference->object)
        .Field("recorded", verified.difference->recorded)
        .Field("replayed", verified.difference->replayed);
  }
  out.Write(json.EndObject().Take());
}

void PrintProved(const Proof& proof, Output& out) {
  const std::uint64_t last = proof.verified.last.value_or(0);
  out.Write(absl::StrCat("Verified ", CountText(Int128{proof.verified.events}), " events, offsets ",
                         proof.range.from, " to ", last,
                         ": every record, outcome, posting and balance is as recorded.\ndigest ",
                         ToHex(proof.verified.digest), "\n"));
  if (proof.behind == 0) return;
  out.Write(absl::StrCat("The log has ", CountText(Int128{proof.behind}),
                         " more, which the ledger has not applied yet: `qmarket run` does.\n"));
}

absl::Status NothingApplied(const VerifyOptions& options, EventLog& log, Output& out) {
  Proof proof = {.range = {.from = 0, .to = 0}};
  const absl::StatusOr<std::uint64_t> end = log.EndOffset();
  if (!end.ok()) return end.status();
  proof.behind = *end;
  if (options.format == Format::kJson) {
    PrintJson(proof, out);
  } else {
    out.Write(absl::StrCat("Verified 0 events: the ledger has applied none of the ",
                           CountText(Int128{proof.behind}), " in the log.\n"));
  }
  return absl::OkStatus();
}

// What was to be proved cannot hold where the records of it are damaged.
absl::Status Damaged(const VerifyOptions& options, const absl::Status& damage, Output& out) {
  if (options.format == Format::kJson) {
    JsonWriter json;
    json.BeginObject().Field("verified", false).Field("difference", damage.message());
    out.Write(json.EndObject().Take());
  }
  return VerificationError(damage.message());
}

absl::Status Verify(const VerifyOptions& options, Output& out) {
  const absl::StatusOr<std::unique_ptr<LedgerStore>> store =
      OpenStoreForReading(options.log, options.data_dir);
  if (!store.ok()) return store.status();
  const absl::StatusOr<std::unique_ptr<EventLog>> log =
      OpenLogForReading(options.log, options.data_dir);
  if (!log.ok()) return log.status();
  const absl::Status same =
      CheckLogOfStore(**log, (*store)->state(), options.log, options.data_dir);
  if (!same.ok()) return VerificationError(same.message());
  if (!(*store)->state().last_offset.has_value() && !options.stretch.given()) {
    return NothingApplied(options, **log, out);
  }
  const absl::StatusOr<OffsetRange> range = options.stretch.Read(**store);
  if (!range.ok()) return range.status();
  const absl::StatusOr<Proof> proof = Prove(options, **log, **store, *range);
  if (!proof.ok()) return proof.status();
  if (range->from > 0) SayOrigin(proof->origin);
  const std::optional<Difference>& difference = proof->verified.difference;
  if (options.format == Format::kJson) {
    PrintJson(*proof, out);
  } else if (!difference.has_value()) {
    PrintProved(*proof, out);
  }
  if (!difference.has_value()) return absl::OkStatus();
  return VerificationError(absl::StrCat(MarketDir(options.data_dir, options.log.market),
                                        ": offset ", difference->offset, ": ",
                                        DescribeDifference(*difference)));
}

}  // namespace

void StretchOptions::AddOptions(CLI::App& app) {
  CLI::Option* verify = app.get_option("--verify");
  CLI::Option* from_offset =
      app.add_option("--from-offset", from_offset_, "With --verify: from this offset on")
          ->type_name("N")
          ->needs(verify);
  CLI::Option* to_offset =
      app.add_option("--to-offset", to_offset_, "With --verify: up to this offset, included")
          ->type_name("N")
          ->needs(verify);
  app.add_option("--from", from_, "With --verify: from this time on")
      ->type_name("TIME")
      ->needs(verify)
      ->excludes(from_offset);
  app.add_option("--to", to_, "With --verify: up to this time, included")
      ->type_name("TIME")
      ->needs(verify)
      ->excludes(to_offset);
}

bool StretchOptions::given() const {
  return !from_.empty() || !to_.empty() || !from_offset_.empty() || !to_offset_.empty();
}

absl::StatusOr<OffsetRange> StretchOptions::Read(const LedgerStore& store) const {
  OffsetRange range = {.from = 0, .to = store.state().last_offset.value_or(0)};
  for (const auto& [name, text, offset] : {std::tuple("--from-offset", &from_offset_, &range.from),
                                           std::tuple("--to-offset", &to_offset_, &range.to)}) {
    if (text->empty()) continue;
    const absl::StatusOr<std::uint64_t> given = ParseCount(name, *text);
    if (!given.ok()) return given.status();
    *offset = *given;
  }
  if (!from_.empty()) {
    const absl::StatusOr<std::int64_t> time_ms = ParseTime("--from", from_);
    if (!time_ms.ok()) return time_ms.status();
    const absl::StatusOr<std::optional<std::uint64_t>> before = store.OffsetAt(*time_ms - 1);
    if (!before.ok()) return before.status();
    range.from = before->has_value() ? **before + 1 : 0;
  }
  if (!to_.empty()) {
    const absl::StatusOr<std::int64_t> time_ms = ParseTime("--to", to_);
    if (!time_ms.ok()) return time_ms.status();
    const absl::StatusOr<std::optional<std::uint64_t>> offset = store.OffsetAt(*time_ms);
    if (!offset.ok()) return offset.status();
    if (!offset->has_value()) return absl::OutOfRangeError("nothing happened up to --to");
    range.to = **offset;
  }
  if (range.from > range.to) {
    return absl::OutOfRangeError(
        from_.empty() && to_.empty()
            ? absl::StrCat("no event from offset ", range.from, " to ", range.to, " is applied")
            : std::string("nothing happened from --from to --to"));
  }
  if (store.state().last_offset < range.to) {
    return absl::OutOfRangeError(absl::StrCat("offset ", range.to, " is not applied yet"));
  }
  return range;
}

absl::Status VerifyLedger(const VerifyOptions& options, Output& out) {
  if (options.format == Format::kCsv) return UsageError("--verify prints table or json");
  const absl::Status verified = Verify(options, out);
  return absl::IsDataLoss(verified) ? Damaged(options, verified, out) : verified;
}

}  // namespace qmarket
