#include "matcher/core/admission.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "absl/strings/str_cat.h"

#include "events/field_rules.h"

namespace qmarket {

namespace {

using MaybeRejection = std::optional<Rejection>;

// An event may claim to be this much later than its append time.
constexpr std::int64_t kMaxAheadMs = 300'000;
constexpr std::int64_t kMaxPoolIncomes = 1'000'000'000'000;
constexpr std::int64_t kMaxPoolBalances = 1'000'000'000'000'000'000;

Rejection Reject(RejectionCode code, std::string message) {
  return {.code = code, .message = std::move(message)};
}

Rejection UnknownPool(const std::string& name) {
  return Reject(RejectionCode::kUnknownPool,
                absl::StrCat("there is no pool \"", name, "\"; configure it first"));
}

Rejection UnknownTeam(const std::string& name) {
  return Reject(RejectionCode::kUnknownTeam,
                absl::StrCat("there is no team \"", name, "\"; configure it first"));
}

class Admission {
 public:
  Admission(const MarketState& state, TimeMs now) : state_(state), now_(now) {}

  MaybeRejection operator()(const PoolConfigured&) const { return std::nullopt; }

  MaybeRejection operator()(const TeamConfigured& event) const {
    const auto pool = state_.pool_names.Find(event.pool);
    if (!pool) return UnknownPool(event.pool);
    const auto team = state_.team_names.Find(event.team);
    const bool moves = team && state_.teams[*team].pool != *pool;
    Credits together = state_.pools[*pool].stated_incomes + Credits(event.income_micros_per_hour);
    if (team && !moves) together -= state_.teams[*team].stated_income;
    if (together > Credits(kMaxPoolIncomes)) {
      return Reject(RejectionCode::kOutOfRange,
                    absl::StrCat("income_micros_per_hour: the incomes of pool \"", event.pool,
                                 "\" would add up to ", together.value(), ", expected at most ",
                                 kMaxPoolIncomes));
    }
    if (moves) {
      return Reject(
          RejectionCode::kPoolIsFixed,
          absl::StrCat("team \"", event.team, "\" belongs to pool \"",
                       state_.pool_names[state_.teams[*team].pool], "\" and keeps it for ever"));
    }
    return std::nullopt;
  }

  MaybeRejection operator()(const BudgetGranted& event) const {
    const auto team = state_.team_names.Find(event.team);
    if (!team) return UnknownTeam(event.team);
    if (event.amount_micros < 0) return std::nullopt;
    const Pool& pool = state_.pools[state_.teams[*team].pool];
    const Credits together = pool.balances + Credits(event.amount_micros);
    if (together > Credits(kMaxPoolBalances)) {
      return Reject(RejectionCode::kOutOfRange,
                    absl::StrCat("amount_micros: the balances of the pool would add up to ",
                                 together.value(), ", expected at most ", kMaxPoolBalances));
    }
    return std::nullopt;
  }

  MaybeRejection operator()(const CreditsTransferred& event) const {
    const auto from = state_.team_names.Find(event.from_team);
    if (!from) return UnknownTeam(event.from_team);
    const auto to = state_.team_names.Find(event.to_team);
    if (!to) return UnknownTeam(event.to_team);
    if (*from == *to) {
      return Reject(RejectionCode::kSameTeam,
                    absl::StrCat("from_team and to_team are both \"", event.to_team, "\""));
    }
    if (state_.teams[*from].pool != state_.teams[*to].pool) {
      return Reject(RejectionCode::kDifferentPools,
                    absl::StrCat("\"", event.from_team, "\" and \"", event.to_team,
                                 "\" belong to different pools, which have different currencies"));
    }
    const Credits most = Withdrawable(state_, *from, now_);
    if (Credits(event.amount_micros) > most) {
      return Reject(
          RejectionCode::kInsufficientCredits,
          absl::StrCat("amount_micros: ", event.amount_micros, ", expected at most ", most.value(),
                       ", what team \"", event.from_team, "\" can give away now"));
    }
    return std::nullopt;
  }

  MaybeRejection operator()(const SupplyChanged& event) const {
    if (event.owner.empty() || state_.pool_names.Find(event.owner)) return std::nullopt;
    return UnknownPool(event.owner);
  }

  MaybeRejection operator()(const BidPlaced& event) const {
    if (!state_.team_names.Find(event.team)) return UnknownTeam(event.team);
    if (const auto bid = state_.bid_names.Find(event.bid)) {
      return Reject(RejectionCode::kBidExists,
                    absl::StrCat("bid \"", event.bid, "\" was placed before at offset ",
                                 state_.bid_offsets[*bid], "; a bid's id is never used again"));
    }
    return MinExceeds(event.min_chips, event.chips);
  }

