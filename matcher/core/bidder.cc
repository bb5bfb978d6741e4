#include "matcher/core/bidder.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace qmarket {

namespace {

constexpr std::uint32_t kRunningMargin = 100;

// What the team has planned on one resource so far.
struct Planned {
  ResourceId resource;
  Uint128 price = 1;  // planning price, at least 1
  Chips chips{};      // F
  Uint128 most = 0;   // max of m * F
  Uint128 need = 0;   // price * most
};

// Plans one team after the other, with the same buffers.
class Planner {
 public:
  explicit Planner(Standing& standing)
      : standing_(standing), entering_margin_(kRunningMargin + standing.entry_margin_percent) {}

  void Plan(TeamQueue& team) {
    team_ = &team;
    rate_ = &standing_.pools[team.pool].rate;
    planned_.clear();
    passed_over_.clear();
    total_need_ = 0;
    team.runs.clear();
    SortQueue();
    for (const Queued& queued : queue_)
      WalkBid(queued.bid);
    for (UnitRun& run : passed_over_)
      PriceLast(run);
    for (const UnitRun& run : team.runs) {
      if (run.bid_chips_before == Chips(0)) standing_.bids[run.bid].reservation = run.first;
    }
  }

 private:
  struct Queued {
    std::int64_t falling_priority = 0;
    bool waiting = false;
    std::uint64_t place = 0;
    BidId bid;
  };

  // Priority descending, running bids before the others, then the place in the log (§3.2).
  void SortQueue() {
    queue_.clear();
    for (const BidId id : team_->bids) {
      const StandingBid& bid = standing_.bids[id];
      if (!bid.in_queue()) continue;
      queue_.push_back({.falling_priority = -static_cast<std::int64_t>(bid.priority),
                        .waiting = bid.paid < bid.min_chips,
                        .place = bid.place,
                        .bid = id});
    }
    const auto order = [](const Queued& queued) {
      return std::tie(queued.falling_priority, queued.waiting, queued.place);
    };
    if (std::ranges::is_sorted(queue_, {}, order)) return;
    std::ranges::sort(queue_, {}, order);
    KeepOrder();
  }

  // The next cycle finds the bids as they were sorted, which mostly is the order then, too.
  void KeepOrder() {
    std::vector<BidId>& bids = team_->bids;
    const auto apart = std::stable_partition(
        bids.begin(), bids.end(), [this](BidId id) { return standing_.bids[id].in_queue(); });
    QM_CHECK(static_cast<std::size_t>(apart - bids.begin()) == queue_.size(), "a queue lost a bid");
    std::ranges::transform(queue_, bids.begin(), &Queued::bid);
  }

  Planned& PlannedOn(ResourceId resource) {
    const auto found = std::ranges::find(planned_, resource, &Planned::resource);
    if (found != planned_.end()) return *found;
    const std::optional<Price> price = standing_.resources[resource].cells[team_->pool].planning;
    const std::int64_t ticks = price ? std::max<std::int64_t>(price->value(), 1) : 1;
    return planned_.emplace_back(Planned{.resource = resource, .price = ToUint128(ticks)});
  }

  // Splits a bid into its block, its running single chips and its waiting ones (§3, Units).
  void WalkBid(BidId id) {
    const StandingBid& bid = standing_.bids[id];
    const bool block_runs = bid.paid >= bid.min_chips;
    const Chips running = block_runs ? bid.paid : bid.min_chips;  // where the waiting chips start
    bool passed = false;
    UnitRun run{.bid = id,
                .resource = bid.resource,
                .running = block_runs,
                .units = 1,
                .unit_chips = bid.min_chips,
                .cap = std::min(bid.limit.value_or(kMaxReservationPrice), kMaxReservationPrice)};
    WalkRun(run, passed);
    run.unit_chips = Chips(1);
    run.bid_chips_before = bid.min_chips;
    run.units = (running - bid.min_chips).value();
    run.running = true;
    WalkRun(run, passed);
    run.bid_chips_before = running;
    run.units = (bid.chips - running).value();
    run.running = false;
    WalkRun(run, passed);
  }

