#include "matcher/core/unpaid.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace qmarket {

namespace {

// What the filled units of its runs make of each bid.
void CountPaid(Standing& standing, ResourceTable& table) {
  for (const BidId id : table.bids) {
    StandingBid& bid = standing.bids[id];
    bid.next_paid = Chips(0);
    bid.first_unfilled.reset();
  }
  for (std::size_t k = 0; k < table.cells.size(); ++k) {
    const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
    for (const UnitRun* run : table.cells[pool].runs) {
      StandingBid& bid = standing.bids[run->bid];
      bid.next_paid += run->filled_chips();
      if (run->filled == run->units || bid.first_unfilled) continue;
      bid.first_unfilled =
          run->filled == 0
              ? run->first_reference
              : standing.pools[pool].rate.ToReservation(ReservationPrice(*run, run->filled + 1));
    }
  }
  for (const BidId id : table.bids)
    standing.bids[id].next_held = standing.bids[id].next_paid;
}

bool MayTakeUnpaid(const StandingBid& bid) {
  return bid.opportunistic || (bid.standby && bid.next_paid < bid.chips);
}

// Standby bids with purchasing power first; then those that held chips; then by price; then log
// order.
std::vector<BidId> InTurn(const Standing& standing, const ResourceTable& table) {
  std::vector<BidId> bids;
  for (const BidId id : table.bids) {
    if (MayTakeUnpaid(standing.bids[id])) bids.push_back(id);
  }
  std::ranges::sort(bids, {}, [&standing](BidId id) {
    const StandingBid& bid = standing.bids[id];
    const TeamQueue& team = standing.teams[bid.team];
    const bool has_power =
        !bid.opportunistic && team.enter_cap > 0 && standing.pools[team.pool].rate.exists();
    const Price price = bid.in_queue() ? bid.first_unfilled.value_or(Price(0)) : Price(0);
    return std::tuple(!has_power, bid.held == Chips(0), -price.value(), bid.place);
  });
  return bids;
}

}  // namespace

void GiveUnpaidChips(Standing& standing, ResourceId resource) {
  ResourceTable& table = standing.resources[resource];
  CountPaid(standing, table);
  Chips common = table.shared_free();  // everybody's: shared, and own chips of lending pools
  Chips reserved;                      // only for their own pools
  for (std::size_t k = 0; k < table.cells.size(); ++k) {
    const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
    Cell& cell = table.cells[pool];
    cell.unpaid = Chips(0);
    (standing.pools[pool].lend_idle ? common : reserved) += cell.own_free();
  }
  if (common + reserved == Chips(0)) return;
  for (const BidId id : InTurn(standing, table)) {
    StandingBid& bid = standing.bids[id];
    Cell& cell = standing.CellOf(bid);
    const bool lends = standing.pools[standing.teams[bid.team].pool].lend_idle;
    // Unpaid chips of a pool that does not lend come out of its own free ones first.
    Chips own_left = lends ? Chips(0) : std::max(Chips(0), cell.own_free() - cell.unpaid);
    const Chips taken = std::min(bid.chips - bid.next_paid, common + own_left);
    if (taken == Chips(0) || bid.next_paid + taken < bid.min_chips) continue;
    bid.next_held = bid.next_paid + taken;
    cell.unpaid += taken;
    common -= taken - std::min(taken, own_left);
  }
}

}  // namespace qmarket
