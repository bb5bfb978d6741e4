"""Filling: who gets the chips at the prices found (mechanism section 5)."""

from __future__ import annotations

from collections import Counter

from parts import Bid, Pool, Team, Unit


class Shelf:
    """The chips of one resource while they are handed out.

    A pool's paid chips use its own unlent ones first; it buys what they exceed those by.
    """

    def __init__(
        self,
        p: int | None,
        x: dict[str, int | None],
        own: dict[str, int],
        supply: int,
        pools: list[Pool],
        coverage: Counter[str],
    ) -> None:
        self.p = p
        self.x = x
        self.own = own  # o_k
        self.supply = supply  # Z'
        self.pools = pools
        self.coverage = coverage
        self.paid = {k: 0 for k in own}  # n_k
        self.unpaid_own = {k: 0 for k in own}  # unpaid chips taken from a pool's unlent ones
        self.unpaid_shared = 0

    def bought(self, k: str) -> int:
        return max(0, self.paid[k] - self.own[k])

    def sold(self) -> int:
        return sum(self.bought(k) for k in self.own)

    def chips_are_there(self, k: str, chips: int) -> bool:
        more = max(0, self.paid[k] + chips - self.own[k]) - self.bought(k)
        return self.sold() + more <= self.supply

    def price_test(self, k: str, chips: int) -> bool:
        """The price test of step 2, for `chips` more of pool k."""
        n = self.paid[k] + chips
        if self.p is None:
            return n <= self.own[k]
        if self.x[k] < self.p:
            return n * (self.p - self.x[k]) <= self.own[k] * self.p
        return True

    def put(self, unit: Unit, kind: str) -> None:
        unit.filled = kind
        self.paid[unit.bid.team.pool.name] += unit.chips

    def take_back(self, unit: Unit) -> None:
        unit.filled = None
        self.paid[unit.bid.team.pool.name] -= unit.chips

    def own_left(self, k: str) -> int:
        """Unlent own chips of a pool that nothing uses."""
        return self.own[k] - min(self.own[k], self.paid[k]) - self.unpaid_own[k]

    def shared_left(self) -> int:
        return self.supply - self.sold() - self.unpaid_shared

    def lenders_left(self, pool: Pool) -> int:
        return sum(self.own_left(q.name) for q in self.pools if q.lend_idle and q is not pool)

    def left_for(self, pool: Pool) -> int:
        """All chips that an unpaid bid of this pool could take (step 5)."""
        return self.own_left(pool.name) + self.shared_left() + self.lenders_left(pool)


def price_time(unit: Unit) -> tuple[bool, int, int]:
    """The order of step 2: running ones, then log order."""
    return (not unit.running, unit.bid.order, unit.index)


def fill(shelf: Shelf, units: list[Unit]) -> None:
    """Steps 1 to 3 for one resource."""
    marginal = []
    for unit in units:
        x = shelf.x[unit.bid.team.pool.name]
        if x is None:
            continue
        if unit.rho_ref > x:
            shelf.put(unit, "price")
        elif unit.rho_ref == x:
            marginal.append(unit)
    marginal.sort(key=price_time)

    passed: list[Unit] = []
    for unit in marginal:
        k = unit.bid.team.pool.name
        if unit.index > 0 and not unit.bid.units[unit.index - 1].filled:
            passed.append(unit)
        elif shelf.chips_are_there(k, unit.chips) and shelf.price_test(k, unit.chips):
            shelf.put(unit, "marginal")
        else:
            shelf.coverage["price_test_refusals"] += shelf.chips_are_there(k, unit.chips)
            passed.append(unit)
    shelf.coverage["margin_ties"] += 0 < len(passed) < len(marginal)

    if shelf.p is None:
        return
    for gang in passed:
        k = gang.bid.team.pool.name
        if gang.index == 0 and 2 * gang.chips > shelf.own[k] + shelf.supply:
            large_gang(shelf, gang, units)


