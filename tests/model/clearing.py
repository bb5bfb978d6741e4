"""One cycle over any number of resources (mechanism sections 3 to 5).

`clear` runs the sections in their order; section 4 (lending, setting aside, prices) is here,
section 3 in bidder.py and section 5 in filling.py.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from bidder import reserve
from filling import Shelf, budget_check, fill, hand_out
from parts import Bid, Pool, Team, Unit, link


@dataclass
class Cleared:
    """What a cycle found for one resource."""

    reference_price: int | None
    shared_supply: int  # Z'
    owned: dict[str, int]  # s_k, by pool
    lent: dict[str, int]  # L_k
    x: dict[str, int | None]  # pool prices in reference credits
    price: dict[str, int | None]  # local prices
    coverage: Counter[str] = field(default_factory=Counter)


class Demand:
    """D_k: how many chips of a pool's units have rho_ref >= x (section 4)."""

    def __init__(self, units: list[Unit]) -> None:
        ordered = sorted((unit.rho_ref, unit.chips) for unit in units)
        self.prices = [rho for rho, _ in ordered]
        self.at_least = [0] * (len(ordered) + 1)
        for i in reversed(range(len(ordered))):
            self.at_least[i] = self.at_least[i + 1] + ordered[i][1]
        self.highest = self.prices[-1] if ordered else 0

    def __call__(self, x: int) -> int:
        return self.at_least[bisect_left(self.prices, x)]


