"""Makes an input that shows a difference smaller, by leaving things out while it still does."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

MAX_TRIALS = 400


class Trials:
    """Asks whether a smaller input still differs, a limited number of times."""

    def __init__(self, differs: Callable[[Any], bool]) -> None:
        self.differs = differs
        self.left = MAX_TRIALS

    def __call__(self, candidate: Any) -> bool:
        if self.left <= 0:
            return False
        self.left -= 1
        try:
            return self.differs(candidate)
        except Exception:  # A candidate that breaks something else is of no use.
            return False


def shrink_list(items: list[Any], differs: Callable[[list[Any]], bool]) -> list[Any]:
    """Leaves out ever smaller runs of the list (used for the lines of a log)."""
    trial = Trials(differs)
    run = max(1, len(items) // 2)
    while True:
        start = 0
        while start < len(items):
            shorter = items[:start] + items[start + run :]
            if trial(shorter):
                items = shorter
            else:
                start += run
        if run == 1:
            return items
        run //= 2


def shrink_snapshot(snapshot: Any, differs: Callable[[Any], bool]) -> Any:
    """Leaves out pools, teams, bids and optional fields, one by one, until nothing goes."""
    trial = Trials(differs)
    smaller = True
    while smaller:
        smaller = False
        for path in removable(snapshot):
            candidate = copy.deepcopy(snapshot)
            holder = candidate
            for key in path[:-1]:
                holder = holder[key]
            del holder[path[-1]]
            if trial(candidate):
                snapshot, smaller = candidate, True
                break
    return snapshot


def removable(snapshot: Any) -> list[tuple[Any, ...]]:
    """Paths to what can be left out, large things first."""
    pools, teams, bids, fields = [], [], [], []
    for k, pool in enumerate(snapshot["pools"]):
        pools.append(("pools", k))
        fields += [("pools", k, f) for f in ("lend_idle", "plan_price_micros") if f in pool]
        for i, team in enumerate(pool["teams"]):
            teams.append(("pools", k, "teams", i))
            if "keep_budget_micros_per_hour" in team:
                fields.append(("pools", k, "teams", i, "keep_budget_micros_per_hour"))
            for j, bid in enumerate(team["bids"]):
                path = ("pools", k, "teams", i, "bids", j)
                bids.append(path)
                # Orders stay: they are given for all bids or for none. So does held: paid needs it.
                kept = ("bid", "chips", "order", "min_chips", "held")
                fields += [(*path, field) for field in bid if field not in kept]
    return pools + teams + bids + fields
