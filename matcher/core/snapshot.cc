#include "matcher/core/snapshot.h"

#include "matcher/core/cycle.h"

namespace qmarket {

namespace {

// One credit is worth one everywhere.
ExchangeRate One() {
  return ExchangeRate(1, 1);
}

StandingBid BidOf(const SnapshotBid& bid, TeamId team, ResourceId resource) {
  StandingBid standing;
  standing.team = team;
  standing.resource = resource;
  standing.chips = Chips(bid.chips);
  standing.min_chips = Chips(bid.min_chips);
  if (bid.limit_price_micros >= 0) standing.limit = Price(bid.limit_price_micros);
  standing.priority = bid.priority;
  standing.opportunistic = bid.opportunistic;
  standing.standby = bid.standby;
  standing.place = bid.order;
  standing.held = Chips(bid.held);
  standing.paid = Chips(bid.paid);
  return standing;
}

Standing StandingOf(const Snapshot& snapshot) {
  Standing standing;
  standing.entry_margin_percent = snapshot.entry_margin_percent;
  const ResourceId resource = standing.resources.Add({});
  ResourceTable& table = standing.resources[resource];
  table.shared = Chips(snapshot.shared);
  table.supply = table.shared;
  for (const SnapshotPool& pool : snapshot.pools) {
    const PoolId pool_id = standing.pools.Add({.rate = One(), .lend_idle = pool.lend_idle});
    Cell cell;
    cell.owned = Chips(pool.owned);
    if (pool.plan_price_micros) cell.planning = Price(*pool.plan_price_micros);
    table.supply += cell.owned;
    table.cells.Add(cell);
    for (const SnapshotTeam& team : pool.teams) {
      TeamQueue queue;
      queue.pool = pool_id;
      queue.enter_cap = ToUint128(team.budget_micros_per_hour);
      queue.keep_cap = ToUint128(team.keep_budget_micros_per_hour);
      const TeamId team_id = standing.teams.Add(queue);
      for (const SnapshotBid& bid : team.bids) {
        const BidId id = standing.bids.Add(BidOf(bid, team_id, resource));
        standing.teams[team_id].bids.push_back(id);
        table.bids.push_back(id);
      }
    }
  }
  return standing;
}

// By its last unit: beyond the paid ones it is unpaid; a paid one is marginal where its reservation
// price is the pool's price.
FilledAs FilledAsOf(const Standing& standing, const StandingBid& bid, BidId id) {
  if (bid.next_held == Chips(0)) return FilledAs::kNothing;
  if (bid.next_held > bid.next_paid) return FilledAs::kUnpaid;
  const Cell& cell = standing.CellOf(bid);
  FilledAs filled = FilledAs::kNothing;
  for (const UnitRun* run : cell.runs) {
    if (run->bid != id || run->filled == 0) continue;
    const bool above =
        One().ToReservation(ReservationPrice(*run, run->filled)) > cell.reference.value();
    filled = above ? FilledAs::kPrice : FilledAs::kMarginal;
  }
  return filled;
}

}  // namespace

ClearedSnapshot Clear(const Snapshot& snapshot) {
  Standing standing = StandingOf(snapshot);
  ClearMarket(standing);
  const ResourceTable& table = *standing.resources.begin();
  ClearedSnapshot cleared;
  cleared.resource = snapshot.resource;
  if (table.reference) cleared.reference_price_micros = table.reference->value();
  cleared.shared_supply = table.shared_supply.value();
  std::uint32_t next_team = 0;
  std::uint32_t next_bid = 0;
  for (std::uint32_t k = 0; k < snapshot.pools.size(); ++k) {
    const Cell& cell = table.cells[PoolId(k)];
    ClearedPool& pool = cleared.pools.emplace_back();
    pool.pool = snapshot.pools[k].pool;
    if (cell.local) pool.price_micros = cell.local->value();
    pool.lent = cell.lent.value();
    for (const SnapshotTeam& from : snapshot.pools[k].teams) {
      ++next_team;
      ClearedTeam& team = pool.teams.emplace_back();
      team.team = from.team;
      for (const SnapshotBid& wanted : from.bids) {
        const BidId id(next_bid++);
        const StandingBid& bid = standing.bids[id];
        ClearedBid& filled = team.bids.emplace_back();
        filled.bid = wanted.bid;
        filled.chips = bid.next_held.value();
        filled.paid = bid.next_paid.value();
        if (bid.in_queue()) filled.reservation_price_micros = bid.reservation.value();
        filled.filled_as = FilledAsOf(standing, bid, id);
        team.quota += filled.chips;
        if (filled.paid > 0) {
          team.spend_micros_per_hour +=
              CheckedMul(ToUint128(filled.paid), ToUint128(cell.local.value().value()));
        }
      }
    }
  }
  return cleared;
}

}  // namespace qmarket
