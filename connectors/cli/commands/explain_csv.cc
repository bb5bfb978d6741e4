#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

#include "connectors/cli/commands/explain_answer.h"
#include "connectors/cli/table.h"

namespace qmarket {
namespace {

// Records of one value each, as `qmarket replay` has them.
class Records {
 public:
  explicit Records(Output& out) : out_(out) { out_.Write("part,name,field,value\n"); }

  void Text(absl::string_view part, absl::string_view name, absl::string_view field,
            absl::string_view value) {
    out_.Write(
        absl::StrCat(part, ",", CsvField(name), ",", CsvField(field), ",", CsvField(value), "\n"));
  }

  void Number(absl::string_view part, absl::string_view name, absl::string_view field,
              Int128 value) {
    Text(part, name, field, ToString(value));
  }

  void Number(absl::string_view part, absl::string_view name, absl::string_view field,
              const std::optional<std::int64_t>& value) {
    Text(part, name, field, value.has_value() ? std::to_string(*value) : "");
  }

 private:
  Output& out_;
};

void WriteCycle(const CycleView& cycle, const std::string& bid, Records& records) {
  const auto number = [&](absl::string_view field, auto value) {
    records.Number("cycle", bid, field, value);
  };
  number("offset", Int128{cycle.offset});
  number("time_ms", Int128{cycle.time_ms});
  number("price_micros", cycle.cell.price_micros);
  number("pool_reference_price_micros", cycle.cell.reference_price_micros);
  number("reference_price_micros", cycle.resource.reference_price_micros);
  number("supply", Int128{cycle.resource.supply});
  number("shared_supply", Int128{cycle.shared_supply});
  number("left_at_its_turn",
         cycle.turn.has_value() ? std::optional<std::int64_t>(cycle.turn->left) : std::nullopt);
  number("owned", Int128{cycle.cell.owned});
  number("lent", Int128{cycle.cell.lent});
  if (cycle.unit.has_value()) {
    number("reservation_price_micros", Int128{cycle.unit->reservation_price_micros});
    number("reservation_price_reference_micros", Int128{cycle.unit->first_reference_micros});
    number("queue_place", Int128{cycle.queue.place});
    number("queue_bids", Int128{cycle.queue.bids});
  }
  number("balance_micros", Int128{cycle.team.balance_micros});
  number("income_micros_per_hour", Int128{cycle.team.income_micros_per_hour});
  number("beta_enter_micros_per_hour", static_cast<Int128>(cycle.team.enter_cap_micros_per_hour));
  number("beta_keep_micros_per_hour", static_cast<Int128>(cycle.team.keep_cap_micros_per_hour));
  number("burn_micros_per_hour", static_cast<Int128>(cycle.team.burn_micros_per_hour));
  if (!cycle.competitor.has_value()) return;
  records.Number("competitor", cycle.competitor->bid, "reservation_price_reference_micros",
                 Int128{cycle.competitor_reference_micros});
}

// No limit price is an empty value, as everywhere.
std::string ValueText(const Counterfactual& claim, std::int64_t value) {
  return claim.lever == Lever::kLimit && value == kNoLimit ? "" : std::to_string(value);
}

void WriteClaim(const Counterfactual& claim, Records& records) {
  const char* name = LeverName(claim.lever);
  const auto value = [&](absl::string_view field, std::int64_t at) {
    records.Text("counterfactuals", name, field, ValueText(claim, at));
  };
  records.Text("counterfactuals", name, "answer", AnswerName(claim.answer));
  value("recorded", claim.recorded);
  if (claim.answer == Counterfactual::Answer::kFrom) value("runs_at", claim.enough);
  if (claim.answer == Counterfactual::Answer::kAny) value("runs_at", claim.lowest);
  if (claim.answer == Counterfactual::Answer::kFrom) value("not_at", claim.enough - 1);
  if (claim.answer == Counterfactual::Answer::kNone) value("not_at", claim.highest);
  if (claim.answer == Counterfactual::Answer::kUnset) value("not_at", claim.recorded);
}

void WriteLoss(absl::string_view part, const Loss& loss, const std::string& bid, Records& records) {
  records.Number(part, bid, "offset", Int128{loss.offset});
  records.Number(part, bid, "time_ms", Int128{loss.time_ms});
  records.Number(part, bid, "lost", Int128{loss.lost});
  records.Number(part, bid, "left", Int128{loss.left});
  records.Text(part, bid, "reason", loss.reason);
}

}  // namespace

void PrintExplainCsv(const ExplainAnswer& answer, Output& out) {
  const Explanation& is = answer.explanation;
  Records records(out);
  if (answer.offset.has_value()) records.Number("moment", "", "offset", Int128{*answer.offset});
  records.Number("moment", "", "time_ms", answer.time_ms);
  records.Text("bid", is.bid, "verdict", VerdictName(is.verdict));
  records.Text("bid", is.bid, "reason", is.counterfactuals.empty() ? "" : BindingName(is.binding));
  for (const std::string& sentence : Sentences(answer))
    records.Text("bid", is.bid, "explanation", sentence);
  if (is.verdict != Verdict::kNotPlaced) {
    records.Text("bid", is.bid, "team", is.now.team);
    records.Text("bid", is.bid, "resource", is.now.resource);
    records.Text("bid", is.bid, "state", BidStateName(is.now.state));
    records.Number("bid", is.bid, "chips", Int128{is.now.chips});
    records.Number("bid", is.bid, "paid", Int128{is.now.paid});
    records.Number("bid", is.bid, "wanted", Int128{is.now.wanted});
    records.Number("bid", is.bid, "limit_price_micros", is.now.limit_price_micros);
  }
  if (is.cycle.has_value()) WriteCycle(*is.cycle, is.bid, records);
  for (const Counterfactual& claim : is.counterfactuals)
    WriteClaim(claim, records);
  if (is.loss.has_value()) WriteLoss("loss", *is.loss, is.bid, records);
  for (const Gain& gain : is.gains)
    records.Number("won_by", gain.bid, "chips", Int128{gain.chips});
  if (answer.last_loss.has_value()) WriteLoss("last_loss", *answer.last_loss, is.bid, records);
}

}  // namespace qmarket
