"""The paper's divisible market in exact rationals, as a bound on what whole units may do.

A team with budget b and demand d gets min(d, b / x) chips at price x. A pool with o own chips that
buys z at the reference price p pays p * z / (o + z) for each: its price is the lowest x in [0, p]
with demand(x) * (p - x) <= o * p, and it buys z(p) = max(0, demand(x) - o). The reference price is
the lowest p with sum of z(p) <= supply. Such an x may be irrational; it is enclosed between
rationals, and a claim counts as broken only where the whole enclosure breaks it.

What is claimed of the market with min_chips 1, no entry margin, equal budgets, no limits,
priorities or held chips, and one bid a team (mechanism section 3: "prices and quotas are the
paper's to within one chip"). A team's units then have the reservation prices floor(b / n), n = 1
... d, so at a tick x > 0 it wants exactly floor(min(d, b / x)) chips.

1. Quota. At the market's own pool price x, with D(y) = min(d, b / y) and D(0) = d:
       D(x + 1) - 1 < quota <= D(x).
   Units above x are filled, units below it are not, and one at x may be or not. So the quota is
   the divisible demand to within one chip, but for what one tick of price moves.
2. Price, from above. p <= ceil(divisible p for Z'): whole units want at most the divisible demand,
   so what clears the divisible market clears this one. Checked as: at p - 1 the divisible
   market still buys more than Z' (or p is 0).
3. Price, from below. Whole units want less than the divisible demand by less than a chip a team.
   So p >= the divisible price for a supply of Z' + one chip per team, when demand is taken one
   tick higher (ticks are not divisible), plus, for pools with own chips, what a tick at their
   price moves. Checked as: at p, with demand(x + 1) for demand(x), the divisible market buys at
   most that.
4. Where nothing is shared (p is null) a pool's x clears its own chips alike: D(x) > o or x is 0,
   and D(x + 1) < o + one chip per team.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

Json = dict[str, Any]
STEPS = 120  # halvings of an enclosure; what they leave open counts as kept


class DivisiblePool:
    """The teams of a pool as (budget, demand), and its own chips that are not lent."""

    def __init__(self, teams: list[tuple[int, int]], own: int) -> None:
        self.teams = teams
        self.own = own

    def demand(self, x: Fraction) -> Fraction:
        """Sum of min(d, b / x)."""
        if x == 0:
            return Fraction(sum(d for _, d in self.teams))
        return sum((min(Fraction(d), b / x) for b, d in self.teams), Fraction(0))

    def purchase(self, p: Fraction, shift: int) -> tuple[Fraction, Fraction]:
        """An enclosure of z(p), with demand taken `shift` ticks higher."""

        def pays(x: Fraction) -> bool:
            return self.demand(x + shift) * (p - x) <= self.own * p

        low, high = Fraction(0), p
        if self.own == 0:
            low = p
        elif pays(low):
            high = low
        else:
            for _ in range(STEPS):
                middle = (low + high) / 2
                if pays(middle):
                    high = middle
                else:
                    low = middle
        least = max(Fraction(0), self.demand(high + shift) - self.own)
        most = max(Fraction(0), self.demand(low + shift) - self.own)
        return least, most


def total_purchase(
    pools: list[DivisiblePool], p: Fraction, shift: int
) -> tuple[Fraction, Fraction]:
    """An enclosure of all that is bought at p."""
    parts = [pool.purchase(p, shift) for pool in pools]
    return sum(least for least, _ in parts), sum(most for _, most in parts)


def clearing_price(pools: list[DivisiblePool], supply: Fraction) -> tuple[Fraction, Fraction]:
    """An enclosure, a millionth of a tick wide, of the lowest divisible clearing price."""
    low = Fraction(0)
    if total_purchase(pools, low, 0)[1] <= supply:
        return low, low
    high = Fraction(1)
    while total_purchase(pools, high, 0)[1] > supply:
        high *= 2
    while high - low > Fraction(1, 10**6):
        middle = (low + high) / 2
        if total_purchase(pools, middle, 0)[1] <= supply:
            high = middle
        else:
            low = middle
    return low, high


def check_claims(snapshot: Json, output: Json) -> list[str]:
    """Which of the claims above the output of `clear` does not keep."""
    broken = []
    pools = []
    extra = Fraction(0)
    teams = 0
    p = output["reference_price_micros"]
    for raw, cleared in zip(snapshot["pools"], output["pools"]):
        wants = [(t["budget_micros_per_hour"], t["bids"][0]["chips"]) for t in raw["teams"]]
        pool = DivisiblePool(wants, raw["owned"] - cleared["lent"])
        pools.append(pool)
        teams += len(wants)
        x = cleared["price_micros"]
        if x is None:
            unpriced = [team["team"] for team in cleared["teams"] if team["quota"]]
            broken += [f"claim 1: {name} has a quota without a price" for name in unpriced]
            continue
        for (b, d), team in zip(wants, cleared["teams"]):
            most = Fraction(d) if x == 0 else min(Fraction(d), Fraction(b, x))
            least = min(Fraction(d), Fraction(b, x + 1)) - 1
            if not least < team["quota"] <= most:
                broken.append(f"claim 1: {team['team']} got {team['quota']}, wants {float(most)}")
        if p is not None and pool.own > 0 and x > 0:
            extra += pool.demand(Fraction(x)) - pool.demand(Fraction(x + 1))
        if p is None:
            if x > 0 and pool.demand(Fraction(x)) <= pool.own:
                broken.append(f"claim 4: {raw['pool']}: a lower price than {x} clears")
            if pool.demand(Fraction(x + 1)) >= pool.own + len(wants):
                broken.append(f"claim 4: {raw['pool']}: {x} does not clear")
    if p is None:
        return broken
    supply = Fraction(output["shared_supply"])
    if p > 0 and total_purchase(pools, Fraction(p - 1), 0)[1] <= supply:
        broken.append(f"claim 2: the divisible market clears at {p - 1}")
    more = supply + teams + extra
    if total_purchase(pools, Fraction(p), 1)[0] > more:
        low, high = clearing_price(pools, more)
        broken.append(f"claim 3: {p} is below the divisible price {float(low)} ... {float(high)}")
    return broken


def divisible_snapshot(seed: int, index: int) -> Json:
    """A random market of the kind that the claims speak of."""
    rng = random.Random(f"divisible {seed} {index}")
    tick = rng.choice([10**4, 10**6, 10**9])
    snapshot: Json = {"resource": "r", "shared": 0, "entry_margin_percent": 0, "pools": []}
    demand = 0
    for k in range(rng.randint(1, 4)):
        pool: Json = {"pool": f"p{k}", "owned": 0, "teams": []}
        if rng.random() < 0.3:
            pool["lend_idle"] = False
        for i in range(rng.randint(1, 6)):
            chips = rng.choice([rng.randint(1, 10), rng.randint(1, 100), rng.randint(1, 400)])
            demand += chips
            bid = {"bid": f"b{k}.{i}", "chips": chips, "min_chips": 1, "standby": False}
            budget = rng.randint(1, 100 * tick)
            pool["teams"].append(
                {"team": f"t{k}.{i}", "budget_micros_per_hour": budget, "bids": [bid]}
            )
        snapshot["pools"].append(pool)
    left = int(demand * rng.choice([0.2, 0.5, 0.8, 1.1])) + 2
    for pool in snapshot["pools"]:
        if rng.random() < 0.5:
            pool["owned"] = rng.randint(0, left // 2)
            left -= pool["owned"]
    # Two chips at least: with one, a bid of one chip would be a large gang (section 5.3).
    snapshot["shared"] = 0 if rng.random() < 0.1 else max(2, left)
    return snapshot
