#include "replay/from_log.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "matcher/process/checkpoint.h"
#include "replay/input_source.h"

namespace qmarket {
namespace {

// Where a rebuilding begins.
struct Beginning {
  Replica replica;
  std::uint64_t next_offset = 0;
  RebuildOrigin origin;
};

absl::StatusOr<Beginning> BeginAt(const MarketLog& market, const CheckpointLimit& limit) {
  Beginning beginning;
  if (market.checkpoints_dir.empty()) return beginning;
  absl::StatusOr<FoundCheckpoint> found = FindCheckpoint(market.log, market.checkpoints_dir, limit);
  if (!found.ok()) return found.status();
  beginning.origin.skipped = std::move(found->skipped);
  if (!found->checkpoint.has_value()) return beginning;
  beginning.replica = std::move(found->checkpoint->replica);
  beginning.next_offset = found->checkpoint->next_offset;
  beginning.origin.checkpoint = beginning.next_offset;
  return beginning;
}

}  // namespace

std::string DescribeOrigin(const RebuildOrigin& origin) {
  const std::string events = absl::StrCat(origin.events, origin.events == 1 ? " event" : " events");
  if (!origin.checkpoint.has_value()) return absl::StrCat("from the log alone: ", events);
  return absl::StrCat("from the checkpoint at offset ", *origin.checkpoint, " and ", events,
                      " behind it");
}

absl::StatusOr<RebuiltReport> StateAt(const MarketLog& market, const Moment& asked,
                                      std::uint64_t end, const RebuildProgress& progress) {
  Moment moment = asked;
  if (moment.offset.has_value() && *moment.offset < end) {
    end = *moment.offset + 1;
    moment.offset.reset();
  }
  absl::StatusOr<Beginning> beginning =
      BeginAt(market, {.most_next_offset = end, .most_time_ms = moment.time_ms});
  if (!beginning.ok()) return beginning.status();
  LogSource source(market.log, beginning->next_offset, end);
  Prefetcher prefetcher(source);
  const std::uint64_t before = beginning->replica.events();
  std::uint64_t events = before;
  absl::StatusOr<StateReport> report =
      RebuildAt(prefetcher, moment, std::move(beginning->replica), [&](std::uint64_t applied) {
        events = applied;
        progress(applied);
      });
  if (!report.ok()) return report.status();
  beginning->origin.events = events - before;
  return RebuiltReport{*std::move(report), std::move(beginning->origin)};
}

absl::StatusOr<RebuiltReplica> ReplicaBefore(const MarketLog& market, std::uint64_t end,
                                             const RebuildProgress& progress) {
  absl::StatusOr<Beginning> beginning = BeginAt(market, {.most_next_offset = end});
  if (!beginning.ok()) return beginning.status();
  LogSource source(market.log, beginning->next_offset, end);
  Prefetcher prefetcher(source);
  const std::uint64_t before = beginning->replica.events();
  if (absl::Status applied = ApplyAll(prefetcher, beginning->replica, progress); !applied.ok()) {
    return applied;
  }
  beginning->origin.events = beginning->replica.events() - before;
  return RebuiltReplica{std::move(beginning->replica), std::move(beginning->origin)};
}

}  // namespace qmarket
