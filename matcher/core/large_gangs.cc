#include "matcher/core/large_gangs.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace qmarket {

namespace {

constexpr std::uint32_t kEnterFactor = 160;
constexpr std::uint32_t kRunningFactor = 100;

// Units of one run that give way.
struct Displaced {
  UnitRun* run = nullptr;
  Cell* cell = nullptr;
  std::int64_t units = 0;

  [[nodiscard]] Chips chips() const { return Chips(units * run->unit_chips.value()); }
};

// What may give way in one pool, and how many chips of it the gang can use.
struct Source {
  Cell* cell = nullptr;
  const ExchangeRate* rate = nullptr;
  std::vector<UnitRun*> runs{};
  Chips usable{};  // all that is displaced in the gang's own pool, else what the pool has bought

  // Filled units of a run with rho_ref below the price.
  [[nodiscard]] std::int64_t UnitsBelow(const UnitRun& run, Price price) const {
    if (run.first_reference < price) return run.filled;
    return std::max<std::int64_t>(0, run.filled - UnitsWorth(run, *rate, price));
  }

  [[nodiscard]] Chips ChipsBelow(Price price) const {
    Chips chips;
    for (const UnitRun* run : runs) {
      chips += Chips(UnitsBelow(*run, price) * run->unit_chips.value());
    }
    return chips;
  }

  [[nodiscard]] Chips FreedBelow(Price price) const { return std::min(usable, ChipsBelow(price)); }
};

class Displacement {
 public:
  Displacement(const Standing& standing, ResourceTable& table, const MarginalRun& gang)
      : standing_(standing), table_(table), gang_(gang) {}

  // Lets the gang take its place, if it can and is worth it.
  void Try() {
    const Chips free = gang_.cell->own_free() + table_.shared_free();
    if (free < gang_.run->unit_chips) {
      CollectSources();
      const Chips needed = gang_.run->unit_chips - free;
      if (!Collect(sources_, needed)) return;
    }
    if (FitsThePrice() && IsWorthIt()) Commit();
  }

 private:
  // All filled units, but not those that the gang's own team puts before it.
  void CollectSources() {
    const TeamId team = standing_.bids[gang_.run->bid].team;
    for (std::size_t k = 0; k < table_.cells.size(); ++k) {
      const PoolId pool = IdVector<PoolId, Cell>::IdAt(k);
      Cell& cell = table_.cells[pool];
      Source source{.cell = &cell, .rate = &standing_.pools[pool].rate};
      for (UnitRun* run : cell.runs) {
        if (run->filled == 0) continue;
        const bool own_team = standing_.bids[run->bid].team == team;
        // A team's runs lie in one vector in its own order.
        if (own_team && run <= gang_.run) continue;
        source.runs.push_back(run);
      }
      source.usable = &cell == gang_.cell ? cell.paid : cell.bought();
      if (!source.runs.empty() && source.usable > Chips(0)) sources_.push_back(std::move(source));
    }
  }

  // Displaces units by rho_ref, lowest first, until `needed` chips are there; false if they never
  // are.
  bool Collect(absl::Span<const Source> sources, Chips needed) {
    const auto freed_below = [sources](Price price) {
      Chips freed;
      for (const Source& source : sources)
        freed += source.FreedBelow(price);
      return freed;
    };
    Price low(0);  // freed_below(low) < needed <= freed_below(high)
    Price high = kMaxReservationPrice + Price(1);
    if (freed_below(high) < needed) return false;
    while (high.value() - low.value() > 1) {
      const Price middle(low.value() + (high.value() - low.value()) / 2);
      (freed_below(middle) < needed ? low : high) = middle;
    }
    std::vector<Source> undecided;
    Chips missing = needed - freed_below(low);
    for (const Source& source : sources) {
      if (source.ChipsBelow(low) >= source.usable) {
        TakeUntilUsedUp(source);
        continue;
      }
      TakeBelow(source, low);
      undecided.push_back(source);
      undecided.back().usable -= source.ChipsBelow(low);
    }
    TakeAt(undecided, low, missing);
    return true;
  }

  // Of a pool that has not bought as many chips as are cheap enough: its lowest units only.
  void TakeUntilUsedUp(const Source& source) {
    Price low(0);
    Price high = kMaxReservationPrice + Price(1);
    while (high.value() - low.value() > 1) {
      const Price middle(low.value() + (high.value() - low.value()) / 2);
      (source.ChipsBelow(middle) < source.usable ? low : high) = middle;
    }
    TakeBelow(source, low);
    std::vector<Source> rest{source};
    rest.front().usable -= source.ChipsBelow(low);
    const Chips missing = rest.front().usable;
    TakeAt(rest, low, missing);
  }

