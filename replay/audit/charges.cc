#include "replay/audit/charges.h"

#include <algorithm>
#include <limits>
#include <variant>

#include "absl/strings/str_cat.h"

#include "events/units.h"

namespace qmarket {
namespace {

constexpr Uint128 kHour = static_cast<Uint128>(kMsPerHour);

}  // namespace

void Charges::Accrued::SetRate(std::int64_t now_ms, Int128 chips, std::int64_t price) {
  sum = At(now_ms);
  since_ms = now_ms;
  rate = static_cast<Uint128>(chips) * static_cast<Uint128>(Int128{price});
}

Uint128 Charges::Accrued::At(std::int64_t now_ms) const {
  return sum + rate * static_cast<Uint128>(Int128{now_ms} - Int128{since_ms});
}

Uint128 Charges::Accrued::TakeWhole(std::int64_t now_ms) {
  const Uint128 all = At(now_ms);
  const Uint128 whole = all / kHour;
  sum = all % kHour;
  since_ms = now_ms;
  return whole;
}

Charges::Charges(const AuditAccounts& accounts, AuditReport& report)
    : accounts_(accounts),
      charges_(report.Begin("charges", "charges")),
      chips_(report.Begin("chips bought", "purchases")),
      allocations_(report.Begin("allocations", "clearings")) {}

void Charges::Take(std::uint64_t offset, absl::Span<const Outcome> outcomes) {
  settled_ms_.reset();
  for (const Outcome& outcome : outcomes) {
    std::visit([&](const auto& kind) { TakeOutcome(offset, kind); }, outcome);
  }
  if (settled_ms_.has_value()) CheckSettled(offset, *settled_ms_);
  // What a clearing says of all bids is told before the bids are.
  for (const Outcome& outcome : outcomes) {
    if (const auto* told = std::get_if<MarketCleared>(&outcome)) CheckCleared(offset, *told);
    if (const auto* quota = std::get_if<QuotaChanged>(&outcome)) CheckQuota(offset, *quota);
  }
}

Charges::Cell& Charges::CellOf(absl::string_view pool, absl::string_view resource) {
  Cell*& cell = cell_of_[std::pair(std::string(pool), std::string(resource))];
  if (cell == nullptr) {
    cell = &cells_.emplace_back();
    cell->pool = std::string(pool);
    cell->resource = std::string(resource);
  }
  return *cell;
}

Charges::Line& Charges::LineOf(absl::string_view team, absl::string_view resource, Cell& cell) {
  Line*& line = line_of_[std::pair(std::string(team), std::string(resource))];
  if (line == nullptr) {
    line = &lines_.emplace_back();
    line->team = std::string(team);
    line->resource = std::string(resource);
    cell.lines.push_back(line);
  }
  return *line;
}

void Charges::TakeOutcome(std::uint64_t offset, const CreditsPosted& posted) {
  if (IsOfSettlement(posted.kind)) settled_ms_ = posted.time_ms;
  if (posted.kind == PostingKind::kCharge) TakeCharge(offset, posted);
  if (posted.kind == PostingKind::kChips) TakeChips(offset, posted);
}

void Charges::TakeCharge(std::uint64_t offset, const CreditsPosted& posted) {
  charges_.Count();
  const auto team = AfterPrefix(posted.from, kTeamAccount);
  const auto resource = ResourceOfSpent(posted.to, posted.currency);
  if (!team.has_value() || !resource.has_value()) {
    Wrong(charges_, offset,
          absl::StrCat("a charge from ", posted.from, " to ", posted.to, " is of no team"));
    return;
  }
  Line& line = LineOf(*team, *resource, CellOf(posted.currency, *resource));
  Compare(charges_, offset, posted, line.charge.TakeWhole(posted.time_ms));
}

void Charges::TakeChips(std::uint64_t offset, const CreditsPosted& posted) {
  chips_.Count();
  const auto pool = AfterPrefix(posted.from, kPurseAccount);
  const auto resource = AfterPrefix(posted.to, kSoldAccount);
  if (!pool.has_value() || !resource.has_value()) {
    Wrong(chips_, offset,
          absl::StrCat("chips paid from ", posted.from, " to ", posted.to, " are of no pool"));
    return;
  }
  Compare(chips_, offset, posted, CellOf(*pool, *resource).outflow.TakeWhole(posted.time_ms));
}

void Charges::Compare(AuditCheck& check, std::uint64_t offset, const CreditsPosted& posted,
                      Uint128 due) {
  const Int128 told = Int128{posted.amount_micros} + posted.uncollected_micros;
  // What is uncollected is told as at most so much.
  const bool capped = posted.uncollected_micros == std::numeric_limits<std::int64_t>::max();
  const bool same =
      told >= 0 && posted.amount_micros >= 0 && posted.uncollected_micros >= 0 &&
      (static_cast<Uint128>(told) == due || (capped && static_cast<Uint128>(told) <= due));
  if (same) return;
  check.Find({.where = AuditPart::kStore,
              .object = "outcomes",
              .offset = offset,
              .what = absl::StrCat(PostingKindName(posted.kind), " from ", posted.from, " to ",
                                   posted.to, ": ", posted.amount_micros, " posted and ",
                                   posted.uncollected_micros, " uncollected, expected together ",
                                   ToString(due), " by paid chips, price and time")});
}

void Charges::TakeOutcome(std::uint64_t offset, const MarketCleared& cleared) {
  allocations_.Count();
  for (const PoolCleared& told : cleared.pools) {
    Cell& cell = CellOf(told.pool, cleared.resource);
    if (cell.price != told.price_micros) {
      cell.price = told.price_micros;
      for (Line* line : cell.lines) {
        if (line->paid != 0 || line->charge.rate != 0) {
          line->charge.SetRate(cleared.time_ms, line->paid, cell.price.value_or(0));
        }
      }
    }
    if (cell.reference != told.reference_price_micros) {
      cell.reference = told.reference_price_micros;
      cell.outflow.SetRate(cleared.time_ms, cell.paid, cell.reference.value_or(0));
    }
  }
  static_cast<void>(offset);
}

void Charges::TakeOutcome(std::uint64_t offset, const BidFilled& filled) {
  if (filled.chips < 0 || filled.paid < 0 || filled.paid > filled.chips) {
    Wrong(allocations_, offset,
          absl::StrCat("bid ", filled.bid, " holds ", filled.chips, " chips and pays for ",
                       filled.paid));
    return;
  }
  const std::optional<absl::string_view> pool = accounts_.PoolOf(filled.team);
  if (!pool.has_value()) {
    Wrong(allocations_, offset,
          absl::StrCat("bid ", filled.bid, " is of team ", filled.team, ", which has no account"));
    return;
  }
  Bid& bid = bids_[filled.bid];
  if (bid.line == nullptr) {
    bid.cell = &CellOf(*pool, filled.resource);
    bid.line = &LineOf(filled.team, filled.resource, *bid.cell);
  } else if (bid.line->team != filled.team || bid.line->resource != filled.resource) {
    Wrong(allocations_, offset,
          absl::StrCat("bid ", filled.bid, " of team ", bid.line->team, " on ", bid.line->resource,
                       " is filled for team ", filled.team, " on ", filled.resource));
    return;
  }
  Line& line = *bid.line;
  Cell& cell = *bid.cell;
  const Int128 more = Int128{filled.chips} - bid.chips;
  const Int128 more_paid = Int128{filled.paid} - bid.paid;
  line.chips += more;
  cell.chips += more;
  held_[filled.resource] += more;
  if (more_paid != 0) {
    line.paid += more_paid;
    cell.paid += more_paid;
    if (!cell.price.has_value() && filled.paid > 0) {
      Wrong(allocations_, offset,
            absl::StrCat("bid ", filled.bid, " pays for chips, and pool ", cell.pool,
                         " has no price"));
    }
    line.charge.SetRate(filled.time_ms, line.paid, cell.price.value_or(0));
    cell.outflow.SetRate(filled.time_ms, cell.paid, cell.reference.value_or(0));
  }
  bid.chips = filled.chips;
  bid.paid = filled.paid;
  if (bid.chips == 0) bids_.erase(filled.bid);
}

void Charges::CheckSettled(std::uint64_t offset, std::int64_t now_ms) {
  for (Line& line : lines_) {
    if (line.charge.At(now_ms) < kHour) continue;
    Wrong(charges_, offset,
          absl::StrCat("team ", line.team, " owes ", ToString(line.charge.TakeWhole(now_ms)),
                       " for ", line.resource, " at this settlement, and no charge is posted"));
  }
  for (Cell& cell : cells_) {
    if (cell.outflow.At(now_ms) < kHour) continue;
    Wrong(chips_, offset,
          absl::StrCat("pool ", cell.pool, " owes ", ToString(cell.outflow.TakeWhole(now_ms)),
                       " for ", cell.resource, " at this settlement, and nothing is posted"));
  }
}

void Charges::CheckCleared(std::uint64_t offset, const MarketCleared& cleared) {
  const Int128 held = held_[cleared.resource];
  if (held != cleared.allocated || held > cleared.supply) {
    Wrong(allocations_, offset,
          absl::StrCat(cleared.resource, ": told are ", cleared.allocated, " chips allocated of ",
                       cleared.supply, ", and the bids hold ", ToString(held)));
  }
  Int128 told = 0;
  for (const PoolCleared& pool : cleared.pools) {
    const Cell& cell = CellOf(pool.pool, cleared.resource);
    told += pool.allocated;
    if (cell.chips == pool.allocated && cell.paid == pool.paid) continue;
    Wrong(allocations_, offset,
          absl::StrCat(cleared.resource, ": told are ", pool.allocated, " chips for pool ",
                       pool.pool, ", ", pool.paid, " of them paid, and its bids hold ",
                       ToString(cell.chips), " and pay for ", ToString(cell.paid)));
  }
  if (told != cleared.allocated) {
    Wrong(allocations_, offset,
          absl::StrCat(cleared.resource, ": the pools have ", ToString(told),
                       " chips together, and told are ", cleared.allocated));
  }
}

void Charges::CheckQuota(std::uint64_t offset, const QuotaChanged& quota) {
  const auto found = line_of_.find(std::pair(quota.team, quota.resource));
  const Int128 held = found == line_of_.end() ? Int128{0} : found->second->chips;
  if (held == quota.chips) return;
  Wrong(allocations_, offset,
        absl::StrCat("team ", quota.team, " has a quota of ", quota.chips, " ", quota.resource,
                     ", and its bids hold ", ToString(held)));
}

void Charges::Wrong(AuditCheck& check, std::uint64_t offset, std::string what) {
  check.Find({.where = AuditPart::kStore,
              .object = "outcomes",
              .offset = offset,
              .what = std::move(what)});
}

}  // namespace qmarket
