#include "replay/audit/event_ids.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace qmarket {
namespace {

const EventRejected* RejectionIn(absl::Span<const Outcome> outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (const auto* rejected = std::get_if<EventRejected>(&outcome)) return rejected;
  }
  return nullptr;
}

bool IsRepeat(RejectionCode code) {
  return code == RejectionCode::kDuplicate || code == RejectionCode::kIdReused;
}

}  // namespace

EventIds::EventIds(AuditReport& report) : check_(report.Begin("event ids", "events")) {}

void EventIds::Take(const Input& input, absl::Span<const Outcome> recorded) {
  check_.Count();
  const EventRejected* rejected = RejectionIn(recorded);
  const Event* event = std::get_if<Event>(&input.event);
  if (event == nullptr) {
    if (rejected == nullptr || rejected->code != RejectionCode::kMalformed) {
      Find(input.offset, AuditPart::kStore, "the record is no event, and was not rejected as such");
    }
    return;
  }
  const auto [known, is_new] =
      known_.try_emplace(input.id, Known{.content = input.content, .offset = input.offset});
  // What is wrong with its form comes before all else.
  if (rejected != nullptr && rejected->code == RejectionCode::kMalformed) return;
  if (is_new) {
    if (rejected == nullptr || !IsRepeat(rejected->code)) return;
    Find(input.offset, AuditPart::kStore,
         absl::StrCat("event ", event->event_id, " was rejected as ",
                      RejectionCodeName(rejected->code), ", and no earlier one has its id"));
    return;
  }
  const RejectionCode expected =
      known->second.content == input.content ? RejectionCode::kDuplicate : RejectionCode::kIdReused;
  if (rejected != nullptr && rejected->code == expected) return;
  Find(input.offset, AuditPart::kStore,
       absl::StrCat("event ", event->event_id, " has the id of the one at offset ",
                    known->second.offset, ": expected that it was rejected as ",
                    RejectionCodeName(expected), ", and it ",
                    rejected == nullptr
                        ? std::string("took effect")
                        : absl::StrCat("was rejected as ", RejectionCodeName(rejected->code))));
}

void EventIds::Find(std::uint64_t offset, AuditPart where, std::string what) {
  check_.Find({.where = where, .object = "event ids", .offset = offset, .what = std::move(what)});
}

}  // namespace qmarket
