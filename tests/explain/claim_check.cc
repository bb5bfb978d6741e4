#include "tests/explain/claim_check.h"

#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

#include "events/check.h"
#include "events/event_codec.h"
#include "events/fingerprint.h"

namespace qmarket {
namespace {

// Whether the bid pays for chips, or, if it never pays, holds some.
bool HasWhatItWants(const Market& market, const std::string& bid) {
  const std::optional<BidView> view = market.FindBid(bid);
  QM_CHECK(view.has_value(), "the market does not know the bid");
  if (view->opportunistic) return view->state == BidState::kUnpaid;
  return view->state == BidState::kRunning;
}

// The event that states the value, or one less, of what the claim is about.
Payload ChangeTo(const Market& before, const Explanation& explanation, Lever lever,
                 std::int64_t value) {
  const BidView bid = *before.FindBid(explanation.bid);
  const TeamView team = *before.FindTeam(bid.team);
  switch (lever) {
    case Lever::kLimit: {
      BidAmended amended;
      amended.bid = bid.bid;
      amended.limit_price_micros = value > 1'000'000'000'000 ? -1 : value;
      return amended;
    }
    case Lever::kIncome:
      return TeamConfigured{
          .team = team.team,
          .pool = team.pool,
          .income_micros_per_hour = value,
          .income_leverage_percent = before.StatedFor(bid.bid)->income_leverage_percent};
    case Lever::kSharedSupply:
    case Lever::kOwnedSupply:
      return SupplyChanged{.resource = bid.resource,
                           .owner = lever == Lever::kOwnedSupply ? team.pool : "",
                           .chips = static_cast<std::uint32_t>(value),
                           .reason = "a test"};
  }
  QM_CHECK(false, "an unknown lever");
}

bool WouldRun(const Market& before, const Input& tick, const Explanation& explanation, Lever lever,
              std::int64_t value) {
  Market market = before.CloneForTrial();
  const Event event{.event_id = "changed by a test",
                    .time_ms = market.time_ms().value_or(0),
                    .actor = "",
                    .source = "",
                    .payload = ChangeTo(before, explanation, lever, value)};
  const Step step = market.Apply({.offset = tick.offset,
                                  .append_time_ms = std::nullopt,
                                  .event = event,
                                  .id = FingerprintOf(event.event_id),
                                  .content = FingerprintOf(CanonicalEvent(event))});
  for (const Outcome& outcome : step.outcomes)
    QM_CHECK(!std::holds_alternative<EventRejected>(outcome), "the change was rejected");
  Input later = tick;
  later.offset += 1;
  market.Apply(later);
  return HasWhatItWants(market, explanation.bid);
}

// Whether the market went by what is told of the bid's turn: who found room there runs, unless it
// gave way or was given up, and who found none does not, unless it is a gang that others gave way
// to (mechanism §5).
bool WentByItsTurn(const Explanation& explanation) {
  if (!explanation.cycle.has_value() || explanation.now.opportunistic) return true;
  const CycleView& cycle = *explanation.cycle;
  if (!cycle.turn.has_value()) return explanation.binding != Binding::kTie;
  const bool fits = cycle.turn->left >= cycle.unit->chips && cycle.turn->room >= cycle.unit->chips;
  if (explanation.binding == Binding::kNothing) {
    return fits || 2 * cycle.unit->chips > cycle.cell.owned - cycle.cell.lent + cycle.shared_supply;
  }
  if (explanation.binding == Binding::kTie) return !fits;
  return true;
}

// Whether the facts that are told beside the reason of a preemption are those of mechanism §5.
bool FactsFitTheReason(const Explanation& explanation) {
  if (explanation.verdict != Verdict::kPreempted) return true;
  const CycleView& cycle = *explanation.cycle;
  const std::string& reason = explanation.loss->reason;
  if (reason == "reclaimed") return cycle.before.paid == 0 || cycle.lent < cycle.lent_before;
  if (cycle.before.paid == 0) return false;
  if (reason == "limit") return cycle.cell.price_micros > cycle.bid.limit_price_micros;
  if (reason == "over_budget") {
    return cycle.unit.has_value() && cycle.unit->reservation_price_micros < cycle.price_before;
  }
  if (reason == "supply_lost") return cycle.resource.supply < cycle.supply_before;
  return reason == "outbid" && cycle.resource.supply >= cycle.supply_before &&
         cycle.lent >= cycle.lent_before;
}

}  // namespace

void CheckClaims(const Market& before, const Input& tick, const Explanation& explanation,
                 ClaimTally& tally) {
  for (const Counterfactual& claim : explanation.counterfactuals) {
    const auto expect = [&](std::int64_t value, bool runs) {
      if (WouldRun(before, tick, explanation, claim.lever, value) == runs) return true;
      tally.wrong.push_back(absl::StrCat(explanation.bid, " at offset ", tick.offset, ": ",
                                         LeverName(claim.lever), " ", value, ": expected it to ",
                                         runs ? "run" : "wait"));
      return false;
    };
    bool good = true;
    switch (claim.answer) {
      case Counterfactual::Answer::kFrom:
        good = expect(claim.enough, true) && expect(claim.enough - 1, false);
        break;
      case Counterfactual::Answer::kAny:
        good = expect(claim.lowest, true) && expect(claim.recorded, true);
        break;
      case Counterfactual::Answer::kNone:
        good = expect(claim.highest, false) && expect(claim.recorded, false);
        break;
      case Counterfactual::Answer::kUnset:
        good = expect(claim.recorded, false);
        break;
    }
    if (!good) continue;
    ++tally.confirmed[absl::StrCat(LeverName(claim.lever), " ", AnswerName(claim.answer))];
  }
}

void CheckFacts(const Market& after, const Explanation& explanation, ClaimTally& tally) {
  const std::optional<BidView> bid = after.FindBid(explanation.bid);
  QM_CHECK(bid.has_value(), "the market does not know the bid");
  if (!WentByItsTurn(explanation)) {
    tally.wrong.push_back(absl::StrCat(explanation.bid, ": not what the market found at its turn"));
  }
  if (!FactsFitTheReason(explanation)) {
    tally.wrong.push_back(absl::StrCat(explanation.bid, ": its facts are not those of the reason ",
                                       explanation.loss->reason));
  }
  if (explanation.verdict == Verdict::kPreempted) ++tally.confirmed[explanation.loss->reason];
  const bool runs = HasWhatItWants(after, explanation.bid);
  const bool says_so = explanation.binding == Binding::kNothing;
  const bool same = explanation.now.state == bid->state && explanation.now.chips == bid->chips &&
                    explanation.now.paid == bid->paid;
  if (runs == says_so && same) return;
  tally.wrong.push_back(absl::StrCat(explanation.bid, ": it is ", BidStateName(bid->state),
                                     " with ", bid->paid, " of ", bid->chips,
                                     " chips paid, explained as ", VerdictName(explanation.verdict),
                                     ", ", BindingName(explanation.binding)));
}

}  // namespace qmarket
