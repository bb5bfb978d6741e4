"""Seeded random event logs that every rule of the market meets sooner or later.

The maker keeps just enough of the market's past (names, which bids ended, the time) to write
events that mostly make sense; now and then it writes one that must be rejected, comes late, or
repeats another.
"""

from __future__ import annotations

import json
import random
from typing import Any

from events import parse
from market import Market

Json = dict[str, Any]

MAX_TIME = 4_102_444_800_000
START_MS = 1_767_225_600_000
FLEET_REASONS = ["node_failure", "serving_clawback", "maintenance", ""]
BID_ENDS = ["finished", "cancelled", "failed"]


class LogMaker:
    """Makes one log. `run` picks kinds of events by weight until the length is reached."""

    def __init__(self, rng: random.Random, prefix: str) -> None:
        self.rng = rng
        self.prefix = prefix
        self.lines: list[Json] = []
        self.age = rng.random() < 0.05  # a market of a hundred years, for the largest numbers
        self.now = rng.randrange(86_400_000) + (0 if self.age else START_MS)
        self.scale = rng.choice([1, 1_000, 10**6, 10**6, 10**6, 10**8, 10**11])
        # What weights are worth against incomes: rates far from 1, both ways.
        self.weight_scale = rng.choice([self.scale] * 6 + [1, 10**4, 10**11])
        self.pools = [f"p{k}" for k in range(rng.choice([1, 1, 2, 2, 3, 4]))]
        self.teams = [f"t{i}" for i in range(rng.choice([1, 2, 3, 4, 5, 6]))]
        names = ["r0", "R1@us-east", "a/b:2", "zone.x-3"]
        self.resources = names[: rng.choice([1, 1, 2, 2, 3])]
        self.home = {}
        for i, team in enumerate(self.teams):
            even = self.pools[i % len(self.pools)]
            self.home[team] = even if rng.random() < 0.8 else rng.choice(self.pools)
        self.size = rng.choice([2, 8, 8, 16])
        few = rng.choice([0.4, 1.0, 1.0, 3.0])  # supply, in sizes of a bid
        self.plenty = {r: few if rng.random() < 0.8 else 20.0 for r in self.resources}
        self.gap = rng.choice([0.0, 0.02, 0.15])  # how often ticks are missing for long
        self.rude = rng.choice([0.0, 0.05, 0.2])  # how often an event is a bad one
        self.bursts = rng.choice([0.3, 0.5, 0.7])  # the share of ticks
        self.tidy = rng.random() < 0.3  # a tick a minute and nothing strange
        self.standing: list[str] = []
        self.ended: list[str] = []
        self.placed = 0
        self.market = Market()  # fed with the lines before `fed`, only where it is asked
        self.fed = 0
        if self.tidy:
            self.gap = self.rude = 0.0
        if self.age:
            self.scale = rng.choice([10**9, 10**11])

    # Small helpers.

    def add(self, kind: str, payload: Json, time_ms: int | None = None) -> None:
        event: Json = {
            "event_id": f"{self.prefix}-{len(self.lines)}",
            "time_ms": self.now if time_ms is None else time_ms,
        }
        if self.rng.random() < 0.1:
            event["actor"] = self.rng.choice(["user:ana", "ops", ""])
        event["payload_type"], event["payload"] = kind, payload
        self.lines.append(event)

    def money(self, most: int) -> int:
        """An amount or rate: round ones often, to get ties."""
        value = self.scale * self.rng.choice([1, 2, 5, 10, self.rng.randint(1, most)])
        return max(0, value + self.rng.choice([0, 0, self.rng.randint(0, self.scale)]))

    def supply(self, resource: str) -> int:
        most = 1 + int(self.size * self.plenty[resource])
        return self.rng.choice([0, self.rng.randint(0, most), self.rng.randint(1, most), most])

    # The events.

    def pool_configured(self, pool: str) -> None:
        payload: Json = {"pool": pool}
        if self.rng.random() < 0.9:
            weight = self.rng.choice([0, 1, 5, 20, 50, self.rng.randint(1, 500)])
            weight = min(10**12, self.weight_scale * weight)
            payload["market_weight_micros_per_hour"] = weight
        if self.rng.random() < 0.3:
            payload["lend_idle"] = self.rng.random() < 0.3
        self.add("PoolConfigured", payload)

    def team_configured(self, team: str) -> None:
        payload: Json = {"team": team, "pool": self.home.get(team, self.rng.choice(self.pools))}
        mates = max(1, list(self.home.values()).count(payload["pool"]))
        if self.age:  # As much as may be stated.
            payload["income_micros_per_hour"] = 10**12 // mates
        elif self.rng.random() < 0.85:
            payload["income_micros_per_hour"] = min(10**12 // mates, self.money(20))
        if self.rng.random() < 0.2:
            payload["income_leverage_percent"] = self.rng.choice([0, 50, 100, 300, 1_000_000])
        self.add("TeamConfigured", payload)

    def budget_granted(self) -> None:
        amount = min(10**15, self.money(100) + 1)
        if self.rng.random() < 0.4:
            amount = -min(10**15, amount * self.rng.choice([1, 10]))
        self.add("BudgetGranted", {"team": self.rng.choice(self.teams), "amount_micros": amount})

    def credits_transferred(self) -> None:
        giver = self.rng.choice(self.teams)
        mates = [t for t in self.teams if self.home[t] == self.home[giver]]
        taker = self.rng.choice(mates if self.rng.random() < 0.8 else self.teams)
        if taker == giver and self.rng.random() < 0.7:
            return
        amount = 1 if self.rng.random() < 0.1 else min(10**15, self.money(20) + 1)
        if self.rng.random() < 0.3:
            amount = self.just_what_can_be_given(giver) or amount
        payload = {"from_team": giver, "to_team": taker, "amount_micros": amount}
        self.add("CreditsTransferred", payload)

    def just_what_can_be_given(self, giver: str) -> int:
        """Asks the model, so that transfers come out on both sides of the limit; 0: no answer."""
        for line in self.lines[self.fed :]:
            self.market.apply(parse(json.dumps(line)))
        self.fed = len(self.lines)
        team = self.market.teams.get(giver)
        if team is None or team.pool != self.home[giver]:
            return 0
        self.now = min(MAX_TIME, self.now + self.rng.choice([0, 0, 7_000, 40_000]))
        most = self.market.can_give(team, max(self.now, self.market.now))
        return max(0, min(10**15, most + self.rng.choice([-1, 0, 0, 1])))

    def supply_changed(self) -> None:
        resource = self.rng.choice(self.resources)
        payload: Json = {"resource": resource, "chips": self.supply(resource)}
        if self.rng.random() < 0.5:
            payload["owner"] = self.rng.choice(self.pools)
        elif self.rng.random() < 0.5:
            payload["owner"] = ""
        self.add("SupplyChanged", payload)

    def bid_placed(self) -> None:
        rng = self.rng
        chips = rng.choice([1, 2, 4, rng.randint(1, self.size), rng.randint(1, self.size)])
        if rng.random() < 0.04:
            chips = rng.choice([self.size * 4, 300])
        name = f"b{self.placed}"
        self.placed += 1
        payload: Json = {
            "bid": name,
            "team": rng.choice(self.teams),
            "resource": rng.choice(self.resources if rng.random() < 0.97 else ["nowhere"]),
            "chips": chips,
        }
        if rng.random() < 0.4:
            payload["min_chips"] = rng.choice([0, 1, 1, rng.randint(1, chips)])
        if rng.random() < 0.3:
            payload["limit_price_micros"] = min(10**12, self.limit())
        if rng.random() < 0.2:
            payload["priority"] = rng.choice([-1, 1, 2, 2**31 - 1])
        if rng.random() < 0.12:
            payload["opportunistic"] = True
        if rng.random() < 0.2:
            payload["standby"] = False
        self.standing.append(name)
        self.add("BidPlaced", payload)

    def limit(self) -> int:
        rng = self.rng
        if rng.random() < 0.1:
            return rng.choice([-1, 0, 1, 10**12])
        return self.money(10) // rng.choice([1, self.size])

    def bid_amended(self) -> None:
        rng = self.rng
        payload: Json = {"bid": rng.choice(self.standing)}
        if rng.random() < 0.6:
            payload["chips"] = rng.randint(1, self.size)
        if rng.random() < 0.3:
            payload["min_chips"] = rng.randint(1, payload.get("chips", 2))
        if rng.random() < 0.3:
            payload["limit_price_micros"] = min(10**12, self.limit())
        if rng.random() < 0.2:
            payload["priority"] = rng.choice([-1, 0, 1])
        if rng.random() < 0.2:
            payload["standby"] = rng.random() < 0.5
        self.add("BidAmended", payload)

    def bid_withdrawn(self) -> None:
        bid = self.standing.pop(self.rng.randrange(len(self.standing)))
        self.ended.append(bid)
        self.add("BidWithdrawn", {"bid": bid, "reason": self.rng.choice(BID_ENDS)})

    def chips_preempted(self) -> None:
        payload: Json = {"bid": self.rng.choice(self.standing[-8:])}
        payload["chips"] = self.rng.choice([1, 1, 2, self.size, 10**6])
        reason = self.rng.choice(FLEET_REASONS)
        if reason or self.rng.random() < 0.5:
            payload["reason"] = reason
        self.add("ChipsPreempted", payload)

    def usage_reported(self) -> None:
        payload: Json = {"chips_in_use": self.rng.randint(0, 9), "from_ms": 0}
        payload["to_ms"] = 1 + self.now // 2
        bids = self.standing + self.ended
        if bids and self.rng.random() < 0.5:
            payload["bid"] = self.rng.choice(bids)
        else:
            payload["team"] = self.rng.choice(self.teams)
            payload["resource"] = self.rng.choice(self.resources + ["nowhere"])
        self.add("UsageReported", payload)

    def market_configured(self) -> None:
        rng = self.rng
        cycle = rng.choice([1_000, 30_000, 60_000, 60_000, 600_000])
        settlement = rng.choice([10_000, 60_000, 300_000, 300_000, 3_600_000])
        keep = 2 * (cycle + settlement)
        payload: Json = {"cycle_ms": cycle, "settlement_ms": settlement}
        payload["keep_affordable_ms"] = keep + rng.choice([0, 1, 1_800_000])
        payload["min_affordable_ms"] = payload["keep_affordable_ms"] * rng.choice([1, 2, 4])
        if rng.random() < 0.7:
            payload["entry_margin_percent"] = rng.choice([0, 10, 25, 100, 1000])
        if rng.random() < 0.7:
            payload["purse_hours"] = rng.choice([1, 2, 24, 8760])
        self.add("MarketConfigured", payload if rng.random() < 0.8 else {})
        if not self.tidy and rng.random() < 0.4:
            for _ in range(4):  # ticks close enough to fall between boundaries, old and new
                self.now = min(MAX_TIME, self.now + rng.choice([1_000, 3_000, 9_000]))
                self.add("ClockTicked", {})

    def tick(self) -> None:
        rng = self.rng
        step = 60_000
        if not self.tidy and rng.random() < 0.3:
            step = rng.choice([0, 1, 2_000, 30_000, 59_999, rng.randint(0, 60_000)])
        if rng.random() < self.gap:
            step = rng.choice([600_000, 3_600_000, 20 * 3_600_000, 9 * 86_400_000])
        if self.age and rng.random() < 0.2:
            step = 10**12
        self.now = min(self.now + step, MAX_TIME)
        self.add("ClockTicked", {})

    # Events that must be rejected, come late, or repeat another.

    def bad_event(self) -> None:
        rng = self.rng
        bid = rng.choice(self.standing + self.ended + ["b-none"])
        team, other = rng.choice(self.teams + ["t-none"]), rng.choice(self.teams + ["t-none"])
        bid_payload = {"bid": bid, "team": team, "resource": "r0", "chips": 2, "min_chips": 3}
        if rng.random() < 0.4:
            bid_payload["min_chips"] = 1
        if rng.random() < 0.3:
            bid_payload["bid"] = f"b{self.placed}"
            bid_payload["min_chips"] = 3
        gone = rng.choice((self.ended or self.standing) + ["b-none"])
        rival = rng.choice(self.pools)
        kind, payload = rng.choice(
            [
                ("BidPlaced", bid_payload),
                ("BidAmended", {"bid": bid, "chips": 1, "min_chips": 2}),
                ("BidAmended", {"bid": bid, "min_chips": 10**6}),
                ("BidWithdrawn", {"bid": gone}),
                ("ChipsPreempted", {"bid": gone, "chips": 1}),
                ("ChipsPreempted", {"bid": bid, "chips": 1}),
                ("SupplyChanged", {"resource": "r0", "owner": "p-none", "chips": 5}),
                ("TeamConfigured", {"team": team, "pool": "p-none"}),
                ("TeamConfigured", {"team": rng.choice(self.teams), "pool": rival}),
                ("TeamConfigured", self.too_much_income()),
                ("BudgetGranted", {"team": "t-none", "amount_micros": 10**15}),
                ("CreditsTransferred", self.transfer(team, other, 1)),
                ("CreditsTransferred", self.transfer(team, team, 1)),
                ("CreditsTransferred", self.transfer(team, other, 10**15)),
                ("UsageReported", self.usage({"bid": "b-none"})),
                ("UsageReported", self.usage({"team": "t-none", "resource": "r0"})),
            ]
        )
        self.add(kind, payload)

    def too_much_income(self) -> Json:
        """As much as a pool's teams may state together: too much where another states any."""
        team = self.rng.choice(self.teams)
        return {"team": team, "pool": self.home[team], "income_micros_per_hour": 10**12}

    @staticmethod
    def transfer(giver: str, taker: str, amount: int) -> Json:
        return {"from_team": giver, "to_team": taker, "amount_micros": amount}

    @staticmethod
    def usage(what: Json) -> Json:
        return {**what, "chips_in_use": 1, "from_ms": 5, "to_ms": 6}

    def repeat(self) -> None:
        """A known id again: the same, the same but for defaults written out, or other content."""
        event = json.loads(json.dumps(self.rng.choice(self.lines)))
        how = self.rng.choice(["same", "defaults", "other time", "other payload", "other type"])
        if how == "defaults":
            event.setdefault("actor", "")
            event.setdefault("source", "")
            if event["payload_type"] == "BudgetGranted":
                event["payload"].setdefault("memo", "")
            if event["payload_type"] == "BidPlaced":
                event["payload"].setdefault("min_chips", 0)
                event["payload"].setdefault("limit_price_micros", -1)
            if event["payload_type"] == "PoolConfigured":
                event["payload"].setdefault("lend_idle", True)
        elif how == "other time":
            event["time_ms"] = min(MAX_TIME, event["time_ms"] + 1)
        elif how == "other payload" and "chips" in event["payload"]:
            event["payload"]["chips"] = event["payload"]["chips"] % 1000 + 1
        elif how == "other payload" and event["payload_type"] == "BidAmended":
            event["payload"].setdefault("standby", True)
        elif how == "other type":
            event["payload_type"], event["payload"] = "ClockTicked", {}
        self.lines.append(event)

    def late(self) -> None:
        """Puts the newest event's time back."""
        event = self.lines[-1]
        event["time_ms"] = max(0, event["time_ms"] - self.rng.choice([1, 1_000, 10**6, 10**9]))

    # The log.

    def opening(self) -> None:
        for pool in self.pools:
            self.pool_configured(pool)
        for team in self.teams:
            self.team_configured(team)
        for resource in self.resources:
            chips = self.rng.randint(1, 1 + int(self.size * self.plenty[resource]))
            self.add("SupplyChanged", {"resource": resource, "owner": "", "chips": chips})
            if self.rng.random() < 0.4:
                self.supply_changed()
        if self.rng.random() < 0.3:
            self.market_configured()
        for _ in range(self.rng.randint(2, 10)):
            self.bid_placed()

    def step(self) -> None:
        rng = self.rng
        if rng.random() < self.rude:
            self.bad_event() if rng.random() < 0.7 else self.repeat()
            return
        if rng.random() < self.bursts:
            self.tick()
        else:
            self.now += rng.choice([0, 0, 1, rng.randint(0, 20_000)])
            self.now = min(self.now, MAX_TIME)
            kinds = {"bid_placed": 8, "budget_granted": 2, "credits_transferred": 2}
            kinds |= {"supply_changed": 2, "pool_configured": 1, "team_configured": 1}
            if len(self.standing) > 25:
                kinds["bid_placed"] = 1
            if self.standing:
                kinds |= {"bid_amended": 4, "bid_withdrawn": 3, "chips_preempted": 2}
            if not self.tidy:
                kinds |= {"usage_reported": 0.5, "market_configured": 0.4}
            kind = rng.choices(list(kinds), list(kinds.values()))[0]
            if kind == "pool_configured":
                self.pool_configured(self.new_name(self.pools, "p"))
            elif kind == "team_configured":
                self.team_configured(self.new_name(self.teams, "t"))
            else:
                getattr(self, kind)()
        if rng.random() < self.rude / 2:
            self.late()

    def new_name(self, names: list[str], letter: str) -> str:
        """Mostly a known name; sometimes a new one, which joins the market in mid-log."""
        if self.rng.random() < 0.1 and len(names) < 6:
            names.append(f"{letter}{len(names)}")
            if letter == "t":
                self.home[names[-1]] = self.rng.choice(self.pools)
            return names[-1]
        return self.rng.choice(names)

    def run(self, length: int) -> list[str]:
        if self.rng.random() < 0.05:
            self.tick()
        self.opening()
        while len(self.lines) < length:
            self.step()
        if self.age:
            self.now = MAX_TIME
            self.add("ClockTicked", {})
            for _ in range(3):
                payload = {"team": self.rng.choice(self.teams), "amount_micros": 10**15}
                self.add("BudgetGranted", payload)
            self.add("ClockTicked", {})
        return [json.dumps(line, separators=(",", ":")) for line in self.lines]


def random_log(seed: int, index: int) -> list[str]:
    rng = random.Random(f"log {seed} {index}")
    length = rng.randint(60, 200) if rng.random() < 0.93 else rng.randint(300, 600)
    return LogMaker(rng, f"{seed}-{index}").run(length)
