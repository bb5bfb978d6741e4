#include "replay/explain.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "connectors/cli/command.h"
#include "connectors/cli/commands/commands.h"
#include "connectors/cli/commands/explain_answer.h"
#include "connectors/cli/commands/history.h"
#include "connectors/cli/commands/open_log.h"
#include "connectors/cli/commands/query.h"
#include "connectors/cli/text.h"
#include "events/outcome.h"
#include "events/outcome_codec.h"
#include "replay/input_source.h"

namespace qmarket {
namespace {

// The last tick at or before the moment at which anything was cleared; none before the first.
absl::StatusOr<std::optional<std::uint64_t>> LastTick(const Query& query) {
  const absl::StatusOr<std::vector<std::string>> resources = NamesOf(query, IndexKind::kResource);
  if (!resources.ok()) return resources.status();
  std::optional<std::uint64_t> last;
  for (const std::string& resource : *resources) {
    const absl::StatusOr<std::optional<IndexHit>> hit = query.store().IndexAt(
        static_cast<std::uint8_t>(IndexKind::kResource), resource, *query.offset());
    if (!hit.ok()) return hit.status();
    if (hit->has_value()) last = std::max(last.value_or(0), (*hit)->offset);
  }
  return last;
}

// When the bid last lost chips, at the moment or before it.
absl::StatusOr<std::optional<Loss>> LastLoss(const Query& query, const std::string& bid) {
  std::optional<Loss> last;
  const absl::Status read = ForEachOutcomeAbout(
      query, IndexKind::kBid, bid, [&last](std::uint64_t offset, const Outcome& outcome) {
        if (const auto* lost = std::get_if<BidPreempted>(&outcome)) {
          last = Loss{.offset = offset,
                      .time_ms = lost->time_ms,
                      .lost = lost->lost,
                      .left = lost->chips,
                      .reason = lost->reason};
        }
        return true;
      });
  if (!read.ok()) return read;
  return last;
}

absl::StatusOr<bool> WasRejected(const Query& query, std::uint64_t offset) {
  const absl::StatusOr<std::optional<IndexHit>> hit =
      query.store().IndexAt(static_cast<std::uint8_t>(IndexKind::kRejection), "", offset);
  if (!hit.ok()) return hit.status();
  return hit->has_value() && (*hit)->offset == offset;
}

// The first event from `from` on, before `end`, that `is_it` takes and the market did not reject.
absl::StatusOr<std::optional<BidEvent>> FindEvent(
    const Query& query, EventLog& log, std::uint64_t from, std::uint64_t end,
    absl::FunctionRef<std::optional<BidEvent>(const Payload&)> is_it) {
  LogSource source(log, from, end);
  while (true) {
    const absl::StatusOr<std::vector<Input>> inputs = source.Next();
    if (!inputs.ok()) return inputs.status();
    if (inputs->empty()) return std::nullopt;
    for (const Input& input : *inputs) {
      const Event* event = std::get_if<Event>(&input.event);
      if (event == nullptr) continue;
      std::optional<BidEvent> found = is_it(event->payload);
      if (!found.has_value()) continue;
      const absl::StatusOr<bool> rejected = WasRejected(query, input.offset);
      if (!rejected.ok()) return rejected.status();
      if (*rejected) continue;
      const absl::StatusOr<std::optional<std::int64_t>> time_ms =
          query.store().TimeAt(input.offset);
      if (!time_ms.ok()) return time_ms.status();
      found->offset = input.offset;
      found->time_ms = time_ms->value_or(event->time_ms);
      return found;
    }
  }
}

class ExplainCommand : public Command {
 public:
  CommandText text() const override {
    return {.name = "explain",
            .group = kQueryGroup,
            .summary = "Why a bid ran or did not, and what would have changed that",
            .explanation =
                "Looks at the last cycle at or before the moment: the price, what the bid offers, "
                "its limit price, its team's budget and queue, and who is next to it. Says at what "
                "limit price, income and supply the bid would have run, or would not: each such "
                "claim was proven by clearing that cycle again with this change alone. For a "
                "preemption it says why, and who got the chips.",
            .example =
                "qmarket explain job-9181\n"
                "  qmarket explain job-9181 --at 2026-01-01T12:00:00Z --format json"};
  }

  void AddOptions(CLI::App& app) override {
    app.add_option("BID", bid_, "The bid to explain")->required();
    AddMomentOptions(app, options_);
  }

