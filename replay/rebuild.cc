#include "replay/rebuild.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "events/outcome_codec.h"

namespace qmarket {
namespace {

std::vector<ResourceView> ClearedResources(const Market& market) {
  std::vector<ResourceView> resources = market.Resources();
  std::erase_if(resources, [](const ResourceView& resource) { return !resource.cleared; });
  return resources;
}

bool ClaimsLaterThan(const Input& input, std::int64_t time_ms) {
  const Event* event = std::get_if<Event>(&input.event);
  return event != nullptr && event->time_ms > time_ms;
}

// Rebuilds up to a time. Whether an event that claims to be later takes effect is only known once
// it was applied, so the report is made before it.
class TimeLimit {
 public:
  explicit TimeLimit(std::int64_t time_ms) : time_ms_(time_ms) {}

  // Applies the input; true if it took effect after the limit, and report() is the answer.
  bool Apply(const Input& input, Rebuild& rebuild) {
    if (!ClaimsLaterThan(input, time_ms_)) {
      if (rebuild.Apply(input)) before_.reset();
      return false;
    }
    // Rejected events change no view, so a report serves until something takes effect.
    if (!before_.has_value()) before_ = rebuild.Report();
    const RebuildLists lists = rebuild.lists();
    if (!rebuild.Apply(input)) return false;
    lists_ = lists;
    return true;
  }

  StateReport TakeReport(const Rebuild& rebuild) {
    StateReport report = *std::move(before_);
    rebuild.FillLists(lists_, report);
    return report;
  }

 private:
  std::int64_t time_ms_;
  std::optional<StateReport> before_;
  RebuildLists lists_;
};

}  // namespace

bool Rebuild::Apply(const Input& input) {
  const Step step = market_.Apply(input);
  offset_ = input.offset;
  ++events_;
  if (step.outcomes.empty()) return true;
  bytes_.clear();
  AppendOutcomes(step.outcomes, bytes_);
  digest_.Add(input.offset, bytes_);
  return Record(input.offset, step.outcomes);
}

bool Rebuild::Record(std::uint64_t offset, const std::vector<Outcome>& outcomes) {
  bool took_effect = true;
  for (const Outcome& outcome : outcomes) {
    if (const auto* rejected = std::get_if<EventRejected>(&outcome)) {
      rejected_.push_back({rejected->event_id, offset, rejected->code});
      took_effect = false;
    } else if (const auto* preempted = std::get_if<BidPreempted>(&outcome)) {
      if (preempted->chips == 0) preempted_.push_back({preempted->bid, offset, preempted->reason});
    }
  }
  return took_effect;
}

RebuildLists Rebuild::lists() const {
  return {offset_, digest_.value(), rejected_.size(), preempted_.size()};
}

void Rebuild::FillLists(const RebuildLists& lists, StateReport& report) const {
  report.offset = lists.offset;
  report.digest = lists.digest;
  const auto front = [](const auto& list, std::size_t count) {
    return std::decay_t<decltype(list)>(list.begin(),
                                        list.begin() + static_cast<std::ptrdiff_t>(count));
  };
  report.rejected = front(rejected_, lists.rejected);
  report.preempted = front(preempted_, lists.preempted);
}

StateReport Rebuild::Report() const {
  StateReport report;
  FillLists(lists(), report);
  report.time_ms = market_.time_ms();
  report.cycles = market_.cycles();
  report.settings = market_.settings();
  report.teams = market_.Teams();
  report.pools = market_.Pools();
  report.resources = ClearedResources(market_);
  report.bids = market_.Bids();
  return report;
}

absl::StatusOr<StateReport> RebuildAt(InputSource& source, const Moment& moment,
                                      const RebuildProgress& progress) {
  Rebuild rebuild;
  std::optional<TimeLimit> limit;
  if (moment.time_ms.has_value()) limit.emplace(*moment.time_ms);
  bool reached = false;
  while (!reached) {
    const absl::StatusOr<std::vector<Input>> inputs = source.Next();
    if (!inputs.ok()) return inputs.status();
    if (inputs->empty()) break;
    for (const Input& input : *inputs) {
      reached = moment.offset.has_value() && input.offset > *moment.offset;
      if (reached) break;
      if (limit.has_value()) {
        if (limit->Apply(input, rebuild)) return limit->TakeReport(rebuild);
      } else {
        rebuild.Apply(input);
      }
      progress(rebuild.events());
    }
  }
  const bool short_of = !reached && moment.offset.has_value() &&
                        (!rebuild.offset().has_value() || *rebuild.offset() < *moment.offset);
  if (!short_of) return rebuild.Report();
  return absl::OutOfRangeError(absl::StrCat("there is no offset ", *moment.offset, " yet: ",
                                            rebuild.offset().has_value()
                                                ? absl::StrCat("the last is ", *rebuild.offset())
                                                : "there are no events"));
}

}  // namespace qmarket
