#include "connectors/books/charge_rows.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace qmarket {
void ChargeRows::Take(const Outcome& outcome) {
  if (const auto* fill = std::get_if<BidFilled>(&outcome)) {
    if (!from_ms_.has_value()) from_ms_ = fill->time_ms;
    meter_.Fill(*fill);
  } else if (const auto* posted = std::get_if<CreditsPosted>(&outcome)) {
    TakePosted(*posted);
  }
}

void ChargeRows::TakePosted(const CreditsPosted& posted) {
  if (!IsOfSettlement(posted.kind)) return;
  settled_ms_ = posted.time_ms;
  if (posted.kind != PostingKind::kCharge) return;
  absl::string_view team = posted.from;
  absl::string_view resource = posted.to;
  if (!absl::ConsumePrefix(&team, "team:") ||
      !absl::ConsumePrefix(&resource, absl::StrCat("spent:", posted.currency, ":"))) {
    return;
  }
  Charge& charge = charges_[{std::string(team), std::string(resource)}];
  charge.charged_micros += posted.amount_micros;
  charge.uncollected_micros += posted.uncollected_micros;
}

std::vector<ChargeRow> ChargeRows::EndOfEvent(std::uint64_t offset) {
  if (!settled_ms_.has_value()) return {};
  const std::int64_t to_ms = *std::exchange(settled_ms_, std::nullopt);
  const std::int64_t from_ms = from_ms_.value_or(to_ms);
  from_ms_ = to_ms;
  std::map<TeamResource, ChargeRow> rows;
  for (const auto& [what, used] : meter_.TakeUpTo(to_ms))
    rows[what].used = used;
  for (const auto& [what, charge] : std::exchange(charges_, {})) {
    rows[what].charged_micros = charge.charged_micros;
    rows[what].uncollected_micros = charge.uncollected_micros;
  }
  std::vector<ChargeRow> sorted;
  for (auto& [what, row] : rows) {
    row.offset = offset;
    row.from_ms = from_ms;
    row.to_ms = to_ms;
    row.team = what.first;
    row.resource = what.second;
    sorted.push_back(std::move(row));
  }
  return sorted;
}

}  // namespace qmarket
