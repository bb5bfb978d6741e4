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

// What is left of a resource beyond the paid chips.
class Leftovers {
 public:
  Leftovers(const Standing& standing, const ResourceTable& table) : common_(table.shared_free()) {
    for (std::size_t k = 0; k < table.cells.size(); ++k) {
      const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
      const Chips own = table.cells[pool].own_free();
      const bool lends = standing.pools[pool].lend_idle;
      (lends ? common_ : total_reserved_) += own;
      reserved_.Add(lends ? Chips(0) : own);
    }
  }

  [[nodiscard]] bool empty() const { return common_ + total_reserved_ == Chips(0); }

  [[nodiscard]] Chips ForPool(PoolId pool) const { return common_ + reserved_[pool]; }

  // Chips that only the pool may have go first.
  void Take(PoolId pool, Chips chips) {
    const Chips own = std::min(chips, reserved_[pool]);
    reserved_[pool] -= own;
    total_reserved_ -= own;
    common_ -= chips - own;
  }

 private:
  Chips common_;                        // everybody's: shared, and own chips of lending pools
  IdVector<PoolId, Chips> reserved_{};  // only for their own pool, which does not lend
  Chips total_reserved_{};
};

struct Candidate {
  bool has_no_power = false;
  bool held_none = false;
  std::int64_t falling_price = 0;
  std::uint64_t place = 0;
  BidId bid;
};

// Those that could take what is left: standby bids with purchasing power first; then those that
// held chips; then by price; then log order.
std::vector<Candidate> InTurn(const Standing& standing, const ResourceTable& table,
                              const Leftovers& left) {
  std::vector<Candidate> candidates;
  for (const BidId id : table.bids) {
    const StandingBid& bid = standing.bids[id];
    if (!MayTakeUnpaid(bid)) continue;
    const TeamQueue& team = standing.teams[bid.team];
    if (std::max(bid.min_chips - bid.next_paid, Chips(1)) > left.ForPool(team.pool)) continue;
    const bool has_power =
        !bid.opportunistic && team.enter_cap > 0 && standing.pools[team.pool].rate.exists();
    const Price price = bid.in_queue() ? bid.first_unfilled.value_or(Price(0)) : Price(0);
    candidates.push_back({.has_no_power = !has_power,
                          .held_none = bid.held == Chips(0),
                          .falling_price = -price.value(),
                          .place = bid.place,
                          .bid = id});
  }
  std::ranges::sort(candidates, {}, [](const Candidate& candidate) {
    return std::tie(candidate.has_no_power, candidate.held_none, candidate.falling_price,
                    candidate.place);
  });
  return candidates;
}

}  // namespace

void GiveUnpaidChips(Standing& standing, ResourceId resource) {
  ResourceTable& table = standing.resources[resource];
  CountPaid(standing, table);
  for (Cell& cell : table.cells)
    cell.unpaid = Chips(0);
  Leftovers left(standing, table);
  if (left.empty()) return;
  for (const Candidate& candidate : InTurn(standing, table, left)) {
    StandingBid& bid = standing.bids[candidate.bid];
    const PoolId pool = standing.teams[bid.team].pool;
    const Chips taken = std::min(bid.chips - bid.next_paid, left.ForPool(pool));
    if (taken == Chips(0) || bid.next_paid + taken < bid.min_chips) continue;
    bid.next_held = bid.next_paid + taken;
    table.cells[pool].unpaid += taken;
    left.Take(pool, taken);
    if (left.empty()) return;
  }
}

}  // namespace qmarket
