#include "replay/audit/effective_times.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

#include "replay/audit/store_damage.h"

namespace qmarket {

EffectiveTimes::EffectiveTimes(const StoreScan& scan, AuditReport& report)
    : check_(report.Begin("effective times", "events")),
      offset_times_(scan.Read(StoreTable::kOffsetTimes)),
      times_(scan.Read(StoreTable::kTimes)) {}

void EffectiveTimes::Take(const Input& input, absl::Span<const Outcome> recorded) {
  const bool rejected = std::ranges::any_of(recorded, [](const Outcome& outcome) {
    return std::holds_alternative<EventRejected>(outcome);
  });
  const Event* event = std::get_if<Event>(&input.event);
  if (rejected || event == nullptr) return;
  check_.Count();
  const std::int64_t time_ms =
      moment_.has_value() ? std::max(moment_->time_ms, event->time_ms) : event->time_ms;
  CheckLate(input, *event, time_ms, recorded);
  CheckTimeAt(input.offset, time_ms);
  if (moment_.has_value() && moment_->time_ms == time_ms) {
    moment_->last = input.offset;
    return;
  }
  CheckOffsetAt();
  moment_ = {.time_ms = time_ms, .first = input.offset, .last = input.offset};
}

void EffectiveTimes::CheckLate(const Input& input, const Event& event, std::int64_t time_ms,
                               absl::Span<const Outcome> recorded) {
  const EventLate* late = nullptr;
  for (const Outcome& outcome : recorded) {
    if (const auto* told = std::get_if<EventLate>(&outcome)) late = told;
  }
  const bool is_late = time_ms != event.time_ms;
  const bool right = late == nullptr ? !is_late
                                     : is_late && late->claimed_ms == event.time_ms &&
                                           late->effective_ms == time_ms;
  if (right) return;
  check_.Find(
      {.where = AuditPart::kStore,
       .object = "outcomes",
       .offset = input.offset,
       .what = absl::StrCat(
           "the event claims ", event.time_ms, " and took effect at ", time_ms, ", and told is ",
           late == nullptr ? std::string("nothing of it")
                           : absl::StrCat(late->claimed_ms, " and ", late->effective_ms))});
}

void EffectiveTimes::PassTimesBefore(std::uint64_t offset) {
  for (; offset_times_.valid() && offset_times_.position() < offset; offset_times_.Next()) {
    Find(StoreTable::kOffsetTimes, offset_times_.position(),
         "it has a time, and nothing took effect there");
  }
}

void EffectiveTimes::CheckTimeAt(std::uint64_t offset, std::int64_t time_ms) {
  PassTimesBefore(offset);
  const auto expected = static_cast<std::uint64_t>(time_ms);
  if (offset_times_.valid() && offset_times_.position() == offset) {
    const absl::StatusOr<std::uint64_t> kept = StoredNumber(offset_times_.value());
    in_force_ = kept.ok() ? std::optional(*kept) : std::nullopt;
    offset_times_.Next();
  }
  if (in_force_ == expected) return;
  Find(StoreTable::kOffsetTimes, offset,
       absl::StrCat("the time in force is ",
                    in_force_.has_value() ? absl::StrCat(*in_force_) : std::string("none"),
                    ", expected ", expected));
  in_force_ = expected;
}

void EffectiveTimes::CheckOffsetAt() {
  if (!moment_.has_value()) return;
  const auto time = static_cast<std::uint64_t>(moment_->time_ms);
  for (; times_.valid() && times_.position() < time; times_.Next()) {
    Find(StoreTable::kTimes, std::nullopt,
         absl::StrCat("it has an entry for time ", times_.position(),
                      ", and nothing took effect then"));
  }
  std::optional<std::uint64_t> last;
  bool within = true;
  for (; times_.valid() && times_.position() == time; times_.Next()) {
    const absl::StatusOr<std::uint64_t> kept = StoredNumber(times_.value());
    within = within && kept.ok() && *kept >= moment_->first && *kept <= moment_->last;
    last = kept.ok() ? std::optional(*kept) : std::nullopt;
  }
  if (within && last == moment_->last) return;
  Find(StoreTable::kTimes, moment_->last,
       absl::StrCat("the last offset at time ", time, " is ",
                    last.has_value() ? absl::StrCat(*last) : std::string("none"), ", expected ",
                    moment_->last));
}

void EffectiveTimes::Finish() {
  CheckOffsetAt();
  PassTimesBefore(UINT64_MAX);
  for (; times_.valid(); times_.Next()) {
    Find(StoreTable::kTimes, std::nullopt,
         absl::StrCat("it has an entry for time ", times_.position(),
                      ", and nothing took effect then"));
  }
  ReportDamages(offset_times_.damages(), check_);
  ReportDamages(times_.damages(), check_);
}

void EffectiveTimes::Find(StoreTable table, std::optional<std::uint64_t> offset, std::string what) {
  check_.Find({.where = AuditPart::kStore,
               .object = StoreTableName(table),
               .offset = offset,
               .what = std::move(what)});
}

}  // namespace qmarket
