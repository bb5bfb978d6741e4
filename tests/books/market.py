"""A small market whose names and ids are as awkward as the contract allows."""

from __future__ import annotations

import pathlib

from books import BINARY, run_tool
from program import START_MS, Events

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS

# Two that differ by case alone, digits, the longest, words that mean something to a program, and
# two whose accounts read the same: spent:a:b:c.
POOLS = ("A.b@c:d/e-f", "a.b@c:d/e-f", "123", "9-", "p" * 128, "true", "reference", "ref.credits",
         "search", "a", "a:b", "-", "Z-Z")
TEAMS = ("Vision", "vision", "-", ":", ":" * 128, ".", "Z-ZVision", "z-Zvision", "-X2E", "x-X2E", "@/",
         "t" * 128, "1")
RESOURCES = ("h100@us-east", "b:c", "c")

AWKWARD_ID = 'a, b; c: "d" \\ [2020-01-01] date:2020-01-01 {1 USD} 50% = @ (x) | ~'
AWKWARD_ACTOR = 'user: "Zoë", ; [2020-01-01]\n\tsecond line \\'


def awkward_market() -> Events:
    events = Events()
    for pool, team in zip(POOLS, TEAMS):
        events.add("PoolConfigured", pool=pool, market_weight_micros_per_hour=100_000_000)
        events.add("TeamConfigured", team=team, pool=pool, income_micros_per_hour=61_234_567)
    events.add("TeamConfigured", team="second", pool="search", income_micros_per_hour=1)
    for resource in RESOURCES:
        events.add("SupplyChanged", resource=resource, chips=40)
    for place, team in enumerate(TEAMS):
        for resource in RESOURCES:
            events.add("BidPlaced", bid=f"{place}/{resource}", team=team, resource=resource,
                       chips=8, min_chips=1)
    for minute in range(1, 31):
        events.add("ClockTicked", time_ms=START_MS + minute * MINUTE_MS)
    events.add("BudgetGranted", event_id=AWKWARD_ID, team="@/", amount_micros=1_000_000_000_000_000,
               memo="a prize")
    events.lines[-1]["actor"] = AWKWARD_ACTOR
    events.lines[-1]["source"] = "budget; tool"
    events.add("BudgetGranted", team="vision", amount_micros=-1_000_001)
    events.add("CreditsTransferred", from_team=TEAMS[POOLS.index("search")], to_team="second",
               amount_micros=3)
    # The second day begins with a settlement at midnight; the third one comes after a pause.
    for time_ms in (DAY_MS - MINUTE_MS, DAY_MS, DAY_MS + 7 * MINUTE_MS, 2 * DAY_MS + 1):
        events.add("ClockTicked", time_ms=START_MS + time_ms)
    return events


def make(events: Events, data: pathlib.Path) -> None:
    """A data folder in which all of them are applied."""
    file = data.parent / f"{data.name}.jsonl"
    file.write_text(events.text())
    for arguments in (("append", file), ("run", "--once")):
        done = run_tool(BINARY, *arguments, "--data", data)
        assert done.returncode == 0, done.stderr
