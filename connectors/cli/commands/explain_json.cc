#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/commands/explain_answer.h"
#include "connectors/cli/json_writer.h"
#include "connectors/cli/text.h"
#include "replay/cycle_view.h"

namespace qmarket {
namespace {

void WriteBid(const BidView& bid, JsonWriter& json) {
  json.Field("bid", bid.bid)
      .Field("team", bid.team)
      .Field("resource", bid.resource)
      .Field("state", BidStateName(bid.state))
      .Field("chips", bid.chips)
      .Field("paid", bid.paid)
      .Field("wanted", bid.wanted)
      .Field("min_chips", bid.min_chips)
      .Field("priority", bid.priority)
      .Field("limit_price_micros", bid.limit_price_micros)
      .Field("opportunistic", bid.opportunistic)
      .Field("standby", bid.standby)
      .Field("set_aside", bid.set_aside);
}

void WriteUnit(const UnitRunView& unit, const TeamView& team, JsonWriter& json) {
  json.Key("offer")
      .BeginObject()
      .Field("reservation_price_micros", unit.reservation_price_micros)
      .Field("reservation_price_reference_micros", unit.first_reference_micros)
      .Field("without_limit_micros", OfferOf(unit))
      .Field("alone_micros", OfferAlone(unit, team))
      .Field("running", unit.running)
      .Field("planned", unit.planned)
      .Field("chips", unit.chips)
      .Field("chips_before", unit.chips_before)
      .Field("margin_percent", unit.margin_percent)
      .EndObject();
}

void WriteTeam(const TeamView& team, JsonWriter& json) {
  json.Key("budget")
      .BeginObject()
      .Field("balance_micros", team.balance_micros)
      .Field("income_micros_per_hour", team.income_micros_per_hour)
      .Field("income_leverage_percent", team.income_leverage_percent)
      .Field("beta_enter_micros_per_hour", team.enter_cap_micros_per_hour)
      .Field("beta_keep_micros_per_hour", team.keep_cap_micros_per_hour)
      .Field("burn_micros_per_hour", team.burn_micros_per_hour)
      .EndObject();
}

std::optional<std::int64_t> LeftAtItsTurn(const CycleView& cycle) {
  if (!cycle.turn.has_value()) return std::nullopt;
  return cycle.turn->left;
}

void WritePrice(const CycleView& cycle, JsonWriter& json) {
  json.Key("market")
      .BeginObject()
      .Field("pool", cycle.pool.pool)
      .Field("price_micros", cycle.cell.price_micros)
      .Field("price_before_micros", cycle.price_before)
      .Field("pool_reference_price_micros", cycle.cell.reference_price_micros)
      .Field("reference_price_micros", cycle.resource.reference_price_micros)
      .Key("exchange_rate");
  if (cycle.pool.exchange_rate.has_value()) {
    json.Value(
        FractionText(cycle.pool.exchange_rate->numerator, cycle.pool.exchange_rate->denominator));
  } else {
    json.Null();
  }
  json.Field("supply", cycle.resource.supply)
      .Field("shared", cycle.resource.shared)
      .Field("shared_supply", cycle.shared_supply)
      .Field("owned", cycle.cell.owned)
      .Field("lent", cycle.cell.lent)
      .Field("free", cycle.free_chips)
      .Field("left_at_its_turn", LeftAtItsTurn(cycle))
      .Field("lent_by_all", cycle.lent)
      .Field("lent_by_all_before", cycle.lent_before)
      .Field("supply_before", cycle.supply_before)
      .EndObject();
}

void WriteQueue(const QueuePlace& queue, JsonWriter& json) {
  json.Key("queue").BeginObject().Field("place", queue.place).Field("bids", queue.bids);
  json.Key("before").BeginArray();
  for (const QueuedBefore& before : queue.before) {
    json.BeginObject()
        .Field("bid", before.bid)
        .Field("resource", before.resource)
        .Field("chips", before.chips)
        .Field("filled", before.filled)
        .EndObject();
  }
  json.EndArray().EndObject();
}

void WriteCompetitor(const CycleView& cycle, JsonWriter& json) {
  json.Key("competitor");
  if (!cycle.competitor.has_value()) {
    json.Null();
    return;
  }
  const UnitRunView& unit = *cycle.competitor;
  json.BeginObject()
      .Field("bid", unit.bid)
      .Field("team", unit.team)
      .Field("pool", unit.pool)
      .Field("chips", unit.chips)
      .Field("units", unit.units)
      .Field("filled_units", unit.filled)
      .Field("reservation_price_reference_micros", cycle.competitor_reference_micros)
      .Field("pool_reference_price_micros", cycle.competitor_cell.reference_price_micros)
      .Field("pool_price_micros", cycle.competitor_cell.price_micros)
      .Field("pool_owned", cycle.competitor_cell.owned)
      .EndObject();
}

void WriteCycle(const CycleView& cycle, JsonWriter& json) {
  json.BeginObject()
      .Field("offset", cycle.offset)
      .Field("time_ms", cycle.time_ms)
      .Field("chips", cycle.bid.chips)
      .Field("paid", cycle.bid.paid)
      .Field("chips_before", cycle.before.chips)
      .Field("paid_before", cycle.before.paid)
      .Field("wanted", cycle.bid.wanted)
      .Field("min_chips", cycle.bid.min_chips)
      .Field("limit_price_micros", cycle.bid.limit_price_micros);
  WritePrice(cycle, json);
  if (cycle.unit.has_value()) {
    WriteUnit(*cycle.unit, cycle.team, json);
    WriteQueue(cycle.queue, json);
  } else {
    json.Key("offer").Null().Key("queue").Null();
  }
  WriteTeam(cycle.team, json);
  WriteCompetitor(cycle, json);
  json.EndObject();
}

// No limit is null, as everywhere; it is told from "no value" by `answer`.
void WriteValue(absl::string_view key, const Counterfactual& claim, std::int64_t value,
                JsonWriter& json) {
  json.Key(key);
  claim.lever == Lever::kLimit&& value == kNoLimit ? json.Null() : json.Value(value);
}

void WriteClaim(const Counterfactual& claim, JsonWriter& json) {
  json.BeginObject()
      .Field("change", LeverName(claim.lever))
      .Field("answer", AnswerName(claim.answer));
  WriteValue("recorded", claim, claim.recorded, json);
  switch (claim.answer) {
    case Counterfactual::Answer::kFrom:
      WriteValue("runs_at", claim, claim.enough, json);
      WriteValue("not_at", claim, claim.enough - 1, json);
      break;
    case Counterfactual::Answer::kAny:
      WriteValue("runs_at", claim, claim.lowest, json);
      break;
    case Counterfactual::Answer::kNone:
      WriteValue("not_at", claim, claim.highest, json);
      break;
    case Counterfactual::Answer::kUnset:
      WriteValue("not_at", claim, claim.recorded, json);
      break;
  }
  json.Field("cleared", claim.cleared).EndObject();
}

void WriteLoss(absl::string_view key, const std::optional<Loss>& loss, JsonWriter& json) {
  json.Key(key);
  if (!loss.has_value()) {
    json.Null();
    return;
  }
  json.BeginObject()
      .Field("offset", loss->offset)
      .Field("time_ms", loss->time_ms)
      .Field("lost", loss->lost)
      .Field("left", loss->left)
      .Field("reason", loss->reason)
      .EndObject();
}

void WriteEvent(absl::string_view key, const std::optional<BidEvent>& event, JsonWriter& json) {
  json.Key(key);
  if (!event.has_value()) {
    json.Null();
    return;
  }
  json.BeginObject()
      .Field("offset", event->offset)
      .Field("time_ms", event->time_ms)
      .Field("reason", event->reason)
      .EndObject();
}

void WriteGains(const Explanation& is, JsonWriter& json) {
  json.Key("won_by").BeginArray();
  for (const Gain& gain : is.gains) {
    json.BeginObject()
        .Field("bid", gain.bid)
        .Field("team", gain.team)
        .Field("chips", gain.chips)
        .Field("paid", gain.paid)
        .EndObject();
  }
  json.EndArray();
}

}  // namespace

void PrintExplainJson(const ExplainAnswer& answer, Output& out) {
  const Explanation& is = answer.explanation;
  JsonWriter json;
  json.BeginObject()
      .Field("offset", answer.offset)
      .Field("time_ms", answer.time_ms)
      .Field("verdict", VerdictName(is.verdict))
      .Key("reason");
  // Without counterfactuals nothing was asked of a cycle.
  is.counterfactuals.empty() ? json.Null() : json.Value(BindingName(is.binding));
  json.Key("explanation").BeginArray();
  for (const std::string& sentence : Sentences(answer))
    json.Value(sentence);
  json.EndArray();
  if (is.verdict == Verdict::kNotPlaced) {
    json.Field("bid", is.bid);
  } else {
    WriteBid(is.now, json);
  }
  json.Field("amended_since", is.amended_since);
  json.Key("cycle");
  if (is.cycle.has_value()) {
    WriteCycle(*is.cycle, json);
  } else {
    json.Null();
  }
  json.Key("counterfactuals").BeginArray();
  for (const Counterfactual& claim : is.counterfactuals)
    WriteClaim(claim, json);
  json.EndArray();
  WriteLoss("loss", is.loss, json);
  WriteGains(is, json);
  WriteLoss("last_loss", answer.last_loss, json);
  WriteEvent("placed", answer.placed, json);
  WriteEvent("withdrawn", answer.withdrawn, json);
  json.EndObject();
  out.Write(json.Take());
}

}  // namespace qmarket
