#!/usr/bin/env python3
"""Seeded generators of inputs: snapshots for `clear`, and event logs for `replay`.

generate.py clear --seed S --count N           snapshots, one a line
generate.py log --seed S --count N [--out DIR]  event logs: one file each in DIR, or all to stdout

The same seed and index give the same input, whatever the count.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from typing import Any

from clear_cli import clear_snapshot
from generate_log import random_log

Json = dict[str, Any]
MAX_BID = 1_000_000
MAX_SUPPLY = 4_000_000


def pick(rng: random.Random, weighted: dict[Any, float]) -> Any:
    """One key, with the probability that its value says."""
    return rng.choices(list(weighted), list(weighted.values()))[0]


class SnapshotMaker:
    """Makes one random `clear` snapshot: a scale and habits first, then pools, teams and bids."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.tick = pick(rng, {1: 1, 10: 2, 1_000: 3, 10**6: 4, 10**9: 2, 10**11: 0.7, 10**12: 0.7})
        self.size = pick(rng, {2: 1, 8: 4, 16: 2, 64: 1, MAX_BID: 0.3})
        self.round_money = rng.random() < 0.5  # few different budgets: ties
        self.limits = pick(rng, {0.0: 1, 0.3: 2, 0.9: 1})
        self.history = pick(rng, {"none": 2, "any": 2, "past": 1.5})
        self.elastic = pick(rng, {0.0: 1, 0.4: 2, 0.9: 1})
        self.standby_off = pick(rng, {0.0: 1, 0.3: 2, 1.0: 0.5})
        self.big = rng.random() < 0.02  # a bid of very many chips
        if self.size == MAX_BID:  # Only as gangs: single chips would be too many units.
            self.elastic, self.big = 0.0, False
        self.lend = pick(rng, {1.0: 2, 0.5: 2, 0.0: 1})
        self.count = 0

    def make(self) -> Json:
        rng = self.rng
        shape = pick(rng, {"small": 20, "large": 1})
        pools = pick(rng, {0: 0.1, 1: 4, 2: 4, 3: 3, 4: 2}) if shape == "small" else 5
        snapshot: Json = {"resource": "r", "shared": 0, "pools": []}
        for k in range(pools):
            snapshot["pools"].append(self.pool(k, 4 if shape == "small" else 6))
        if rng.random() < 0.7:
            snapshot["entry_margin_percent"] = pick(rng, {0: 2, 25: 2, 60: 1, 1000: 0.3})
        self.give_supply(snapshot)
        if rng.random() < 0.35 and pools:
            for _ in range(pick(rng, {1: 3, 2: 1, 3: 1})):
                self.add_gang(snapshot)
        elif rng.random() < 0.15:
            self.add_owners(snapshot)
        bids = [b for p in snapshot["pools"] for t in p["teams"] for b in t["bids"]]
        if rng.random() < 0.6:
            for bid, order in zip(bids, rng.sample(range(10 * len(bids) + 1), len(bids))):
                bid["order"] = order
        if self.history == "past":
            self.live_through(snapshot, bids)
        return snapshot

    def pool(self, k: int, most: int) -> Json:
        rng = self.rng
        pool: Json = {"pool": f"p{k}", "owned": 0, "teams": []}
        if rng.random() >= self.lend:
            pool["lend_idle"] = False
        plan = pick(rng, {"absent": 3, "null": 1, "near": 5, "edge": 1})
        if plan == "null":
            pool["plan_price_micros"] = None
        elif plan == "near":
            pool["plan_price_micros"] = rng.randrange(self.tick * 4)
        elif plan == "edge":
            pool["plan_price_micros"] = rng.choice([0, 1, 10**12, 10**18])
        for i in range(rng.randint(0 if k else 1, most)):
            pool["teams"].append(self.team(f"t{k}.{i}", most + 1))
        return pool

    def money(self) -> int:
        """A budget that pays for a few of this market's chips at around its tick."""
        rng = self.rng
        edge = rng.random()
        if edge < 0.08:
            return rng.choice([0, 0, 1, 10**18])
        if self.round_money:
            return min(10**18, self.tick * self.size * rng.choice([1, 2, 2, 4]))
        return rng.randrange(min(10**18, self.tick * self.size * 4) + 1)

    def team(self, name: str, most: int) -> Json:
        rng = self.rng
        budget = self.money()
        team: Json = {"team": name, "budget_micros_per_hour": budget}
        if rng.random() < 0.6:
            keep = budget * rng.choice([1, 2, 4]) + rng.choice([0, 0, self.tick])
            team["keep_budget_micros_per_hour"] = min(10**18, keep)
        team["bids"] = [self.bid() for _ in range(rng.randint(0, most))]
        return team

    def bid(self) -> Json:
        rng = self.rng
        chips = rng.randint(1, self.size)
        if rng.random() < 0.4:
            chips = rng.choice([1, 1, 2, 4, 8])
        elastic = rng.random() < self.elastic
        if elastic and rng.random() < 0.03:
            chips = rng.randint(100, 400)
        if self.big:
            self.big, elastic = False, True
            chips = rng.choice([1999, 2000])
        bid: Json = {"bid": f"b{self.count}", "chips": chips}
        self.count += 1
        if elastic:
            bid["min_chips"] = rng.choice([1, 1, rng.randint(1, chips)])
        if rng.random() < self.limits:
            limit = rng.choice([self.tick // 2, self.tick, self.tick, self.tick * 2])
            if rng.random() < 0.15:
                limit = rng.choice([0, 1, -1, 10**12])
            bid["limit_price_micros"] = min(limit, 10**12)
        if rng.random() < 0.25:
            bid["priority"] = rng.choice([-(2**31), -1, 1, 1, 5, 2**31 - 1])
        if rng.random() < 0.1:
            bid["opportunistic"] = True
        if rng.random() < self.standby_off:
            bid["standby"] = False
        if self.history == "any" and rng.random() < 0.6:
            self.hold(bid)
        return bid

    def hold(self, bid: Json) -> None:
        """Gives a bid chips as a cycle, an amendment or the fleet could have left it with."""
        rng = self.rng
        least, chips = bid.get("min_chips", bid["chips"]), bid["chips"]
        bid["held"] = rng.randint(least, chips)
        if rng.random() < 0.1:
            bid["held"] = rng.randint(0, chips)
        if bid.get("opportunistic"):
            bid["paid"] = 0
        elif rng.random() < 0.5:
            bid["paid"] = rng.choice([0, rng.randint(0, bid["held"]), min(least, bid["held"])])

    def give_supply(self, snapshot: Json) -> None:
        """Supply in proportion to demand, so that most markets contend, dealt out to owners."""
        rng = self.rng
        demand = sum(
            bid["chips"]
            for pool in snapshot["pools"]
            for team in pool["teams"]
            for bid in team["bids"]
        )
        ratio = pick(rng, {0: 0.5, 0.2: 1.5, 0.45: 4, 0.7: 3, 1.0: 0.7, 1.5: 0.7})
        left = int(demand * ratio)
        style = pick(rng, {"shared": 3, "mixed": 4, "owned": 1.5})
        for pool in snapshot["pools"]:
            if style != "shared" and rng.random() < 0.7:
                owned = rng.randint(0, left) // rng.choice([1, 2, 3])
                pool["owned"] = min(MAX_SUPPLY, owned)
                left -= pool["owned"]
        snapshot["shared"] = min(MAX_SUPPLY, left) if style != "owned" else 0
        if rng.random() < 0.01:
            snapshot["shared"] = MAX_SUPPLY

    def add_gang(self, snapshot: Json) -> None:
        """A gang of about half of the chips to just more than all of them, and small rivals."""
        rng = self.rng
        total = snapshot["shared"] + sum(pool["owned"] for pool in snapshot["pools"])
        if not 2 <= total <= 200:
            return
        chips = max(1, min(rng.randint(total // 2, total + 1), total + 1))
        gang: Json = {"bid": f"b{self.count}", "chips": chips}
        self.count += 1
        price = rng.randint(self.tick // 2 + 1, 2 * self.tick)
        budget = min(10**18, price * chips)
        if rng.random() < 0.2:
            gang["held"] = chips
        if rng.random() < 0.2:
            gang["chips"] = chips + rng.randint(1, 5)
            gang["min_chips"] = chips
        home = rng.choice(snapshot["pools"])
        team = {"team": "of-" + gang["bid"], "budget_micros_per_hour": budget, "bids": [gang]}
        if home["teams"] and rng.random() < 0.2:
            rng.choice(home["teams"])["bids"].append(gang)
        else:
            home["teams"].append(team)
        rivals = []
        for _ in range(rng.randint(0, total)):
            rivals.append({"bid": f"b{self.count}", "chips": rng.choice([1, 1, 1, 2])})
            self.count += 1
        if rivals and rng.random() < 0.7:
            budget = rng.randint(1, 3 * self.tick * total)
            name = "of-" + rivals[0]["bid"]
            team = {"team": name, "budget_micros_per_hour": budget, "bids": rivals}
            rng.choice(snapshot["pools"])["teams"].append(team)

    def add_owners(self, snapshot: Json) -> None:
        """Owners of a few chips, with gangs that need each other's, or nearly all there are."""
        rng = self.rng
        snapshot["shared"] = rng.choice([0, 0, 1, 2, 5])
        owned = [rng.randint(0, 6) for _ in range(rng.randint(2, 4))]
        total = snapshot["shared"] + sum(owned)
        for chips in owned:
            k = len(snapshot["pools"])
            bids = []
            for _ in range(rng.randint(0, 3)):
                gang = rng.randint(max(1, chips), max(1, total + 1))
                bids.append({"bid": f"b{self.count}", "chips": rng.choice([gang, gang, 1])})
                self.count += 1
                if rng.random() < 0.3:
                    bids[-1]["min_chips"] = bids[-1]["chips"]
                    bids[-1]["chips"] += 3
            team = {"team": f"t{k}.0", "budget_micros_per_hour": self.money(), "bids": bids}
            pool = {"pool": f"p{k}", "owned": chips, "teams": [team]}
            if rng.random() < 0.3:
                pool["lend_idle"] = False
            snapshot["pools"].append(pool)

    def live_through(self, snapshot: Json, bids: list[Json]) -> None:
        """Lets a cycle of the model say what bids hold, then changes what can change."""
        rng = self.rng
        document, _ = clear_snapshot(snapshot)
        after = [b for p in document["pools"] for t in p["teams"] for b in t["bids"]]
        for bid, got in zip(bids, after):
            bid["held"], bid["paid"] = got["chips"], got["paid"]
        for pool, cleared in zip(snapshot["pools"], document["pools"]):
            if rng.random() < 0.7 and cleared["price_micros"] is not None:
                pool["plan_price_micros"] = cleared["price_micros"]
            if rng.random() < 0.2:
                pool["owned"] = rng.randint(0, pool["owned"] + 2)
            for team in pool["teams"]:
                if rng.random() < 0.4:
                    team["budget_micros_per_hour"] = self.money()
                    team.pop("keep_budget_micros_per_hour", None)
        if rng.random() < 0.4:
            snapshot["shared"] = rng.randint(0, snapshot["shared"] + 2)


def random_snapshot(seed: int, index: int) -> Json:
    return SnapshotMaker(random.Random(f"clear {seed} {index}")).make()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["clear", "log"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a folder for the logs")
    args = parser.parse_args()
    for index in range(args.count):
        if args.what == "clear":
            print(json.dumps(random_snapshot(args.seed, index), separators=(",", ":")))
            continue
        lines = random_log(args.seed, index)
        if args.out is None:
            print("\n".join(lines))
        else:
            args.out.mkdir(parents=True, exist_ok=True)
            path = args.out / f"log-{args.seed}-{index}.jsonl"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