  absl::Status Run(Output& out) override {
    absl::StatusOr<Query> query = Query::Open(options_);
    if (!query.ok()) return query.status();
    const absl::StatusOr<std::unique_ptr<EventLog>> log =
        OpenLogOfStore(options_.log, options_.data_dir, query->store().state());
    if (!log.ok()) return log.status();
    const absl::StatusOr<ExplainAnswer> answer = Answer(*query, **log);
    if (!answer.ok()) return answer.status();
    switch (options_.format) {
      case Format::kTable:
        PrintExplainPage(*answer, out);
        break;
      case Format::kJson:
        PrintExplainJson(*answer, out);
        break;
      case Format::kCsv:
        PrintExplainCsv(*answer, out);
        break;
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<ExplainAnswer> Answer(Query& query, EventLog& log) {
    ExplainAnswer answer;
    answer.offset = query.offset();
    const absl::StatusOr<std::optional<std::int64_t>> time_ms = query.time_ms();
    if (!time_ms.ok()) return time_ms.status();
    answer.time_ms = *time_ms;
    const std::uint64_t end = answer.offset.has_value() ? *answer.offset + 1 : 0;
    std::uint64_t from = end;
    if (answer.offset.has_value()) {
      const absl::StatusOr<std::optional<std::uint64_t>> tick = LastTick(query);
      if (!tick.ok()) return tick.status();
      from = tick->value_or(end);
    }
    absl::StatusOr<Replica> replica = query.RebuildBefore(log, from);
    if (!replica.ok()) return replica.status();
    LogSource records(log, from, end);
    absl::StatusOr<std::optional<Explanation>> explained = ExplainAt(*replica, records, bid_);
    if (!explained.ok()) return explained.status();
    if (!explained->has_value()) return NotPlaced(query, log, *replica, std::move(answer));
    answer.explanation = **std::move(explained);
    return WithPast(query, log, std::move(answer));
  }

  // What the log and the store know of the bid's past.
  absl::StatusOr<ExplainAnswer> WithPast(const Query& query, EventLog& log, ExplainAnswer answer) {
    absl::StatusOr<std::optional<Loss>> loss = LastLoss(query, bid_);
    if (!loss.ok()) return loss.status();
    answer.last_loss = *std::move(loss);
    if (answer.explanation.verdict != Verdict::kEnded) return answer;
    absl::StatusOr<std::optional<BidEvent>> withdrawn =
        FindEvent(query, log, answer.explanation.now.place, *answer.offset + 1,
                  [this](const Payload& payload) -> std::optional<BidEvent> {
                    const auto* event = std::get_if<BidWithdrawn>(&payload);
                    if (event == nullptr || event->bid != bid_) return std::nullopt;
                    return BidEvent{.reason = event->reason};
                  });
    if (!withdrawn.ok()) return withdrawn.status();
    answer.withdrawn = *std::move(withdrawn);
    return answer;
  }

  // A bid that the market does not know at the moment: it may be placed later. Else it is unknown.
  absl::StatusOr<ExplainAnswer> NotPlaced(const Query& query, EventLog& log, const Replica& replica,
                                          ExplainAnswer answer) {
    const std::optional<std::uint64_t> last = query.store().state().last_offset;
    absl::StatusOr<std::optional<BidEvent>> placed =
        FindEvent(query, log, answer.offset.has_value() ? *answer.offset + 1 : 0,
                  last.has_value() ? *last + 1 : 0,
                  [this](const Payload& payload) -> std::optional<BidEvent> {
                    const auto* event = std::get_if<BidPlaced>(&payload);
                    if (event == nullptr || event->bid != bid_) return std::nullopt;
                    return BidEvent{};
                  });
    if (!placed.ok()) return placed.status();
    if (!placed->has_value()) {
      std::vector<std::string> names;
      for (const BidView& bid : replica.market().Bids())
        names.push_back(bid.bid);
      return absl::NotFoundError(UnknownName("bid", bid_, names));
    }
    answer.explanation.bid = bid_;
    answer.explanation.verdict = Verdict::kNotPlaced;
    answer.placed = *std::move(placed);
    return answer;
  }

  std::string bid_;
  QueryOptions options_;
};

}  // namespace

std::unique_ptr<Command> NewExplainCommand() {
  return std::make_unique<ExplainCommand>();
}

}  // namespace qmarket
