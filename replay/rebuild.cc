#include "replay/rebuild.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"

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

template <typename T>
std::vector<T> Front(absl::Span<const T> list, std::size_t count) {
  return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count)};
}

// The parts of a report that only ever grow, as they were at a mark.
struct GrowingParts {
  std::optional<std::uint64_t> offset;
  Digest digest{};
  ReplicaMark mark;

  static GrowingParts Of(const Replica& replica) {
    return {replica.offset(), replica.digest(), replica.mark()};
  }

  void Fill(const Replica& replica, StateReport& report) const {
    report.offset = offset;
    report.digest = digest;
    report.rejected = Front(replica.rejected(), mark.rejected);
    report.preempted = Front(replica.preempted(), mark.preempted);
  }
};

// Rebuilds up to a time. Whether an event that claims to be later takes effect is only known once
// it was applied, so the report is made before it.
class TimeLimit {
 public:
  explicit TimeLimit(std::int64_t time_ms) : time_ms_(time_ms) {}

  // Applies the input; true if it took effect after the limit, and TakeReport() is the answer.
  bool Apply(const Input& input, Replica& replica) {
    if (!ClaimsLaterThan(input, time_ms_)) {
      if (!replica.Apply(input).step.rejected()) before_.reset();
      return false;
    }
    // Rejected events change no view, so a report serves until something takes effect.
    if (!before_.has_value()) before_ = ReportOf(replica);
    const GrowingParts parts = GrowingParts::Of(replica);
    if (replica.Apply(input).step.rejected()) return false;
    parts_ = parts;
    return true;
  }

  StateReport TakeReport(const Replica& replica) {
    StateReport report = *std::move(before_);
    parts_.Fill(replica, report);
    return report;
  }

 private:
  std::int64_t time_ms_;
  std::optional<StateReport> before_;
  GrowingParts parts_;
};

}  // namespace

StateReport ReportOf(const Replica& replica) {
  const Market& market = replica.market();
  StateReport report;
  GrowingParts::Of(replica).Fill(replica, report);
  report.time_ms = market.time_ms();
  report.cycles = market.cycles();
  report.settings = market.settings();
  report.teams = market.Teams();
  report.pools = market.Pools();
  report.resources = ClearedResources(market);
  report.bids = market.Bids();
  return report;
}

absl::StatusOr<StateReport> RebuildAt(InputSource& source, const Moment& moment, Replica start,
                                      const RebuildProgress& progress) {
  Replica replica = std::move(start);
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
        if (limit->Apply(input, replica)) return limit->TakeReport(replica);
      } else {
        replica.Apply(input);
      }
      progress(replica.events());
    }
  }
  const bool short_of = !reached && moment.offset.has_value() &&
                        (!replica.offset().has_value() || *replica.offset() < *moment.offset);
  if (!short_of) return ReportOf(replica);
  return absl::OutOfRangeError(absl::StrCat("there is no offset ", *moment.offset, " yet: ",
                                            replica.offset().has_value()
                                                ? absl::StrCat("the last is ", *replica.offset())
                                                : "there are no events"));
}

absl::Status ApplyAll(InputSource& source, Replica& replica, const RebuildProgress& progress) {
  while (true) {
    const absl::StatusOr<std::vector<Input>> inputs = source.Next();
    if (!inputs.ok()) return inputs.status();
    if (inputs->empty()) return absl::OkStatus();
    for (const Input& input : *inputs) {
      replica.Apply(input);
      progress(replica.events());
    }
  }
}

}  // namespace qmarket
