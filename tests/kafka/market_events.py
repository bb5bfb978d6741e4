"""A market's events drawn at random, in pieces: sensible ones, wrong ones, repeated ones, and bytes
that are no events."""

from __future__ import annotations

import random
from typing import Any

Json = dict[str, Any]

POOLS = 4
TEAMS = 24
RESOURCES = ("a100", "h100", "tpu")
MOST_STANDING = 300
CREDIT = 1_000_000


class MarketEvents:
    """The same seed gives the same events, but for their times."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._made = 0
        self._bids = 0
        self._standing: list[str] = []
        self._past: list[Json] = []  # some, to be repeated
        self.ids: set[str] = set()

    def setup(self, now_ms: int) -> list[Json]:
        """What comes first. The market clears every second, and settles every ten."""
        made = [self._event(now_ms, "MarketConfigured", cycle_ms=1_000, settlement_ms=10_000,
                            keep_affordable_ms=60_000, min_affordable_ms=120_000)]
        for pool in range(POOLS):
            made.append(self._event(now_ms, "PoolConfigured", pool=f"pool-{pool}",
                                    market_weight_micros_per_hour=(100 + pool) * CREDIT))
        for team in range(TEAMS):
            made.append(self._event(now_ms, "TeamConfigured", team=f"team-{team}",
                                    pool=f"pool-{team % POOLS}",
                                    income_micros_per_hour=(10 + team) * CREDIT))
            made.append(self._event(now_ms, "BudgetGranted", team=f"team-{team}",
                                    amount_micros=100 * CREDIT))
        made += [self._event(now_ms, "SupplyChanged", resource=name, chips=200)
                 for name in RESOURCES]
        return made

    def piece(self, count: int, now_ms: int) -> list[Json]:
        return [self._next(now_ms) for _ in range(count)]

    def poison(self) -> bytes:
        """Bytes that are no event, of one of several kinds."""
        draw = self._random
        return (b"", draw.randbytes(1 + draw.randrange(200)), b"\x0c\0\0\0QMOC" + draw.randbytes(40),
                b"\x10\0\0\0QMEV" + draw.randbytes(40))[draw.randrange(4)]

    def _event(self, now_ms: int, kind: str, **payload: Any) -> Json:
        made = {"event_id": f"x{self._made}", "time_ms": now_ms, "actor": "test",
                "source": "chaos", "payload_type": kind, "payload": payload}
        self._made += 1
        self.ids.add(made["event_id"])
        return made

    def _team(self) -> str:
        return f"team-{self._random.randrange(TEAMS)}"

    def _bid(self) -> str:
        return self._random.choice(self._standing) if self._standing else "bid-none"

    def _next(self, now_ms: int) -> Json:
        kind = self._random.randrange(1_000)
        if kind < 5 and self._past:
            return self._repeated(kind == 0)
        made = self._draw(kind, now_ms)
        if len(self._past) < 1_000:
            self._past.append(made)
        else:
            self._past[self._random.randrange(1_000)] = made
        return made

    def _repeated(self, changed: bool) -> Json:
        event = self._random.choice(self._past)
        return event | {"actor": "another"} if changed else event

    def _draw(self, kind: int, now_ms: int) -> Json:
        draw = self._random
        if kind < 100:
            return self._place(now_ms)
        if kind < 200 and self._standing and len(self._standing) > draw.randrange(MOST_STANDING):
            bid = self._standing.pop(draw.randrange(len(self._standing)))
            return self._event(now_ms, "BidWithdrawn", bid=bid, reason="finished")
        if kind < 300:
            change: Json = draw.choice((
                {"priority": draw.randrange(4)}, {"chips": 1 + draw.randrange(16)},
                {"limit_price_micros": draw.randrange(20) * CREDIT}, {"standby": True}))
            return self._event(now_ms, "BidAmended", bid=self._bid(), **change)
        if kind < 350:
            return self._event(now_ms, "BudgetGranted", team=self._team(),
                               amount_micros=(1 + draw.randrange(20)) * CREDIT, memo="top-up")
        if kind < 390:
            team = draw.randrange(TEAMS)
            return self._event(now_ms, "CreditsTransferred", from_team=f"team-{team}",
                               to_team=f"team-{(team + POOLS) % TEAMS}", amount_micros=CREDIT)
        if kind < 410:
            return self._event(now_ms, "ChipsPreempted", bid=self._bid(), chips=1,
                               reason="node_failure")
        if kind < 412:
            return self._event(now_ms, "SupplyChanged", resource=draw.choice(RESOURCES),
                               chips=100 + draw.randrange(200))
        if kind < 420:
            return self._event(now_ms, "BudgetGranted", team="nobody", amount_micros=1)
        return self._event(now_ms, "UsageReported", team=self._team(),
                           resource=draw.choice(RESOURCES), chips_in_use=draw.randrange(64),
                           from_ms=now_ms - 60_000, to_ms=now_ms)

    def _place(self, now_ms: int) -> Json:
        draw = self._random
        bid = f"bid-{self._bids}"
        self._bids += 1
        self._standing.append(bid)
        payload: Json = {"bid": bid, "team": self._team(), "resource": draw.choice(RESOURCES),
                         "chips": draw.choice((1, 1, 2, 4, 8, 16)), "priority": draw.randrange(4),
                         "opportunistic": draw.randrange(20) == 0}
        if draw.randrange(4) == 0:
            payload["min_chips"] = 1
        if draw.randrange(4) == 0:
            payload["limit_price_micros"] = draw.randrange(20) * CREDIT
        return self._event(now_ms, "BidPlaced", **payload)
