"""What a tick does: settlement, then a cycle, then the preemptions it caused (sections 5, 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from books import REFERENCE
from clearing import Cleared, clear
from parts import HOUR_MS, Bid, Pool, Team
from state import BidState, LastCycle, PoolState, TeamState

if TYPE_CHECKING:
    from market import Market


def settle(market: Market) -> None:
    """Section 6, Settlement: posts all that accrued; remainders are carried."""
    market.coverage["settlements"] += 1
    for team in market.teams.values():
        settle_team(market, team)
    for pool in market.pools.values():
        settle_purse(market, pool)


def settle_team(market: Market, team: TeamState) -> None:
    wallet = f"team:{team.name}"
    income, team.income_due = divmod(team.income_due, HOUR_MS)
    market.books.post(team.pool, f"mint:{team.pool}", wallet, income)
    team.minted += income
    for resource in sorted(team.charges):
        due, team.charges[resource] = divmod(team.charges[resource], HOUR_MS)
        paid = min(due, market.balance(team))
        market.books.post(team.pool, wallet, f"spent:{team.pool}:{resource}", paid)
        team.charged += paid
        team.uncollected += due - paid
        market.coverage["uncollected_of_teams"] += due > paid


def settle_purse(market: Market, pool: PoolState) -> None:
    purse = f"purse:{pool.name}"
    before = market.purse(pool)
    inflow, pool.inflow_due = divmod(pool.inflow_due, HOUR_MS)
    market.books.post(REFERENCE, "issue", purse, inflow)
    for resource in sorted(pool.outflow):
        due, pool.outflow[resource] = divmod(pool.outflow[resource], HOUR_MS)
        paid = min(due, market.purse(pool))
        market.books.post(REFERENCE, purse, f"sold:{resource}", paid)
        pool.uncollected += due - paid
        market.coverage["uncollected_of_pools"] += due > paid
    # The weight and the purse hours are those in force until this tick.
    most = pool.weight * market.settings["purse_hours"]
    lapsed = max(0, market.purse(pool) - max(most, before))
    market.books.post(REFERENCE, purse, "issue", lapsed)
    market.coverage["purse_lapses"] += lapsed > 0
    market.coverage["purse_above_its_limit"] += before > most


def exchange_rate(market: Market, pool: PoolState) -> tuple[int, int] | None:
    """Section 1: N / D, or None where one of them is 0."""
    keep = market.settings["keep_affordable_ms"]
    teams = market.teams_of(pool.name)
    numerator = pool.weight * keep + market.purse(pool) * HOUR_MS
    denominator = sum(team.income for team in teams) * keep
    denominator += sum(market.balance(team) for team in teams) * HOUR_MS
    return (numerator, denominator) if numerator and denominator else None


def burn_caps(market: Market, team: TeamState) -> tuple[int, int]:
    """Section 3.1: beta_enter and beta_keep."""
    caps = []
    for hours in ("min_affordable_ms", "keep_affordable_ms"):
        cap = team.income + market.balance(team) * HOUR_MS // market.settings[hours]
        if team.leverage:
            cap = min(cap, team.income * team.leverage // 100)
        caps.append(cap)
    return caps[0], caps[1]


def cycle_pools(market: Market, standing: list[BidState]) -> tuple[list[Pool], dict[str, Bid]]:
    """The pools, teams and bids as the cycle sees them."""
    bids: dict[str, Bid] = {}
    pools = []
    for pool in market.pools.values():
        pool.rate = exchange_rate(market, pool)
        teams = []
        for team in market.teams_of(pool.name):
            own = [bid for bid in standing if bid.team == team.name]
            for bid in own:
                bids[bid.name] = Bid(
                    name=bid.name,
                    resource=bid.resource,
                    chips=bid.chips,
                    min_chips=bid.min_chips,
                    limit=bid.limit,
                    priority=bid.priority,
                    order=bid.order,
                    held=bid.held,
                    paid=bid.paid,
                    opportunistic=bid.opportunistic,
                    standby=bid.standby,
                )
            teams.append(Team(team.name, *burn_caps(market, team), [bids[b.name] for b in own]))
        pools.append(Pool(pool.name, pool.rate, pool.lend_idle, dict(pool.plan), teams))
    return pools, bids


def run_cycle(market: Market) -> None:
    """Clears all resources that have supply or standing bids, and keeps the result."""
    standing = [bid for bid in market.bids.values() if not bid.ended]
    supply = {
        resource: dict(owners) for resource, owners in market.supply.items() if sum(owners.values())
    }
    for bid in standing:
        supply.setdefault(bid.resource, dict(market.supply.get(bid.resource, {})))
    pools, bids = cycle_pools(market, standing)
    shared = {resource: owners.get("", 0) for resource, owners in supply.items()}
    owned = {r: {k: owners.get(k, 0) for k in market.pools} for r, owners in supply.items()}
    results = clear(pools, shared, owned, market.settings["entry_margin_percent"])

    for bid in sorted(standing, key=lambda b: b.order):
        after = bids[bid.name]
        if bid.held > 0 and after.chips_after == 0:
            reason = preemption_reason(market, bid, after, results[bid.resource], supply)
            market.coverage["preempted_" + reason] += 1
            entry = {"bid": bid.name, "offset": market.offset, "reason": reason.split(" ")[0]}
            market.preempted.append(entry)
    market.coverage["cycles"] += 1
    market.coverage["pools_without_rate"] += sum(pool.rate is None for pool in pools)
    for bid in standing:
        market.coverage["shrunk"] += 0 < bids[bid.name].chips_after < bid.held
        market.coverage["paid_to_unpaid"] += bid.paid > 0 and 0 == bids[bid.name].paid_after < bids[
            bid.name
        ].chips_after
        bid.held, bid.paid = bids[bid.name].chips_after, bids[bid.name].paid_after
    for pool in market.pools.values():
        pool.x = {resource: result.x[pool.name] for resource, result in results.items()}
        pool.prices = {resource: result.price[pool.name] for resource, result in results.items()}
        for resource, price in pool.prices.items():
            if price is not None:
                mean = pool.plan.get(resource)
                pool.plan[resource] = price if mean is None else (3 * mean + price) // 4
    market.last = LastCycle(
        offset=market.offset,
        supply=supply,
        lent={resource: sum(result.lent.values()) for resource, result in results.items()},
        lent_by={resource: dict(result.lent) for resource, result in results.items()},
        reference_price={r: result.reference_price for r, result in results.items()},
    )
    for result in results.values():
        market.coverage.update(result.coverage)
    check_cycle(market)


def preemption_reason(
    market: Market,
    bid: BidState,
    after: Bid,
    result: Cleared,
    supply: dict[str, dict[str, int]],
) -> str:
    """Section 5: the first reason that applies. A word after a blank is for the coverage alone."""
    resource = bid.resource
    pool = market.teams[bid.team].pool
    if bid.paid == 0:
        return "reclaimed (did not pay)"
    price = result.price[pool]
    if price is not None and bid.limit is not None and price > bid.limit:
        return "limit"
    before = market.pools[pool].prices.get(resource)
    if not after.set_aside and before is not None and after.units[0].rho < before:
        return "over_budget"
    if sum(supply[resource].values()) < sum(market.last.supply.get(resource, {}).values()):
        return "supply_lost"
    if sum(result.lent.values()) < market.last.lent.get(resource, 0):
        return "reclaimed (fewer lent)"
    return "outbid"


def check_cycle(market: Market) -> None:
    """Right after a cycle: caps and limits are kept."""
    for team in market.teams.values():
        cost = sum(market.burn(team).values())
        assert cost <= burn_caps(market, team)[1], f"{team.name} is above beta_keep"
    for bid in market.bids.values():
        if bid.paid > 0:
            price = market.pools[market.teams[bid.team].pool].prices[bid.resource]
            assert bid.limit is None or price <= bid.limit, f"{bid.name} pays above its limit"
        assert bid.held == 0 or bid.held >= bid.min_chips
