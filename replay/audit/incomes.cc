#include "replay/audit/incomes.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

#include "events/units.h"
#include "replay/audit/accounts.h"

namespace qmarket {
namespace {

constexpr Uint128 kHour = static_cast<Uint128>(kMsPerHour);

}  // namespace

void Incomes::Source::MoveTo(std::int64_t now_ms) {
  sum += static_cast<Uint128>(Int128{in_force}) *
         static_cast<Uint128>(Int128{now_ms} - Int128{since_ms});
  since_ms = now_ms;
}

Uint128 Incomes::Source::TakeWhole(std::int64_t now_ms) {
  MoveTo(now_ms);
  const Uint128 whole = sum / kHour;
  sum %= kHour;
  return whole;
}

void Incomes::Take(const Input& input, absl::Span<const Outcome> recorded) {
  const bool rejected = std::ranges::any_of(recorded, [](const Outcome& outcome) {
    return std::holds_alternative<EventRejected>(outcome);
  });
  const Event* event = std::get_if<Event>(&input.event);
  if (rejected || event == nullptr) return;
  now_ms_ = now_ms_.has_value() ? std::max(*now_ms_, event->time_ms) : event->time_ms;
  const auto state = [&](const std::string& account, std::int64_t per_hour) {
    const auto [source, is_new] = by_account_.try_emplace(account);
    if (is_new) source->second.since_ms = *now_ms_;
    source->second.stated = per_hour;
  };
  if (const auto* team = std::get_if<TeamConfigured>(&event->payload)) {
    state(absl::StrCat(kTeamAccount, team->team), team->income_micros_per_hour);
  } else if (const auto* pool = std::get_if<PoolConfigured>(&event->payload)) {
    state(absl::StrCat(kPurseAccount, pool->pool), pool->market_weight_micros_per_hour);
  } else if (std::holds_alternative<ClockTicked>(event->payload)) {
    TakeTick(input.offset, *now_ms_, recorded);
  }
}

void Incomes::TakeTick(std::uint64_t offset, std::int64_t now_ms,
                       absl::Span<const Outcome> recorded) {
  bool settles = false;
  for (const Outcome& outcome : recorded) {
    const auto* posted = std::get_if<CreditsPosted>(&outcome);
    if (posted == nullptr) continue;
    settles = settles || IsOfSettlement(posted->kind);
    if (posted->kind == PostingKind::kIncome || posted->kind == PostingKind::kWeight) {
      Compare(offset, now_ms, *posted);
    }
  }
  for (auto& [account, source] : by_account_) {
    if (settles) {
      if (const Uint128 due = source.TakeWhole(now_ms); due > 0) {
        Find(offset, absl::StrCat(account, " is due ", ToString(due),
                                  " at this settlement, and nothing is posted"));
      }
    }
    if (source.in_force == source.stated) continue;
    source.MoveTo(now_ms);
    source.in_force = source.stated;
  }
}

void Incomes::Compare(std::uint64_t offset, std::int64_t now_ms, const CreditsPosted& posted) {
  check_.Count();
  const auto found = by_account_.find(posted.to);
  const Uint128 due = found == by_account_.end() ? Uint128{0} : found->second.TakeWhole(now_ms);
  if (posted.amount_micros >= 0 && static_cast<Uint128>(posted.amount_micros) == due) return;
  Find(offset, absl::StrCat(PostingKindName(posted.kind), " of ", posted.amount_micros, " to ",
                            posted.to, ", expected ", ToString(due), " by what was stated"));
}

void Incomes::Find(std::uint64_t offset, std::string what) {
  check_.Find({.where = AuditPart::kStore,
               .object = "outcomes",
               .offset = offset,
               .what = std::move(what)});
}

}  // namespace qmarket
