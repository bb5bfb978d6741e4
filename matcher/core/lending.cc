#include "matcher/core/lending.h"

#include <algorithm>
#include <vector>

namespace qmarket {

namespace {

class Lending {
 public:
  Lending(Standing& standing, ResourceTable& table) : standing_(standing), table_(table) {
    for (const BidId id : table.bids) {
      const StandingBid& bid = standing.bids[id];
      if (bid.opportunistic) continue;
      bids_.push_back({.id = id,
                       .pool = standing.teams[bid.team].pool,
                       .chips = bid.chips,
                       .min_chips = bid.min_chips,
                       .set_aside = false});
    }
  }

  void Run() {
    SetAsideWhatCanNeverFit();
    // Twice: with one round, owners whose gangs need each other's chips would both lend nothing.
    for (int round = 0; round < 2; ++round) {
      Lend();
      SetAside([this](const Cell& cell) { return cell.own + table_.shared_supply; });
    }
    Publish();
  }

 private:
  struct Candidate {
    BidId id;
    PoolId pool;
    Chips chips;
    Chips min_chips;
    bool set_aside = false;
  };

  void SetAsideWhatCanNeverFit() {
    Chips lendable;
    for (std::size_t k = 0; k < table_.cells.size(); ++k) {
      if (Lends(k)) lendable += table_.cells[IdVector<PoolId, Cell>::IdAt(k)].owned;
    }
    // A lending pool's own chips are in `lendable` already.
    for (std::size_t k = 0; k < table_.cells.size(); ++k) {
      Cell& cell = table_.cells[IdVector<PoolId, Cell>::IdAt(k)];
      cell.own = (Lends(k) ? Chips(0) : cell.owned) + lendable;
    }
    SetAside([this](const Cell& cell) { return cell.own + table_.shared; });
  }

  void Lend() {
    for (Cell& cell : table_.cells)
      cell.own = cell.owned;  // less its demand: what it would lend
    for (const Candidate& candidate : bids_) {
      if (!candidate.set_aside) table_.cells[candidate.pool].own -= candidate.chips;
    }
    table_.lent = Chips(0);
    for (std::size_t k = 0; k < table_.cells.size(); ++k) {
      Cell& cell = table_.cells[IdVector<PoolId, Cell>::IdAt(k)];
      cell.lent = Lends(k) ? std::max(Chips(0), cell.own) : Chips(0);
      cell.own = cell.owned - cell.lent;
      table_.lent += cell.lent;
    }
    table_.shared_supply = table_.shared + table_.lent;
  }

  template <typename MostChips>
  void SetAside(MostChips most) {
    for (Candidate& candidate : bids_) {
      candidate.set_aside = candidate.min_chips > most(table_.cells[candidate.pool]);
    }
  }

  void Publish() {
    for (const Candidate& candidate : bids_) {
      StandingBid& bid = standing_.bids[candidate.id];
      if (bid.set_aside == candidate.set_aside) continue;
      bid.set_aside = candidate.set_aside;
      standing_.teams[bid.team].replan = true;
    }
  }

  [[nodiscard]] bool Lends(std::size_t pool) const {
    return standing_.pools[IdVector<PoolId, Cell>::IdAt(pool)].lend_idle;
  }

  Standing& standing_;
  ResourceTable& table_;
  std::vector<Candidate> bids_;
};

}  // namespace

void LendAndSetAside(Standing& standing, ResourceId resource) {
  Lending(standing, standing.resources[resource]).Run();
}

}  // namespace qmarket
