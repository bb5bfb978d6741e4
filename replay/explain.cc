#include "replay/explain.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "events/check.h"
#include "events/int128.h"
#include "replay/cycle_view.h"
#include "replay/trial.h"

namespace qmarket {
namespace {

// The ranges of the contract.
constexpr std::int64_t kMostIncome = 1'000'000'000'000;  // of a pool's teams together
constexpr std::int64_t kMostSupply = 4'000'000;

// --- Counterfactuals ---

// Asks one lever after the other, each on its own.
class Asker {
 public:
  Asker(const Market& before, const Input& tick, const CycleView& cycle)
      : trial_(before, tick), cycle_(cycle), runs_(Runs(cycle.bid)) {
    const std::optional<StatedView> stated = before.StatedFor(cycle.bid.bid);
    QM_CHECK(stated.has_value(), "a bid without terms");
    stated_ = *stated;
  }

  std::vector<Counterfactual> Ask() {
    std::vector<Counterfactual> answers;
    if (!cycle_.bid.opportunistic) {
      answers.push_back(AskLimit());
      answers.push_back(AskIncome());
    }
    const Counterfactual shared = AskSupply(Lever::kSharedSupply, stated_.shared_chips, "");
    answers.push_back(shared);
    if (shared.answer != Counterfactual::Answer::kFrom && stated_.owned_chips > 0) {
      answers.push_back(AskSupply(Lever::kOwnedSupply, stated_.owned_chips, cycle_.pool.pool));
    }
    return answers;
  }

 private:
  Counterfactual AskLimit() {
    const std::int64_t price = cycle_.cell.price_micros.value_or(kNoLimit);
    return Search(
        {.lever = Lever::kLimit,
         .recorded = cycle_.before.limit_price_micros.value_or(kNoLimit),
         .lowest = 0,
         .highest = kNoLimit},
        // A bid that runs does so up to its price, one that does not from it on.
        runs_, {.value = runs_ ? price - 1 : price, .step = 1}, [this](std::int64_t limit) {
          return trial_.Runs(cycle_.bid.bid,
                             BidAmended{.bid = cycle_.bid.bid,
                                        .chips = std::nullopt,
                                        .min_chips = std::nullopt,
                                        .limit_price_micros = limit == kNoLimit ? -1 : limit,
                                        .priority = std::nullopt,
                                        .standby = std::nullopt});
        });
  }

  Counterfactual AskIncome() {
    const std::int64_t recorded = stated_.income_micros_per_hour;
    const std::int64_t others = stated_.pool_incomes_micros_per_hour - recorded;
    return Search({.lever = Lever::kIncome,
                   .recorded = recorded,
                   .lowest = 0,
                   .highest = kMostIncome - others},
                  runs_, GuessIncome(recorded), [this](std::int64_t income) {
                    return trial_.Runs(
                        cycle_.bid.bid,
                        TeamConfigured{.team = cycle_.team.team,
                                       .pool = cycle_.pool.pool,
                                       .income_micros_per_hour = income,
                                       .income_leverage_percent = stated_.income_leverage_percent});
                  });
  }

  // What the team would have to add, or could do without, if nothing but its own offer changed.
  [[nodiscard]] Guess GuessIncome(std::int64_t recorded) const {
    if (!cycle_.unit.has_value() || !cycle_.cell.price_micros.has_value()) {
      return {.value = recorded + (runs_ ? -1 : 1)};
    }
    const UnitRunView& unit = *cycle_.unit;
    const Uint128 needed =
        CheckedMul(CheckedMul(ToUint128(*cycle_.cell.price_micros), unit.margin_percent),
                   ToUint128(unit.chips_before + unit.chips));
    const Uint128 gap = needed > unit.power ? needed - unit.power : unit.power - needed;
    const std::int64_t income = ToInt64(std::min<Uint128>(gap / 100, kMostIncome));
    return {.value = needed > unit.power ? recorded + income : recorded - income,
            .step = income / 64 + 1};
  }

  Counterfactual AskSupply(Lever lever, std::int64_t recorded, const std::string& owner) {
    const std::int64_t missing =
        std::max<std::int64_t>(1, cycle_.bid.min_chips - cycle_.free_chips);
    return Search({.lever = lever, .recorded = recorded, .lowest = 0, .highest = kMostSupply},
                  runs_, {.value = recorded + (runs_ ? -1 : missing), .step = 1},
                  [this, &owner](std::int64_t chips) {
                    return trial_.Runs(cycle_.bid.bid,
                                       SupplyChanged{.resource = cycle_.bid.resource,
                                                     .owner = owner,
                                                     .chips = static_cast<std::uint32_t>(chips),
                                                     .reason = ""});
                  });
  }

