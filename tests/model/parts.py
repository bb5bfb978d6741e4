"""The things that one cycle of the market works on (mechanism sections 1 to 3).

Part of the slow model: an independent reading of the mechanism that favours the obvious over the
fast. Every number is an exact integer; chips come in units, one object each.
"""

from __future__ import annotations

from dataclasses import dataclass, field

HOUR_MS = 3_600_000
MAX_RESERVATION = 10**12  # ticks, section 2
MAX_LOCAL_PRICE = 10**18  # ticks, section 4


@dataclass(eq=False)
class Unit:
    """One block of min_chips, or one single chip, of a standing bid (section 3, Units)."""

    bid: "Bid"
    index: int
    chips: int
    running: bool
    margin: int = 0  # m: 100 for a running unit, 100 + entry margin for a waiting one
    rank: int = -1  # place in the team's order of section 3.4, over all resources
    rho: int = 0  # reservation price in local credits
    rho_ref: int = 0  # reservation price in reference credits
    filled: str | None = None  # "price" or "marginal", while it is filled


@dataclass(eq=False)
class Bid:
    """One job in a team's queue, with what it holds before the cycle and, later, after it."""

    name: str
    resource: str
    chips: int
    min_chips: int
    limit: int | None
    priority: int
    order: int  # place in the log
    held: int
    paid: int
    opportunistic: bool
    standby: bool
    team: "Team | None" = None
    set_aside: bool = False
    units: list[Unit] = field(default_factory=list)
    unpaid_after: int = 0

    @property
    def running(self) -> bool:
        """A bid is running if its first unit is."""
        return self.paid >= self.min_chips

    @property
    def paid_after(self) -> int:
        return sum(unit.chips for unit in self.units if unit.filled)

    @property
    def chips_after(self) -> int:
        return self.paid_after + self.unpaid_after

    @property
    def filled_as(self) -> str | None:
        """How the last unit of the bid was filled."""
        if self.unpaid_after:
            return "unpaid"
        kinds = [unit.filled for unit in self.units if unit.filled]
        return kinds[-1] if kinds else None


@dataclass(eq=False)
class Team:
    """A team with its two burn-rate caps of this cycle (section 3.1)."""

    name: str
    beta_enter: int
    beta_keep: int
    bids: list[Bid]
    pool: "Pool | None" = None

    def cap(self, unit: Unit) -> int:
        return self.beta_keep if unit.running else self.beta_enter


@dataclass(eq=False)
class Pool:
    """A pool: its exchange rate N / D (None where there is none) and its planning prices."""

    name: str
    rate: tuple[int, int] | None
    lend_idle: bool
    plan_prices: dict[str, int | None]
    teams: list[Team]

    def plan_price(self, resource: str) -> int:
        """The planning price as used: at least 1, and 1 where there is none (section 3.3)."""
        return max(1, self.plan_prices.get(resource) or 0)

    def to_reference(self, rho: int) -> int:
        """Local to reference reservation price (section 2)."""
        if self.rate is None:
            return 0
        numerator, denominator = self.rate
        return min(MAX_RESERVATION, rho * numerator // denominator)

    def to_local(self, x: int | None) -> int | None:
        """The local price for a pool price in reference credits (end of section 4)."""
        if x == 0:
            return 0
        if x is None or x > MAX_RESERVATION or self.rate is None:
            return None
        numerator, denominator = self.rate
        return min(MAX_LOCAL_PRICE, -(-x * denominator // numerator))


def link(pools: list[Pool]) -> None:
    """Lets teams know their pool and bids their team."""
    for pool in pools:
        for team in pool.teams:
            team.pool = pool
            for bid in team.bids:
                bid.team = team