def large_gang(shelf: Shelf, gang: Unit, units: list[Unit]) -> None:
    """Step 3: lets a large gang take the place of filled units, or changes nothing."""
    k = gang.bid.team.pool.name
    shelf.coverage["large_gangs_tried"] += 1
    candidates = [
        unit
        for unit in units
        if unit.filled and not (unit.bid.team is gang.bid.team and unit.rank < gang.rank)
    ]
    candidates.sort(key=lambda u: (u.rho_ref, u.running, -u.bid.order, -u.index))
    displaced: list[tuple[Unit, str]] = []
    for unit in candidates:
        if shelf.chips_are_there(k, gang.chips):
            break
        j = unit.bid.team.pool.name
        if j != k and shelf.bought(j) == 0:
            shelf.coverage["left_alone"] += 1
            continue
        displaced.append((unit, unit.filled))
        shelf.take_back(unit)

    chips: Counter[Team] = Counter()
    cheapest: dict[Team, int] = {}
    for unit, _ in displaced:
        team = unit.bid.team
        chips[team] += unit.chips
        cheapest[team] = min(cheapest.get(team, unit.rho_ref), unit.rho_ref)
    worth = sum(chips[team] * cheapest[team] for team in chips)
    factor = 100 if gang.running else 160
    if (
        shelf.chips_are_there(k, gang.chips)
        and shelf.price_test(k, gang.chips)
        and 100 * gang.chips * gang.rho_ref > factor * worth
    ):
        shelf.put(gang, "marginal")
        shelf.coverage["large_gangs_filled"] += 1
        shelf.coverage["large_gangs_filled_running"] += gang.running
        shelf.coverage["displaced_units"] += len(displaced)
        shelf.coverage["displaced_of_other_pools"] += any(
            unit.bid.team.pool.name != k for unit, _ in displaced
        )
    else:
        for unit, kind in displaced:
            shelf.put(unit, kind)


def budget_check(
    team: Team, order: list[Unit], price: dict[str, int | None], shelves: dict[str, Shelf]
) -> None:
    """Step 4: what a team cannot pay it gives up, from the end of its order."""

    def cost() -> int:
        return sum(u.chips * price[u.bid.resource] for u in order if u.filled)

    def is_last_filled(unit: Unit) -> bool:
        return not any(later.filled for later in unit.bid.units[unit.index + 1 :])

    while cost() > team.beta_keep:
        unit = next(
            u
            for u in reversed(order)
            if u.filled and price[u.bid.resource] > 0 and is_last_filled(u)
        )
        shelf = shelves[unit.bid.resource]
        shelf.take_back(unit)
        shelf.coverage["budget_give_ups"] += 1
    assert cost() <= team.beta_keep


def hand_out(shelf: Shelf, bids: list[Bid]) -> None:
    """Step 5: unpaid chips, to opportunistic bids and to those on standby."""
    def next_rho(bid: Bid) -> int:
        for unit in bid.units:
            if not unit.filled:
                return unit.rho_ref
        return 0

    def place(bid: Bid) -> tuple[bool, bool, int, int]:
        has_power = bid.team.beta_enter > 0 and bid.team.pool.rate is not None
        first = has_power and not bid.opportunistic
        return (not first, bid.held == 0, -next_rho(bid), bid.order)

    wanting = [b for b in bids if b.opportunistic or (b.standby and b.chips_after < b.chips)]
    for bid in sorted(wanting, key=place):
        pool = bid.team.pool
        take = min(bid.chips - bid.paid_after, shelf.left_for(pool))
        if take == 0 or bid.paid_after + take < bid.min_chips:
            continue
        bid.unpaid_after = take
        take_unpaid(shelf, pool, take)


def take_unpaid(shelf: Shelf, pool: Pool, chips: int) -> None:
    """Own chips first, then shared, then other lending pools'."""
    own = min(chips, shelf.own_left(pool.name))
    shelf.unpaid_own[pool.name] += own
    chips -= own
    shared = min(chips, shelf.shared_left())
    shelf.unpaid_shared += shared
    chips -= shared
    for other in shelf.pools:
        if other.lend_idle and other is not pool:
            part = min(chips, shelf.own_left(other.name))
            shelf.unpaid_own[other.name] += part
            chips -= part
            shelf.coverage["unpaid_from_lenders"] += part > 0
    assert chips == 0
