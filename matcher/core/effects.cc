#include "matcher/core/effects.h"

#include <algorithm>
#include <variant>

#include "matcher/core/admission.h"
#include "matcher/core/fills.h"
#include "matcher/core/posting.h"
#include "matcher/core/tick.h"

namespace qmarket {

namespace {

class Effects {
 public:
  Effects(MarketState& state, std::uint64_t offset, TimeMs now)
      : state_(state), offset_(offset), now_(now) {}

  void operator()(const PoolConfigured& event) const {
    const auto known = state_.pool_names.Find(event.pool);
    Pool& pool = state_.pools[known ? *known : AddPool(event.pool)];
    pool.stated_weight = Credits(event.market_weight_micros_per_hour);
    pool.stated_lend_idle = event.lend_idle;
    state_.stated_changed = true;
  }

  void operator()(const TeamConfigured& event) const {
    const auto known = state_.team_names.Find(event.team);
    Team& team = state_.teams[known ? *known : AddTeam(event.team, event.pool)];
    const Credits income(event.income_micros_per_hour);
    state_.pools[team.pool].stated_incomes += income - team.stated_income;
    team.stated_income = income;
    team.stated_leverage_percent = event.income_leverage_percent;
    state_.stated_changed = true;
  }

  void operator()(const BudgetGranted& event) const {
    const TeamId team = *state_.team_names.Find(event.team);
    if (event.amount_micros > 0) {
      MintFor(state_, PostingKind::kGrant, team, Credits(event.amount_micros), now_);
      return;
    }
    const Credits asked(-event.amount_micros);
    TakeBackFrom(state_, team, std::min(asked, Withdrawable(state_, team, now_)), now_);
  }

  void operator()(const CreditsTransferred& event) const {
    Transfer(state_, *state_.team_names.Find(event.from_team),
             *state_.team_names.Find(event.to_team), Credits(event.amount_micros), now_);
  }

  void operator()(const SupplyChanged& event) const {
    Resource& resource = state_.resources[state_.ResourceNamed(event.resource)];
    if (event.owner.empty()) {
      resource.stated_shared = Chips(event.chips);
    } else {
      resource.stated_owned[*state_.pool_names.Find(event.owner)] = Chips(event.chips);
    }
    state_.stated_changed = true;
  }

  void operator()(const BidPlaced& event) const {
    StandingBid bid;
    bid.team = *state_.team_names.Find(event.team);
    bid.resource = state_.ResourceNamed(event.resource);
    bid.chips = Chips(event.chips);
    bid.min_chips = event.min_chips == 0 ? bid.chips : Chips(event.min_chips);
    bid.limit = LimitOf(event.limit_price_micros);
    bid.priority = event.priority;
    bid.opportunistic = event.opportunistic;
    bid.standby = event.standby;
    bid.place = offset_;
    const BidId id = state_.bid_names.Add(event.bid);
    state_.bid_offsets.Add(offset_);
    state_.standing.teams[bid.team].bids.push_back(id);
    state_.standing.resources[bid.resource].bids.push_back(id);
    state_.standing.bids.Add(bid);
    QueueChanged(bid);
  }

  void operator()(const BidAmended& event) const {
    const BidId id = *state_.bid_names.Find(event.bid);
    StandingBid& bid = state_.standing.bids[id];
    const Chips chips = event.chips ? Chips(*event.chips) : bid.chips;
    if (event.min_chips) {
      bid.min_chips = Chips(*event.min_chips);
    } else {
      bid.min_chips = bid.min_chips == bid.chips ? chips : std::min(bid.min_chips, chips);
    }
    if (chips > bid.chips) bid.place = offset_;
    bid.chips = chips;
    if (event.limit_price_micros) bid.limit = LimitOf(*event.limit_price_micros);
    if (event.priority) bid.priority = *event.priority;
    if (event.standby) bid.standby = *event.standby;
    QueueChanged(bid);
    SetFill(state_, id, std::min(bid.held, chips), std::min(bid.paid, chips), now_);
  }