def lowest(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The lowest tick in [low, high] for which a condition holds that stays true once it is."""
    assert holds(high)
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def lend_and_set_aside(
    shared: int, owned: dict[str, int], pools: list[Pool], bids: list[Bid]
) -> tuple[dict[str, int], int]:
    """Section 4, first part: marks the bids that are set aside, returns L and Z'."""
    bids = [bid for bid in bids if not bid.opportunistic]
    lenders = {pool.name for pool in pools if pool.lend_idle}
    for bid in bids:
        own = bid.team.pool.name
        others = sum(owned[k] for k in lenders if k != own)
        bid.set_aside = bid.min_chips > owned[own] + shared + others
    lent: dict[str, int] = {}
    total = 0
    for _ in range(2):
        for pool in pools:
            wanted = sum(
                bid.chips for bid in bids if bid.team.pool is pool and not bid.set_aside
            )
            idle = max(0, owned[pool.name] - wanted)
            lent[pool.name] = idle if pool.lend_idle else 0
        total = shared + sum(lent.values())
        for bid in bids:
            own = bid.team.pool.name
            bid.set_aside = bid.min_chips > owned[own] - lent[own] + total
    return lent, total


def pool_price(demand: Demand, own: int, p: int) -> int:
    """x_k(p): the lowest tick in [0, p] at which the pool's purchase pays for itself."""
    if own == 0:
        return p
    # From the highest rho_ref on nothing is bought, so the condition holds there.
    high = min(p, demand.highest)
    return lowest(0, high, lambda x: demand(x + 1) * (p - x) <= own * p)


def find_prices(
    demands: dict[str, Demand], own: dict[str, int], supply: int
) -> tuple[int | None, dict[str, int | None]]:
    """The reference price, and each pool's price in reference credits (section 4)."""
    if supply == 0:
        x: dict[str, int | None] = {}
        for k, demand in demands.items():
            x[k] = None
            if own[k] > 0:
                x[k] = lowest(0, demand.highest, lambda t: demand(t + 1) <= own[k])
        return None, x

    def bought(p: int) -> int:
        total = 0
        for k, demand in demands.items():
            total += max(0, demand(pool_price(demand, own[k], p) + 1) - own[k])
        return total

    ceiling = (max(own.values(), default=0) + 1) * max(
        (demand.highest for demand in demands.values()), default=0
    )
    p = lowest(0, ceiling, lambda t: bought(t) <= supply)
    return p, {k: pool_price(demand, own[k], p) for k, demand in demands.items()}


def clear(
    pools: list[Pool],
    shared: dict[str, int],
    owned: dict[str, dict[str, int]],
    entry_margin_percent: int,
) -> dict[str, Cleared]:
    """Runs one cycle. `shared` and `owned` name every resource; what bids got is left in them."""
    link(pools)
    teams = [team for pool in pools for team in pool.teams]
    bids_of: dict[str, list[Bid]] = {resource: [] for resource in shared}
    for team in teams:
        for bid in team.bids:
            bids_of[bid.resource].append(bid)

    results: dict[str, Cleared] = {}
    for resource, bids in bids_of.items():
        own = {pool.name: owned[resource].get(pool.name, 0) for pool in pools}
        lent, total = lend_and_set_aside(shared[resource], own, pools, bids)
        results[resource] = Cleared(None, total, own, lent, {}, {})

    order_of: dict[Team, list[Unit]] = {t: reserve(t, entry_margin_percent) for t in teams}

    shelves: dict[str, Shelf] = {}
    for resource, result in results.items():
        units = [unit for bid in bids_of[resource] for unit in bid.units]
        by_pool: dict[str, list[Unit]] = {pool.name: [] for pool in pools}
        for unit in units:
            by_pool[unit.bid.team.pool.name].append(unit)
        demands = {k: Demand(own_units) for k, own_units in by_pool.items()}
        unlent = {k: result.owned[k] - result.lent[k] for k in by_pool}
        p, x = find_prices(demands, unlent, result.shared_supply)
        result.reference_price, result.x = p, x
        result.price = {pool.name: pool.to_local(x[pool.name]) for pool in pools}
        shelves[resource] = Shelf(p, x, unlent, result.shared_supply, pools, result.coverage)
        fill(shelves[resource], units)

    for team in teams:
        local = {r: results[r].price[team.pool.name] for r in results}
        budget_check(team, order_of[team], local, shelves)

    for resource, result in results.items():
        hand_out(shelves[resource], bids_of[resource])
        check(resource, result, shelves[resource], pools, bids_of[resource])
        count_coverage(result, bids_of[resource], pools)
    return results


def check(
    resource: str, result: Cleared, shelf: Shelf, pools: list[Pool], bids: list[Bid]
) -> None:
    """The sentences "Never" and "Always" of section 5, and what makes a price the lowest."""
    p, supply = result.reference_price, result.shared_supply
    everything = supply + sum(shelf.own.values())
    assert sum(bid.chips_after for bid in bids) <= everything, resource
    assert shelf.sold() <= supply
    for pool in pools:
        k = pool.name
        own_bids = [bid for bid in bids if bid.team.pool is pool]
        n = sum(bid.paid_after for bid in own_bids)
        assert n == shelf.paid[k]
        outside = everything - sum(
            shelf.own[q.name] for q in pools if not q.lend_idle and q is not pool
        )
        assert sum(bid.chips_after for bid in own_bids) <= outside
        x = result.x[k]
        if p is not None:
            assert n * (p - x) <= shelf.own[k] * p, "a purchase that the pool does not pay for"
        else:
            assert n <= shelf.own[k]
        for bid in own_bids:
            filled = [unit for unit in bid.units if unit.filled]
            assert filled == bid.units[: len(filled)], "a unit filled before its predecessor"
            assert bid.chips_after == 0 or bid.min_chips <= bid.chips_after <= bid.chips
            for unit in filled:
                assert x is not None and unit.rho_ref >= x
                assert result.price[k] is not None and result.price[k] <= unit.rho
                assert bid.limit is None or result.price[k] <= bid.limit
            if bid.opportunistic or bid.standby:
                could = min(bid.chips - bid.chips_after, shelf.left_for(pool))
                assert could == 0 or bid.chips_after + could < bid.min_chips, "an idle chip"


def count_coverage(result: Cleared, bids: list[Bid], pools: list[Pool]) -> None:
    """Which rules this market reached, for the summary of compare.py."""
    seen = result.coverage
    p = result.reference_price
    seen["reference_null"] += p is None
    seen["reference_zero"] += p == 0
    seen["reference_positive"] += p is not None and p > 0
    seen["lending"] += any(result.lent.values())
    seen["set_aside_bids"] += sum(bid.set_aside for bid in bids)
    seen["opportunistic_fills"] += sum(b.opportunistic and b.unpaid_after > 0 for b in bids)
    seen["unpaid_fills"] += sum(b.unpaid_after > 0 and not b.opportunistic for b in bids)
    seen["part_unpaid_fills"] += sum(b.unpaid_after > 0 and b.paid_after > 0 for b in bids)
    seen["set_aside_unpaid_fills"] += sum(b.set_aside and b.unpaid_after > 0 for b in bids)
    seen["elastic_part_fills"] += sum(0 < bid.paid_after < bid.chips for bid in bids)
    for pool in pools:
        x = result.x[pool.name]
        seen["pool_price_null"] += x is None
        seen["local_price_null_by_rate"] += x is not None and x > 0 and pool.rate is None
        seen["local_price_null_by_size"] += x is not None and x > 10**12
        seen["pool_price_zero_under_p"] += x == 0 and p is not None and p > 0
        seen["pool_price_blended"] += x is not None and p is not None and 0 < x < p
        seen["own_chips_only_price"] += p is None and x is not None and x > 0