  MaybeRejection operator()(const BidAmended& event) const {
    if (auto rejection = NoStandingBid(event.bid)) return rejection;
    const StandingBid& bid = state_.standing.bids[*state_.bid_names.Find(event.bid)];
    const std::int64_t chips = event.chips ? *event.chips : bid.chips.value();
    return MinExceeds(event.min_chips.value_or(0), chips);
  }

  MaybeRejection operator()(const BidWithdrawn& event) const { return NoStandingBid(event.bid); }

  MaybeRejection operator()(const ChipsPreempted& event) const {
    if (auto rejection = NoStandingBid(event.bid)) return rejection;
    const StandingBid& bid = state_.standing.bids[*state_.bid_names.Find(event.bid)];
    if (bid.held > Chips(0)) return std::nullopt;
    return Reject(RejectionCode::kHoldsNoChips,
                  absl::StrCat("bid \"", event.bid, "\" holds no chips that could be taken"));
  }

  MaybeRejection operator()(const UsageReported& event) const {
    if (!event.bid.empty()) {
      return state_.bid_names.Find(event.bid) ? std::nullopt
                                              : MaybeRejection(UnknownBid(event.bid));
    }
    return state_.team_names.Find(event.team) ? std::nullopt
                                              : MaybeRejection(UnknownTeam(event.team));
  }

  MaybeRejection operator()(const MarketConfigured&) const { return std::nullopt; }

  MaybeRejection operator()(const ClockTicked&) const { return std::nullopt; }

 private:
  static Rejection UnknownBid(const std::string& name) {
    return Reject(RejectionCode::kUnknownBid,
                  absl::StrCat("there is no bid \"", name, "\"; place it first"));
  }

  [[nodiscard]] MaybeRejection NoStandingBid(const std::string& name) const {
    const auto bid = state_.bid_names.Find(name);
    if (!bid) return UnknownBid(name);
    if (!state_.standing.bids[*bid].ended) return std::nullopt;
    return Reject(RejectionCode::kBidEnded, absl::StrCat("bid \"", name, "\" has ended"));
  }

  static MaybeRejection MinExceeds(std::int64_t min_chips, std::int64_t chips) {
    if (min_chips <= chips) return std::nullopt;
    return Reject(RejectionCode::kMinExceedsChips,
                  absl::StrCat("min_chips: ", min_chips, ", expected at most chips, ", chips));
  }

  const MarketState& state_;
  TimeMs now_;
};

MaybeRejection RejectKnown(const KnownEvents& known_events, const Input& input) {
  const KnownEvent* known = known_events.Find(input.id);
  if (known == nullptr) return std::nullopt;
  if (known->content == input.content) {
    return Reject(RejectionCode::kDuplicate,
                  absl::StrCat("the same event stands at offset ", known->offset));
  }
  return Reject(RejectionCode::kIdReused,
                absl::StrCat("the event_id was used at offset ", known->offset,
                             " by an event with other content"));
}

}  // namespace

std::optional<Rejection> Reject(const MarketState& state, const KnownEvents& known_events,
                                const Input& input) {
  if (const auto* malformed = std::get_if<Malformed>(&input.event)) {
    return Reject(RejectionCode::kMalformed, malformed->message);
  }
  const Event& event = std::get<Event>(input.event);
  if (const auto problem = CheckForm(event)) {
    return Reject(RejectionCode::kMalformed, Describe(*problem));
  }
  if (auto known = RejectKnown(known_events, input)) return known;
  if (const auto problem = CheckRanges(event)) {
    return Reject(RejectionCode::kOutOfRange, Describe(*problem));
  }
  if (input.append_time_ms && event.time_ms > *input.append_time_ms + kMaxAheadMs) {
    return Reject(
        RejectionCode::kTimeInFuture,
        absl::StrCat("time_ms: ", event.time_ms, ", expected at most ",
                     *input.append_time_ms + kMaxAheadMs, ", 5 minutes after the log received it"));
  }
  return std::visit(Admission(state, state.EffectiveTime(TimeMs(event.time_ms))), event.payload);
}

Credits Withdrawable(const MarketState& state, TeamId team, TimeMs now) {
  Uint128 run_up = 0;
  Uint128 burn = 0;
  for (const Holding& holding : state.teams[team].holdings) {
    run_up = CheckedAdd(run_up, CeilDiv(holding.charge.At(now), ToUint128(kMsPerHour)));
    burn = CheckedAdd(burn, holding.charge.rate());
  }
  const Uint128 cycle =
      CeilDiv(CheckedMul(burn, ToUint128(state.settings.cycle_ms)), ToUint128(kMsPerHour));
  const Uint128 needed = CheckedMul(2, CheckedAdd(run_up, cycle));
  const Uint128 balance = ToUint128(state.BalanceOf(team).value());
  return Credits(balance > needed ? ToInt64(balance - needed) : 0);
}

}  // namespace qmarket