  Trial trial_;
  const CycleView& cycle_;
  bool runs_;
  StatedView stated_;
};

// --- What happened ---

Verdict VerdictOf(const BidView& bid, bool preempted) {
  switch (bid.state) {
    case BidState::kRunning:
      return Verdict::kRunning;
    case BidState::kUnpaid:
      return Verdict::kUnpaid;
    case BidState::kEnded:
      return Verdict::kEnded;
    case BidState::kWaiting:
      break;
  }
  if (preempted) return Verdict::kPreempted;
  return bid.set_aside ? Verdict::kSetAside : Verdict::kWaiting;
}

std::optional<Loss> LossOf(const Step& step, std::uint64_t offset, const std::string& bid) {
  for (const Outcome& outcome : step.outcomes) {
    const auto* lost = std::get_if<BidPreempted>(&outcome);
    if (lost == nullptr || lost->bid != bid) continue;
    return Loss{.offset = offset,
                .time_ms = lost->time_ms,
                .lost = lost->lost,
                .left = lost->chips,
                .reason = lost->reason};
  }
  return std::nullopt;
}

// Who won chips of the resource, the most first.
std::vector<Gain> GainsOf(const Step& step, const Market& before, const std::string& resource) {
  std::vector<Gain> gains;
  for (const Outcome& outcome : step.outcomes) {
    const auto* filled = std::get_if<BidFilled>(&outcome);
    if (filled == nullptr || filled->resource != resource) continue;
    const std::optional<BidView> was = before.FindBid(filled->bid);
    const std::int64_t more = filled->chips - (was.has_value() ? was->chips : 0);
    if (more <= 0) continue;
    gains.push_back(
        {.bid = filled->bid, .team = filled->team, .chips = more, .paid = filled->paid});
  }
  std::ranges::stable_sort(gains, std::greater<>(), &Gain::chips);
  return gains;
}

// The answer as of a later moment before the next cycle. `loss` is what the fleet took since, last.
Explanation AsOfNow(Explanation explanation, const BidView& now, std::optional<Loss> loss) {
  const BidView then = std::exchange(explanation.now, now);
  if (!explanation.cycle.has_value()) {
    if (now.state == BidState::kEnded) explanation.verdict = Verdict::kEnded;
    return explanation;
  }
  if (loss.has_value()) explanation.loss = std::move(loss);
  explanation.amended_since =
      std::tie(then.wanted, then.min_chips, then.limit_price_micros, then.priority, then.standby,
               then.place) != std::tie(now.wanted, now.min_chips, now.limit_price_micros,
                                       now.priority, now.standby, now.place);
  if (now.state == BidState::kEnded) {
    explanation.verdict = Verdict::kEnded;
    explanation.cycle.reset();
  } else if (then.chips > 0 && now.chips == 0) {
    explanation.verdict = Verdict::kTaken;
  } else {
    return explanation;
  }
  explanation.binding = Binding::kNothing;
  explanation.counterfactuals.clear();
  explanation.gains.clear();
  return explanation;
}

}  // namespace

Explanation ExplainBid(const Market& before, const Input& tick, const std::string& bid) {
  Explanation explanation;
  explanation.bid = bid;
  const std::optional<BidView> was = before.FindBid(bid);
  if (!was.has_value()) return explanation;
  explanation.now = *was;
  explanation.verdict = Verdict::kEnded;
  if (was->state == BidState::kEnded) return explanation;
  Market after = before.CloneForTrial();
  const Step step = after.Apply(tick);
  explanation.cycle = LookAtCycle(before, after, tick.offset, bid);
  const CycleView& cycle = *explanation.cycle;
  explanation.now = cycle.bid;
  explanation.loss = LossOf(step, tick.offset, bid);
  if (explanation.loss) explanation.gains = GainsOf(step, before, cycle.bid.resource);
  explanation.verdict = VerdictOf(cycle.bid, explanation.loss.has_value());
  explanation.binding = BindingOf(cycle);
  explanation.counterfactuals = Asker(before, tick, cycle).Ask();
  return explanation;
}

absl::StatusOr<std::optional<Explanation>> ExplainAt(Replica& replica, InputSource& records,
                                                     const std::string& bid) {
  std::optional<Explanation> explanation;
  std::optional<Loss> loss;
  while (true) {
    const absl::StatusOr<std::vector<Input>> inputs = records.Next();
    if (!inputs.ok()) return inputs.status();
    if (inputs->empty()) break;
    for (const Input& input : *inputs) {
      const bool is_tick = !explanation.has_value();
      if (is_tick) explanation = ExplainBid(replica.market(), input, bid);
      const Step step = replica.Apply(input).step;
      if (is_tick) continue;
      if (std::optional<Loss> lost = LossOf(step, input.offset, bid)) loss = std::move(lost);
    }
  }
  const std::optional<BidView> now = replica.market().FindBid(bid);
  if (!now.has_value()) return std::nullopt;
  if (!explanation.has_value()) {
    explanation.emplace();
    explanation->bid = bid;
  }
  return AsOfNow(*std::move(explanation), *now, std::move(loss));
}

}  // namespace qmarket
