"""The automated bidder: from a team's queue to reservation prices (mechanism section 3)."""

from __future__ import annotations

from parts import MAX_RESERVATION, Bid, Team, Unit


def units_of(bid: Bid, entry_margin_percent: int) -> list[Unit]:
    """Section 3, Units: a block of min_chips, then single chips up to chips."""
    units = []
    end = 0
    for index, chips in enumerate([bid.min_chips] + [1] * (bid.chips - bid.min_chips)):
        end += chips
        running = bid.paid >= end
        margin = 100 if running else 100 + entry_margin_percent
        units.append(Unit(bid, index, chips, running, margin))
    return units


def queue_of(team: Team) -> list[Bid]:
    """Section 3.2: without the opportunistic bids and those that are set aside."""
    bids = [bid for bid in team.bids if not bid.opportunistic and not bid.set_aside]
    return sorted(bids, key=lambda bid: (-bid.priority, not bid.running, bid.order))


def reserve(team: Team, entry_margin_percent: int) -> list[Unit]:
    """Sections 3.3 and 3.4: gives every unit its reservation price, returns the team's order."""
    pool = team.pool
    assert pool is not None
    for bid in team.bids:
        bid.units = []
    chips: dict[str, int] = {}  # F: chips so far, by resource
    peak: dict[str, int] = {}  # the largest m * F of the planned units, by resource
    order: list[Unit] = []
    passed: list[Unit] = []

    def need_of_others(resource: str) -> int:
        return sum(pool.plan_price(r) * high for r, high in peak.items() if r != resource)

    def price(unit: Unit) -> None:
        """Takes the unit as the next of the order."""
        resource = unit.bid.resource
        chips[resource] = chips.get(resource, 0) + unit.chips
        left = max(0, 100 * team.cap(unit) - need_of_others(resource))
        unit.rho = min(MAX_RESERVATION, left // (unit.margin * chips[resource]))
        if unit.bid.limit is not None:
            unit.rho = min(unit.rho, unit.bid.limit)
        unit.rho_ref = pool.to_reference(unit.rho)
        unit.rank = len(order)
        order.append(unit)

    for bid in queue_of(team):
        bid.units = units_of(bid, entry_margin_percent)
        resource = bid.resource
        plan_price = pool.plan_price(resource)
        others = need_of_others(resource)
        in_reach = bid.limit is None or bid.limit >= plan_price
        for unit in bid.units:
            high = unit.margin * (chips.get(resource, 0) + unit.chips)
            high = max(peak.get(resource, 0), high)
            if not in_reach or others + plan_price * high > 100 * team.cap(unit):
                passed.extend(bid.units[unit.index :])
                break
            price(unit)
            peak[resource] = high
    for unit in passed:
        price(unit)
    return order