  // Plans as many units of the run as can be; the rest of the bid is passed over (§3.3).
  void WalkRun(UnitRun run, bool& passed) {
    if (run.units == 0) return;
    run.margin = run.running ? kRunningMargin : entering_margin_;
    const std::int64_t planned = passed ? 0 : PlanUnits(run);
    if (planned == run.units) return;
    passed = true;
    run.bid_chips_before += Chips(planned * run.unit_chips.value());
    run.units -= planned;
    run.planned = false;
    passed_over_.push_back(run);
  }

  std::int64_t PlanUnits(const UnitRun& run) {
    Planned& planned = PlannedOn(run.resource);
    const std::optional<Price> limit = standing_.bids[run.bid].limit;
    if (limit && ToUint128(limit->value()) < planned.price) return 0;
    const Uint128 budget = HundredCaps(run);
    const Uint128 others = total_need_ - planned.need;
    if (others > budget) return 0;
    const Uint128 most = FloorDiv(budget - others, planned.price);
    if (planned.most > most) return 0;
    const Uint128 before = ToUint128(planned.chips.value());
    const Uint128 affordable = FloorDiv(most, run.margin);
    if (affordable <= before) return 0;
    const std::int64_t units = ToInt64(
        std::min((affordable - before) / ToUint128(run.unit_chips.value()), ToUint128(run.units)));
    if (units == 0) return 0;
    UnitRun taken = run;
    taken.planned = true;
    taken.units = units;
    taken.team_chips_before = planned.chips;
    taken.purchasing_power = budget - others;
    planned.chips += taken.chips();
    planned.most = std::max(planned.most, CheckedMul(run.margin, ToUint128(planned.chips.value())));
    planned.need = CheckedMul(planned.price, planned.most);
    total_need_ = CheckedAdd(others, planned.need);
    SetPrices(taken, *rate_);
    team_->runs.push_back(taken);
    return units;
  }

  // A passed-over run comes after the whole plan (§3.4).
  void PriceLast(UnitRun& run) {
    Planned& planned = PlannedOn(run.resource);
    const Uint128 budget = HundredCaps(run);
    const Uint128 others = total_need_ - planned.need;
    run.purchasing_power = budget > others ? budget - others : 0;
    run.team_chips_before = planned.chips;
    planned.chips += run.chips();
    SetPrices(run, *rate_);
    team_->runs.push_back(run);
  }

  [[nodiscard]] Uint128 HundredCaps(const UnitRun& run) const {
    return CheckedMul(100, run.running ? team_->keep_cap : team_->enter_cap);
  }

  Standing& standing_;
  TeamQueue* team_ = nullptr;
  const ExchangeRate* rate_ = nullptr;
  std::uint32_t entering_margin_;
  std::vector<Queued> queue_;
  std::vector<Planned> planned_;
  Uint128 total_need_ = 0;
  std::vector<UnitRun> passed_over_;
};

}  // namespace

BurnCaps CapsOf(Credits income_per_hour, Credits balance, std::uint32_t leverage_percent,
                DurationMs min_affordable, DurationMs keep_affordable) {
  const Uint128 income = ToUint128(income_per_hour.value());
  const Uint128 worth = CheckedMul(ToUint128(balance.value()), ToUint128(kMsPerHour));
  BurnCaps caps{.enter = income + FloorDiv(worth, ToUint128(min_affordable.value())),
                .keep = income + FloorDiv(worth, ToUint128(keep_affordable.value()))};
  if (leverage_percent != 0) {
    const Uint128 most = FloorDiv(CheckedMul(income, leverage_percent), 100);
    caps.enter = std::min(caps.enter, most);
    caps.keep = std::min(caps.keep, most);
  }
  return caps;
}

void PlanTeams(Standing& standing) {
  Planner planner(standing);
  for (TeamQueue& team : standing.teams) {
    if (!team.replan) continue;
    standing.MarkForClearing(team);  // where it stood before
    planner.Plan(team);
    standing.MarkForClearing(team);
    team.replan = false;
  }
}

}  // namespace qmarket