  void TakeBelow(const Source& source, Price price) {
    for (UnitRun* run : source.runs)
      Take(*run, *source.cell, source.UnitsBelow(*run, price));
  }

  // Units of exactly one price: waiting before running, then the later in the log, then the later
  // unit of a bid.
  void TakeAt(std::vector<Source>& sources, Price price, Chips missing) {
    struct Tie {
      UnitRun* run = nullptr;
      Source* source = nullptr;
      std::int64_t units = 0;
    };

    std::vector<Tie> ties;
    for (Source& source : sources) {
      for (UnitRun* run : source.runs) {
        const std::int64_t units =
            source.UnitsBelow(*run, price + Price(1)) - source.UnitsBelow(*run, price);
        if (units > 0) ties.push_back({.run = run, .source = &source, .units = units});
      }
    }
    std::ranges::sort(ties, std::ranges::greater(), [this](const Tie& tie) {
      return std::tuple(!tie.run->running, standing_.bids[tie.run->bid].place,
                        tie.run->bid_chips_before);
    });
    for (const Tie& tie : ties) {
      if (missing <= Chips(0)) return;
      const Chips wanted = std::min(missing, tie.source->usable);
      const std::int64_t size = tie.run->unit_chips.value();
      const std::int64_t units = std::min(tie.units, (wanted.value() + size - 1) / size);
      const Chips freed = std::min(wanted, Chips(units * size));
      Take(*tie.run, *tie.source->cell, units);
      tie.source->usable -= std::min(tie.source->usable, Chips(units * size));
      missing -= freed;
    }
    QM_CHECK(missing <= Chips(0), "the chips that a gang was to take are not there");
  }

  void Take(UnitRun& run, Cell& cell, std::int64_t units) {
    if (units > 0) displaced_.push_back({.run = &run, .cell = &cell, .units = units});
  }

  // The test of §5.2, without the units that give way.
  [[nodiscard]] bool FitsThePrice() const {
    Chips room = RoomAtPrice(table_, *gang_.cell);
    for (const Displaced& item : displaced_) {
      if (item.cell == gang_.cell) room += item.chips();
    }
    return gang_.run->unit_chips <= room;
  }

  [[nodiscard]] bool IsWorthIt() const {
    struct TeamLoss {
      TeamId team;
      Chips chips;
      Price lowest;
    };

    std::vector<TeamLoss> losses;
    for (const Displaced& item : displaced_) {
      const TeamId team = standing_.bids[item.run->bid].team;
      const Price lowest = LowestDisplaced(item);
      const auto found = std::ranges::find(losses, team, &TeamLoss::team);
      if (found == losses.end()) {
        losses.push_back({.team = team, .chips = item.chips(), .lowest = lowest});
      } else {
        found->chips += item.chips();
        found->lowest = std::min(found->lowest, lowest);
      }
    }
    Uint128 lost = 0;
    for (const TeamLoss& loss : losses)
      lost = CheckedAdd(lost, Worth(loss.chips, loss.lowest));
    const std::uint32_t factor = gang_.run->running ? kRunningFactor : kEnterFactor;
    return CheckedMul(100, Worth(gang_.run->unit_chips, gang_.run->first_reference)) >
           CheckedMul(factor, lost);
  }

  // rho_ref of the run's last filled unit: it gives way first.
  [[nodiscard]] Price LowestDisplaced(const Displaced& item) const {
    const PoolId pool = standing_.teams[standing_.bids[item.run->bid].team].pool;
    return standing_.pools[pool].rate.ToReservation(ReservationPrice(*item.run, item.run->filled));
  }

  static Uint128 Worth(Chips chips, Price price) {
    return CheckedMul(ToUint128(chips.value()), ToUint128(price.value()));
  }

  void Commit() {
    for (const Displaced& item : displaced_) {
      item.run->filled -= item.units;
      item.cell->paid -= item.chips();
    }
    gang_.run->filled = 1;
    gang_.cell->paid += gang_.run->unit_chips;
  }

  const Standing& standing_;
  ResourceTable& table_;
  const MarginalRun& gang_;
  std::vector<Source> sources_;
  std::vector<Displaced> displaced_;
};

}  // namespace

void PlaceLargeGangs(const Standing& standing, ResourceTable& table,
                     absl::Span<const MarginalRun> marginal) {
  if (!table.reference) return;
  std::vector<const MarginalRun*> gangs;  // before any of them changes what is filled
  for (const MarginalRun& item : marginal) {
    const bool first_unit = item.run->bid_chips_before == Chips(0);
    const Chips twice(2 * item.run->unit_chips.value());
    if (first_unit && item.run->filled == 0 && twice > item.cell->own + table.shared_supply) {
      gangs.push_back(&item);
    }
  }
  for (const MarginalRun* gang : gangs)
    Displacement(standing, table, *gang).Try();
}

}  // namespace qmarket
