#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/commands/explain_answer.h"
#include "connectors/cli/table.h"
#include "connectors/cli/text.h"
#include "events/check.h"
#include "replay/cycle_view.h"

namespace qmarket {
namespace {

// Of a list that may be long.
constexpr std::size_t kMostRows = 10;
constexpr std::size_t kPageWidth = 100;

std::string Credits(std::optional<std::int64_t> micros) {
  return micros.has_value() ? CreditsText(Int128{*micros}) : "none";
}

std::string ChipCount(std::int64_t chips) {
  return absl::StrCat(CountText(chips), chips == 1 ? " chip" : " chips");
}

std::string PerHour(Uint128 micros) {
  return absl::StrCat(CreditsText(static_cast<Int128>(micros)), " an hour");
}

// --- The facts, a line each ---

std::string BidLine(const CycleView& cycle) {
  const BidView& bid = cycle.bid;
  std::string line = ChipCount(bid.wanted);
  if (bid.min_chips < bid.wanted) absl::StrAppend(&line, ", at least ", CountText(bid.min_chips));
  absl::StrAppend(&line, " of ", bid.resource, "; priority ", bid.priority);
  if (bid.opportunistic) return line + ", opportunistic";
  absl::StrAppend(&line, ", limit price ", Credits(bid.limit_price_micros));
  return line + (bid.standby ? "" : ", not on standby");
}

std::string OfferLine(const UnitRunView& unit, const BidView& bid) {
  std::string line = absl::StrCat(Credits(unit.reservation_price_micros), " per chip and hour; ",
                                  Credits(unit.first_reference_micros), " in reference credits");
  if (bid.limit_price_micros == unit.reservation_price_micros &&
      OfferOf(unit) > *bid.limit_price_micros) {
    absl::StrAppend(&line, "; its team could offer ", Credits(OfferOf(unit)));
  }
  return line;
}

std::string PriceLine(const CycleView& cycle) {
  std::string line = absl::StrCat(Credits(cycle.cell.price_micros),
                                  " per chip and hour, what team ", cycle.team.team, " pays");
  if (!cycle.cell.price_micros.has_value()) line = "none";
  if (cycle.price_before != cycle.cell.price_micros) {
    absl::StrAppend(&line, "; the cycle before ", Credits(cycle.price_before));
  }
  return line;
}

// The pool's price, and how it comes about where it is not that of the shared chips.
std::string PoolPriceLine(const CycleView& cycle) {
  if (!cycle.cell.reference_price_micros.has_value()) return "none";
  const bool blended = cycle.cell.reference_price_micros < cycle.resource.reference_price_micros &&
                       cycle.cell.owned > 0;
  return absl::StrCat(
      Credits(cycle.cell.reference_price_micros), " in reference credits, what pool ",
      cycle.pool.pool, " pays for each chip",
      blended ? absl::StrCat("; it owns ", CountText(cycle.cell.owned), " that are free") : "");
}

std::string ReferenceLine(const CycleView& cycle) {
  if (!cycle.resource.reference_price_micros.has_value())
    return "none: no chips are shared or lent";
  return absl::StrCat(Credits(cycle.resource.reference_price_micros),
                      " in reference credits, what a shared chip costs");
}

std::string ChipsLine(const CycleView& cycle) {
  std::string line = absl::StrCat(CountText(cycle.resource.supply), " there are, ",
                                  CountText(cycle.resource.shared), " of them shared; pool ",
                                  cycle.pool.pool, " owns ", CountText(cycle.cell.owned));
  if (cycle.cell.lent > 0) absl::StrAppend(&line, " and lends ", CountText(cycle.cell.lent));
  return line;
}

std::string TeamLine(const TeamView& team) {
  std::string line = absl::StrCat("balance ", Credits(team.balance_micros), ", income ",
                                  Credits(team.income_micros_per_hour), " an hour");
  if (team.income_leverage_percent != 0) {
    absl::StrAppend(&line, ", leverage ", team.income_leverage_percent, " %");
  }
  return line;
}

std::string BudgetLine(const TeamView& team) {
  return absl::StrCat("to enter ", PerHour(team.enter_cap_micros_per_hour), ", to stay ",
                      PerHour(team.keep_cap_micros_per_hour), "; it spends ",
                      PerHour(team.burn_micros_per_hour));
}

std::string RateLine(const PoolView& pool) {
  if (!pool.exchange_rate.has_value()) return "none";
  return absl::StrCat("a credit of pool ", pool.pool, " is worth ",
                      DecimalText(pool.exchange_rate->numerator, pool.exchange_rate->denominator),
                      " in reference credits");
}

std::string CompetitorLine(const CycleView& cycle) {
  const UnitRunView& unit = *cycle.competitor;
  const ResourcePoolView& cell = cycle.competitor_cell;
  std::string line =
      absl::StrCat(unit.bid, " of team ", unit.team, " offers ",
                   Credits(cycle.competitor_reference_micros), " in reference credits for ",
                   unit.units > 1 ? absl::StrCat("each of ", ChipCount(unit.units * unit.chips))
                                  : ChipCount(unit.chips));
  if (unit.pool == cycle.pool.pool) return line;
  absl::StrAppend(&line, ", in pool ", unit.pool);
  const bool blended = cell.reference_price_micros.has_value() &&
                       cell.reference_price_micros < cycle.resource.reference_price_micros;
  if (!blended) return line;
  return absl::StrCat(line, ", whose price is ", Credits(cell.reference_price_micros),
                      " in reference credits as it owns ", ChipCount(cell.owned), " of its own");
}

void PrintFacts(const ExplainAnswer& answer, Output& out) {
  const CycleView& cycle = *answer.explanation.cycle;
  Table table({{absl::StrCat("at the cycle of ", TimeText(cycle.time_ms))},
               {absl::StrCat("offset ", cycle.offset)}});
  table.AddRow({"the bid", BidLine(cycle)});
  table.AddRow(
      {"it holds", absl::StrCat(ChipCount(cycle.bid.chips), ", ", CountText(cycle.bid.paid),
                                " of them paid; before, ", CountText(cycle.before.chips), " and ",
                                CountText(cycle.before.paid))});
  if (cycle.unit.has_value()) table.AddRow({"its offer", OfferLine(*cycle.unit, cycle.bid)});
  table.AddRow({"price", PriceLine(cycle)});
  table.AddRow({"pool price", PoolPriceLine(cycle)});
  table.AddRow({"reference", ReferenceLine(cycle)});
  table.AddRow({"chips", ChipsLine(cycle)});
  table.AddRow({absl::StrCat("team ", cycle.team.team), TeamLine(cycle.team)});
  table.AddRow({"it can pay", BudgetLine(cycle.team)});
  table.AddRow({"exchange rate", RateLine(cycle.pool)});
  if (cycle.queue.place > 0) {
    table.AddRow({"its queue", absl::StrCat("place ", CountText(cycle.queue.place), " of ",
                                            CountText(cycle.queue.bids))});
  }
  if (cycle.competitor.has_value()) {
    const bool runs = answer.explanation.binding == Binding::kNothing;
    table.AddRow({runs ? "first that waits" : "last that runs", CompetitorLine(cycle)});
  }
  out.Write("\n");
  table.Print(out);
}

// --- Counterfactuals ---

std::string LeverText(const Counterfactual& claim, const CycleView& cycle) {
  switch (claim.lever) {
    case Lever::kLimit:
      return "its limit price";
    case Lever::kIncome:
      return absl::StrCat("income of ", cycle.team.team, " an hour");
    case Lever::kSharedSupply:
      return absl::StrCat("shared chips of ", cycle.resource.resource);
    case Lever::kOwnedSupply:
      return absl::StrCat("chips of ", cycle.resource.resource, " that ", cycle.pool.pool, " owns");
  }
  QM_CHECK(false, "an unknown lever");
}

std::string ValueText(const Counterfactual& claim, std::int64_t value) {
  switch (claim.lever) {
    case Lever::kLimit:
      return value == kNoLimit ? "no limit" : Credits(value);
    case Lever::kIncome:
      return Credits(value);
    case Lever::kSharedSupply:
    case Lever::kOwnedSupply:
      return CountText(value);
  }
  QM_CHECK(false, "an unknown lever");
}

// Nothing there is would do.
std::string NoneText(Lever lever) {
  switch (lever) {
    case Lever::kLimit:
      return "no limit price would do";
    case Lever::kIncome:
      return "no income would do";
    case Lever::kSharedSupply:
    case Lever::kOwnedSupply:
      return "no number would do";
  }
  QM_CHECK(false, "an unknown lever");
}

// Why income can matter to a bid whose own limit price keeps it from offering more.
void PrintIncomeNote(const CycleView& cycle, Output& out) {
  out.Write("\n");
  out.Write(Wrapped(
      absl::StrCat("Income does not raise what this bid offers, as its limit price binds. It moves "
                   "the market around it: what its team offers for its other bids, and the "
                   "exchange rate of pool ",
                   cycle.pool.pool, ", which falls as income rises."),
      kPageWidth));
  out.Write("\n");
}

bool IncomeNeedsANote(const Explanation& is) {
  const CycleView& cycle = *is.cycle;
  if (is.binding == Binding::kNothing || !cycle.unit.has_value()) return false;
  const bool limited = cycle.bid.limit_price_micros.has_value() &&
                       *cycle.bid.limit_price_micros < OfferOf(*cycle.unit);
  return limited && std::ranges::any_of(is.counterfactuals, [](const Counterfactual& claim) {
           return claim.lever == Lever::kIncome && claim.answer == Counterfactual::Answer::kFrom;
         });
}

void PrintClaims(const ExplainAnswer& answer, Output& out) {
  const Explanation& is = answer.explanation;
  if (is.counterfactuals.empty()) return;
  const bool holds = is.now.opportunistic;
  out.Write(absl::StrCat("\n",
                         is.binding == Binding::kNothing ? "How far it would still have run."
                                                         : "What would have let it run.",
                         " Each change alone, just before that cycle, and cleared again:\n"));
  Table table({{"change"},
               {"it was", Align::kRight},
               {holds ? "it holds chips at" : "it runs at", Align::kRight},
               {"not at", Align::kRight}});
  for (const Counterfactual& claim : is.counterfactuals) {
    std::string at;
    std::string not_at;
    switch (claim.answer) {
      case Counterfactual::Answer::kFrom:
        at = ValueText(claim, claim.enough);
        not_at = ValueText(claim, claim.enough - 1);
        break;
      case Counterfactual::Answer::kAny:
        at = absl::StrCat("it would run at any, even ", ValueText(claim, claim.lowest));
        not_at = kNoValue;
        break;
      case Counterfactual::Answer::kNone:
        at = NoneText(claim.lever);
        not_at = claim.lever == Lever::kLimit
                     ? "even without one"
                     : absl::StrCat("even ", ValueText(claim, claim.highest));
        break;
      case Counterfactual::Answer::kUnset:
        at = claim.lever == Lever::kLimit ? "it has none to raise" : "it is the most there is";
        not_at = ValueText(claim, claim.recorded);
        break;
    }
    table.AddRow({LeverText(claim, *is.cycle), ValueText(claim, claim.recorded), at, not_at});
  }
  table.Print(out);
  if (IncomeNeedsANote(is)) PrintIncomeNote(*is.cycle, out);
}

// --- Lists ---

void PrintMore(std::size_t rows, Output& out) {
  if (rows <= kMostRows) return;
  out.Write(absl::StrCat("... and ", CountText(Int128{rows - kMostRows}),
                         " more; --format json has them all\n"));
}

void PrintQueue(const CycleView& cycle, Output& out) {
  if (cycle.queue.before.empty()) return;
  Table table({{"its team puts before it"},
               {"resource"},
               {"chips", Align::kRight},
               {"it runs on", Align::kRight}});
  for (const QueuedBefore& before : cycle.queue.before) {
    table.AddRow({before.bid, before.resource, CountText(before.chips), CountText(before.filled)});
  }
  table.KeepFirst(kMostRows);
  out.Write("\n");
  table.Print(out);
  PrintMore(cycle.queue.before.size(), out);
}

void PrintGains(const std::vector<Gain>& gains, Output& out) {
  if (gains.empty()) return;
  Table table({{"who won chips at that cycle"},
               {"team"},
               {"more chips", Align::kRight},
               {"paid", Align::kRight}});
  for (const Gain& gain : gains)
    table.AddRow({gain.bid, gain.team, CountText(gain.chips), CountText(gain.paid)});
  table.KeepFirst(kMostRows);
  out.Write("\n");
  table.Print(out);
  PrintMore(gains.size(), out);
}

}  // namespace

void PrintExplainPage(const ExplainAnswer& answer, Output& out) {
  if (answer.offset.has_value()) {
    out.Write(absl::StrCat(
        "After offset ", *answer.offset, ", ",
        answer.time_ms.has_value() ? TimeText(*answer.time_ms) : "before any time", "\n\n"));
  }
  const std::size_t width = out.width() == 0 ? kPageWidth : std::min(out.width(), kPageWidth);
  for (const std::string& sentence : Sentences(answer)) {
    out.Write(Wrapped(sentence, width));
    out.Write("\n");
  }
  if (!answer.explanation.cycle.has_value()) return;
  PrintFacts(answer, out);
  PrintQueue(*answer.explanation.cycle, out);
  PrintClaims(answer, out);
  PrintGains(answer.explanation.gains, out);
}

}  // namespace qmarket
