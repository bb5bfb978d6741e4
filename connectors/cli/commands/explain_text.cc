#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/commands/explain_answer.h"
#include "connectors/cli/text.h"
#include "events/check.h"
#include "replay/cycle_view.h"

namespace qmarket {
namespace {

std::string ChipCount(std::int64_t chips) {
  return absl::StrCat(CountText(chips), chips == 1 ? " chip" : " chips");
}

std::string PriceText(std::int64_t micros) {
  return CreditsText(Int128{micros});
}

// The price that its pool pays, as a sentence begins with it.
std::string ThePrice(const CycleView& cycle) {
  if (!cycle.cell.price_micros.has_value()) {
    return absl::StrCat("There was no price of ", cycle.resource.resource, " that pool ",
                        cycle.pool.pool, " could pay");
  }
  return absl::StrCat("The price of ", cycle.resource.resource, " in pool ", cycle.pool.pool,
                      " was ", PriceText(*cycle.cell.price_micros), " per chip and hour");
}

// How the team's most comes about: the cap, the chips, the margin.
std::string OfferedFor(const CycleView& cycle) {
  const UnitRunView& unit = *cycle.unit;
  const Uint128 cap =
      unit.running ? cycle.team.keep_cap_micros_per_hour : cycle.team.enter_cap_micros_per_hour;
  std::string text =
      absl::StrCat(CreditsText(static_cast<Int128>(cap)), " an hour, over ", ChipCount(unit.chips));
  if (!unit.running && unit.margin_percent > 100) {
    absl::StrAppend(&text, " that count ", unit.margin_percent, " % until it runs");
  }
  return text;
}

// --- Why it does not run ---

std::string WhyRunning(const CycleView& cycle) {
  if (cycle.bid.opportunistic) {
    return "It is opportunistic: it never pays, takes chips that nobody pays for, and is the first "
           "to lose them.";
  }
  std::string offer;
  if (cycle.unit.has_value()) {
    offer = absl::StrCat("; it would have paid up to ",
                         PriceText(cycle.unit->reservation_price_micros));
  }
  if (cycle.cell.price_micros == 0) {
    const bool own = cycle.resource.reference_price_micros != 0;
    return absl::StrCat(
        "The price was 0: ",
        own ? absl::StrCat("pool ", cycle.pool.pool,
                           " has chips enough of its own for all of its bids that want to pay")
            : "there were chips enough for all that wanted to pay",
        offer, ".");
  }
  return absl::StrCat(ThePrice(cycle), offer, ".");
}

std::string WhyTooLarge(const CycleView& cycle) {
  const std::int64_t most = cycle.cell.owned - cycle.cell.lent + cycle.shared_supply;
  return absl::StrCat("It needs ", ChipCount(cycle.bid.min_chips),
                      " at once, and its pool could get at most ", CountText(most),
                      ". So it is set aside: it holds up nobody, and counts again as soon as it "
                      "can fit.");
}

std::string WhyNoRate(const CycleView& cycle) {
  return absl::StrCat("Pool ", cycle.pool.pool,
                      " has no exchange rate: it has neither a market weight nor anything in its "
                      "purse. What its teams offer counts nothing against others.");
}

std::string WhyNoBudget(const CycleView& cycle) {
  std::string text = absl::StrCat("Team ", cycle.team.team, " can offer nothing: its income is ",
                                  PriceText(cycle.team.income_micros_per_hour), " an hour and its ",
                                  "balance ", PriceText(cycle.team.balance_micros));
  if (cycle.team.income_leverage_percent != 0) {
    absl::StrAppend(&text, ", and its leverage of ", cycle.team.income_leverage_percent,
                    " % keeps it from spending more than that share of its income");
  }
  return text + ".";
}

std::string WhyLimit(const CycleView& cycle) {
  const std::int64_t offer = OfferOf(*cycle.unit);
  const bool enough = cycle.cell.price_micros.has_value() && offer >= *cycle.cell.price_micros;
  return absl::StrCat(ThePrice(cycle), ", and its limit price is ",
                      PriceText(cycle.bid.limit_price_micros.value_or(0)),
                      ". Without it, its team could have offered ", PriceText(offer),
                      enough ? "." : ", which is not enough either.");
}

std::string WhyBudget(const CycleView& cycle) {
  const std::int64_t alone = OfferAlone(*cycle.unit, cycle.team);
  std::string text =
      absl::StrCat(ThePrice(cycle), ". The most that team ", cycle.team.team,
                   " can offer for it is ", PriceText(alone), " (", OfferedFor(cycle), ")");
  const std::int64_t offer = OfferOf(*cycle.unit);
  if (offer < alone) {
    absl::StrAppend(&text, ", and ", PriceText(offer), " after what it puts before it");
  }
  return text + ".";
}

std::string WhyQueue(const CycleView& cycle) {
  return absl::StrCat(ThePrice(cycle), ". Team ", cycle.team.team, " could offer ",
                      PriceText(OfferAlone(*cycle.unit, cycle.team)),
                      " if this bid came first, but only ", PriceText(OfferOf(*cycle.unit)),
                      " after what it puts before it.");
}

// What keeps it from offering more.
std::string WhatBoundsTheOffer(const CycleView& cycle) {
  const std::int64_t offer = OfferOf(*cycle.unit);
  if (cycle.bid.limit_price_micros.has_value() && *cycle.bid.limit_price_micros < offer) {
    return absl::StrCat(" That is its limit price; its team could have offered ", PriceText(offer),
                        ".");
  }
  if (offer < OfferAlone(*cycle.unit, cycle.team)) {
    return absl::StrCat(" More team ", cycle.team.team,
                        " cannot offer after what it puts before it.");
  }
  return absl::StrCat(" More team ", cycle.team.team, " cannot offer: it has ", OfferedFor(cycle),
                      ".");
}

std::string WhyTie(const CycleView& cycle) {
  QM_CHECK(cycle.turn.has_value(), "a bid at the price without a turn");
  const std::int64_t left = cycle.turn->left;
  std::string text = absl::StrCat(
      ThePrice(cycle), ", just what it offers.", WhatBoundsTheOffer(cycle), " ",
      left == 0 ? "No chip was left"
                : absl::StrCat(ChipCount(left), left == 1 ? " was left" : " were left"),
      " for it, after those that offer more and those that offer the same and ran already or came "
      "first");
  if (left < cycle.bid.min_chips) {
    absl::StrAppend(&text, "; it needs ", CountText(cycle.bid.min_chips), ".");
    // They may need fewer, or have chips of their own beside.
    if (left > cycle.free_chips) {
      absl::StrAppend(&text, " Bids behind it that could use what was left took of it.");
    }
    return text;
  }
  return absl::StrCat(text, ", but with it its pool would have had to pay more than that price.");
}

// How its offer stands to the price where it was filled at first.
std::string OfferedEnough(const CycleView& cycle) {
  return absl::StrCat(ThePrice(cycle),
                      cycle.turn.has_value() ? ", just what it offers" : ", less than it offers");
}

std::string Why(Binding binding, const CycleView& cycle) {
  switch (binding) {
    case Binding::kNothing:
      return WhyRunning(cycle);
    case Binding::kNoSupply:
      if (cycle.resource.supply > 0) return absl::StrCat(ThePrice(cycle), ".");
      return absl::StrCat("There were no chips of ", cycle.resource.resource, ".");
    case Binding::kTooLarge:
      return WhyTooLarge(cycle);
    case Binding::kNoRate:
      return WhyNoRate(cycle);
    case Binding::kNoBudget:
      return WhyNoBudget(cycle);
    case Binding::kLimit:
      return WhyLimit(cycle);
    case Binding::kBudget:
      return WhyBudget(cycle);
    case Binding::kQueue:
      return WhyQueue(cycle);
    case Binding::kTie:
      return WhyTie(cycle);
    case Binding::kDisplaced:
      return absl::StrCat(OfferedEnough(cycle),
                          ". But a gang that needs more than half of the "
                          "chips took its place: it was worth clearly more than all that gave "
                          "way.");
    case Binding::kGaveUp:
      return absl::StrCat(OfferedEnough(cycle),
                          ". But prices rose together, and "
                          "team ",
                          cycle.team.team,
                          " could not pay for all that it was given: it gave up the end of its "
                          "queue.");
    case Binding::kNothingUnpaid:
      return absl::StrCat(
          "It is opportunistic: it takes only chips that nobody pays for, and too "
          "few were left for the ",
          CountText(cycle.bid.min_chips), " that it needs.");
  }
  QM_CHECK(false, "an unknown binding constraint");
}

// --- Why the cycle took its chips ---

std::string WhyReclaimed(const CycleView& cycle) {
  if (cycle.before.paid == 0) {
    return absl::StrCat("It did not pay for the ", cycle.before.chips == 1 ? "chip" : "chips",
                        " that it held, and unpaid chips are the first to go: that is the reason "
                        "reclaimed.",
                        cycle.bid.opportunistic ? ""
                                                : " What follows is why it did not get to pay for "
                                                  "any.");
  }
  return absl::StrCat("It paid, but pools lent fewer idle chips of ", cycle.resource.resource, ", ",
                      CountText(cycle.lent), " after ", CountText(cycle.lent_before),
                      " at the cycle before: that is the reason reclaimed. What follows is why it "
                      "got none of those that remained.");
}

std::string WhyOverBudget(const CycleView& cycle) {
  const std::int64_t offer =
      cycle.unit.has_value() ? cycle.unit->reservation_price_micros : std::int64_t{0};
  const bool limited = cycle.unit.has_value() && cycle.bid.limit_price_micros.has_value() &&
                       *cycle.bid.limit_price_micros < OfferOf(*cycle.unit);
  return absl::StrCat(
      "At the cycle before it paid ", PriceText(cycle.price_before.value_or(0)),
      " per chip and hour; now it offers at most ", PriceText(offer), ", ",
      limited ? "its limit price"
              : absl::StrCat("the most that team ", cycle.team.team, " can offer for it"),
      ": that is the reason over_budget. What follows is why that offer did not keep its chips.");
}

std::string WhySupplyLost(const CycleView& cycle) {
  return absl::StrCat("There are fewer chips of ", cycle.resource.resource,
                      " than at the cycle before, ", CountText(cycle.resource.supply), " after ",
                      CountText(cycle.supply_before),
                      ": that is the reason supply_lost. What follows is why it got none of those "
                      "that remained.");
}

std::string WhyOutbid(Binding binding, const CycleView& cycle) {
  const bool by_others = binding == Binding::kTie || binding == Binding::kLimit ||
                         binding == Binding::kBudget || binding == Binding::kQueue ||
                         binding == Binding::kDisplaced;
  return absl::StrCat("It paid, there are no fewer chips of ", cycle.resource.resource,
                      " than at the cycle before, and pools lend no fewer",
                      by_others ? ": it was other bids that took its place. That is the reason "
                                  "outbid."
                                : ". No other reason applies, so outbid is the one on record.");
}

// The first reason that applies (mechanism §5) is on record; here is what made it apply. What the
// bid would need to run now can be something else, and is told after it.
std::string WhyTaken(const std::string& reason, Binding binding, const CycleView& cycle) {
  if (reason == "reclaimed") return WhyReclaimed(cycle);
  if (reason == "over_budget") return WhyOverBudget(cycle);
  if (reason == "supply_lost") return WhySupplyLost(cycle);
  if (reason == "limit") {
    // The numbers come in the next sentence.
    if (binding == Binding::kLimit) {
      return "The price is above its limit price: that is the reason limit.";
    }
    return absl::StrCat("The price, ", PriceText(cycle.cell.price_micros.value_or(0)),
                        ", is above its limit price, ",
                        PriceText(cycle.bid.limit_price_micros.value_or(0)),
                        ": that is the reason limit.");
  }
  return reason == "outbid" ? WhyOutbid(binding, cycle) : "";
}

// --- What it is ---

std::string WhatHappened(const CycleView& cycle) {
  const std::int64_t before = cycle.before.chips;
  const std::int64_t chips = cycle.bid.chips;
  if (before > 0 && chips > 0 && chips < before) {
    return absl::StrCat("The cycle took ", ChipCount(before - chips), " of its ", CountText(before),
                        ".");
  }
  if (cycle.before.paid > 0 && cycle.bid.paid == 0 && chips > 0) {
    return absl::StrCat("Before that cycle it paid for ", ChipCount(cycle.before.paid), ".");
  }
  return "";
}

std::string AtTime(std::int64_t time_ms, std::uint64_t offset) {
  return absl::StrCat("at ", TimeText(time_ms), " (offset ", offset, ")");
}

std::string WhenNotHere(const ExplainAnswer& answer) {
  const std::optional<BidEvent>& placed = answer.placed;
  if (!placed.has_value()) return "is not placed yet.";
  return absl::StrCat("is not placed yet: that happens ", AtTime(placed->time_ms, placed->offset),
                      ".");
}

std::string WhenEnded(const ExplainAnswer& answer) {
  const std::optional<BidEvent>& withdrawn = answer.withdrawn;
  if (!withdrawn.has_value()) return "has ended.";
  return absl::StrCat("has ended: it was withdrawn ", AtTime(withdrawn->time_ms, withdrawn->offset),
                      withdrawn->reason.empty() ? "" : ", ", withdrawn->reason,
                      ". Ask about a moment before, with --at, for what it was then.");
}

std::string TheVerdict(const ExplainAnswer& answer) {
  const Explanation& is = answer.explanation;
  switch (is.verdict) {
    case Verdict::kRunning:
      return absl::StrCat(
          "runs: it pays for ", ChipCount(is.now.paid), " of the ", CountText(is.now.wanted),
          " that it asks for",
          is.now.chips > is.now.paid
              ? absl::StrCat(", and holds ", CountText(is.now.chips - is.now.paid), " more unpaid.")
              : ".");
    case Verdict::kUnpaid:
      return absl::StrCat("holds ", ChipCount(is.now.chips),
                          " that nobody pays for; they are the first to go.");
    case Verdict::kWaiting:
      return "waits: it holds no chips.";
    case Verdict::kSetAside:
      return "is set aside: it needs more chips than there are for it.";
    case Verdict::kPreempted:
      return absl::StrCat("was preempted: that cycle took its ", ChipCount(is.loss->lost),
                          " (reason ", is.loss->reason, ").");
    case Verdict::kTaken:
      return absl::StrCat("waits: it ran, and the fleet took its ", ChipCount(is.loss->lost), " ",
                          AtTime(is.loss->time_ms, is.loss->offset), ", reason ", is.loss->reason,
                          ". It keeps its place in the queue; the next cycle looks at it.");
    case Verdict::kEnded:
      return WhenEnded(answer);
    case Verdict::kPlacedSince:
      return "waits for the next cycle: none has looked at it since it was placed.";
    case Verdict::kNotPlaced:
      return WhenNotHere(answer);
  }
  QM_CHECK(false, "an unknown verdict");
}

// An earlier loss says why it is not running, if it still is not.
bool TellsLastLoss(const ExplainAnswer& answer) {
  const Verdict verdict = answer.explanation.verdict;
  return answer.last_loss.has_value() && answer.last_loss != answer.explanation.loss &&
         (verdict == Verdict::kWaiting || verdict == Verdict::kSetAside ||
          verdict == Verdict::kUnpaid || verdict == Verdict::kPlacedSince);
}

}  // namespace

std::vector<std::string> Sentences(const ExplainAnswer& answer) {
  const Explanation& is = answer.explanation;
  std::vector<std::string> sentences = {absl::StrCat(is.bid, " ", TheVerdict(answer))};
  const auto add = [&sentences](std::string sentence) {
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  };
  if (is.cycle.has_value() && is.verdict != Verdict::kTaken) {
    add(WhatHappened(*is.cycle));
    if (is.verdict == Verdict::kPreempted) add(WhyTaken(is.loss->reason, is.binding, *is.cycle));
    add(Why(is.binding, *is.cycle));
    if (is.binding != Binding::kNothing && !is.cycle->bid.standby && !is.cycle->bid.opportunistic) {
      add("It is not on standby, so it takes no unpaid chips either.");
    }
    if (is.loss.has_value() && is.loss->offset != is.cycle->offset) {
      add(absl::StrCat("The fleet has taken ", ChipCount(is.loss->lost), " since, ",
                       AtTime(is.loss->time_ms, is.loss->offset), ", reason ", is.loss->reason,
                       "."));
    }
  }
  if (is.amended_since) add("It was amended after that cycle; this counts at the next one.");
  if (TellsLastLoss(answer)) {
    add(absl::StrCat(
        "It last lost chips ", AtTime(answer.last_loss->time_ms, answer.last_loss->offset), ": ",
        ChipCount(answer.last_loss->lost), ", reason ", answer.last_loss->reason, "."));
  }
  return sentences;
}

}  // namespace qmarket