  void operator()(const BidWithdrawn& event) const {
    const BidId id = *state_.bid_names.Find(event.bid);
    StandingBid& bid = state_.standing.bids[id];
    SetFill(state_, id, Chips(0), Chips(0), now_);
    bid.ended = true;
    state_.ended_bids.push_back(id);
    std::erase(state_.standing.teams[bid.team].bids, id);
    std::erase(state_.standing.resources[bid.resource].bids, id);
    QueueChanged(bid);
  }

  void operator()(const ChipsPreempted& event) const {
    const BidId id = *state_.bid_names.Find(event.bid);
    const StandingBid& bid = state_.standing.bids[id];
    const Chips before = bid.held;
    Chips left = std::max(Chips(0), before - Chips(event.chips));
    if (left < bid.min_chips) left = Chips(0);
    SetFill(state_, id, left, std::min(bid.paid, left), now_);
    QueueChanged(bid);
    state_.step.outcomes.emplace_back(BidPreempted{.bid = event.bid,
                                                   .team = state_.team_names[bid.team],
                                                   .resource = state_.resource_names[bid.resource],
                                                   .lost = (before - left).value(),
                                                   .chips = left.value(),
                                                   .reason = event.reason,
                                                   .time_ms = now_.value()});
  }

  void operator()(const UsageReported&) const {}

  void operator()(const MarketConfigured& event) const {
    state_.stated_settings = event;
    state_.stated_changed = true;
  }

  void operator()(const ClockTicked&) const { Tick(state_, now_); }

 private:
  static std::optional<Price> LimitOf(std::int64_t ticks) {
    return ticks < 0 ? std::nullopt : std::optional(Price(ticks));
  }

  void QueueChanged(const StandingBid& bid) const {
    state_.standing.teams[bid.team].replan = true;
    state_.standing.resources[bid.resource].reconsider = true;
  }

  [[nodiscard]] PoolId AddPool(const std::string& name) const {
    const PoolId id = state_.pool_names.Add(name);
    const CurrencyId currency = state_.book.AddCurrency(name);
    Pool pool{.currency = currency,
              .mint = state_.book.Open(AccountName("mint", name), currency, Floor::kNone),
              .purse = state_.book.Open(AccountName("purse", name), state_.reference_currency,
                                        Floor::kZero),
              .stated_weight = Credits(0),
              .weight = Credits(0),
              .inflow = Accrual(now_),
              .stated_incomes = Credits(0),
              .incomes = Credits(0),
              .balances = Credits(0),
              .teams = {},
              .resources = {}};
    for (std::size_t r = 0; r < state_.resources.size(); ++r) {
      const ResourceId resource = IdVector<ResourceId, Resource>::IdAt(r);
      pool.resources.Add(
          PoolResource{.paid = Chips(0), .spent = std::nullopt, .outflow = Accrual(now_)});
      state_.resources[resource].stated_owned.Add(Chips(0));
      state_.standing.resources[resource].cells.Add(Cell{});
      state_.standing.resources[resource].reclear = true;
    }
    state_.pools.Add(std::move(pool));
    state_.standing.pools.Add(PoolTerms{});
    return id;
  }

  [[nodiscard]] TeamId AddTeam(const std::string& name, const std::string& pool_name) const {
    const PoolId pool = *state_.pool_names.Find(pool_name);
    const TeamId id = state_.team_names.Add(name);
    state_.teams.Add(Team{.pool = pool,
                          .account = state_.book.Open(AccountName("team", name),
                                                      state_.pools[pool].currency, Floor::kZero),
                          .stated_income = Credits(0),
                          .income = Credits(0),
                          .accrued_income = Accrual(now_),
                          .holdings = {}});
    TeamQueue queue;
    queue.pool = pool;
    state_.standing.teams.Add(std::move(queue));
    state_.pools[pool].teams.push_back(id);
    return id;
  }

  MarketState& state_;
  std::uint64_t offset_;
  TimeMs now_;
};

}  // namespace

void Take(MarketState& state, const Event& event, std::uint64_t offset, TimeMs now) {
  std::visit(Effects(state, offset, now), event.payload);
}

}  // namespace qmarket
