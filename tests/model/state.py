"""What the market remembers between events (mechanism section 6)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class BidState:
    """A bid from its placing on; it stays here, without chips, after its end."""

    name: str
    team: str
    resource: str
    chips: int
    min_chips: int
    limit: int | None
    priority: int
    opportunistic: bool
    standby: bool
    order: int
    held: int = 0
    paid: int = 0
    ended: bool = False

    def release(self, chips: int) -> None:
        """Gives up chips at once, unpaid ones first."""
        self.held -= chips
        self.paid = min(self.paid, self.held)


@dataclass(eq=False)
class TeamState:
    """A team. Amounts due are exact, in micro-credit * ms per hour."""

    name: str
    pool: str
    stated_income: int = 0
    income: int = 0  # in force
    leverage: int = 0  # only cycles look at it, so the stated one is the one in force
    income_due: int = 0
    charges: dict[str, int] = field(default_factory=dict)  # due, by resource
    minted: int = 0
    charged: int = 0
    uncollected: int = 0


@dataclass(eq=False)
class PoolState:
    """A pool; `x`, `prices` and `rate` are those of the last cycle."""

    name: str
    stated_weight: int = 0
    weight: int = 0  # in force
    lend_idle: bool = True  # only cycles look at it
    inflow_due: int = 0
    outflow: dict[str, int] = field(default_factory=dict)  # due, by resource
    uncollected: int = 0
    rate: tuple[int, int] | None = None
    x: dict[str, int | None] = field(default_factory=dict)
    prices: dict[str, int | None] = field(default_factory=dict)
    plan: dict[str, int] = field(default_factory=dict)  # running means of the local prices


@dataclass
class LastCycle:
    """What reports and preemption reasons need of the last cycle, by resource."""

    offset: int | None = None
    supply: dict[str, dict[str, int]] = field(default_factory=dict)
    lent: dict[str, int] = field(default_factory=dict)  # all pools together
    lent_by: dict[str, dict[str, int]] = field(default_factory=dict)  # then by pool
    reference_price: dict[str, int | None] = field(default_factory=dict)
