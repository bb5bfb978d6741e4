#!/usr/bin/env python3
"""qmarket explain on a market on Kafka: the answer of the same events in an embedded log."""

from __future__ import annotations

import json
import subprocess
import unittest
from typing import Any

import setting
from market_test import START_MS, MarketTest, event
from published import run_once

MINUTE_MS = 60_000
CREDIT = 1_000_000

# What tells where in the log something is; on a broker there are other records between.
PLACES = {"offset"}


def contended_market() -> list[dict[str, Any]]:
    """A bid with a limit is preempted by a dearer one."""
    team = {"pool": "search", "income_micros_per_hour": 50 * CREDIT}
    return [
        event("c0", "PoolConfigured", pool="search", market_weight_micros_per_hour=100 * CREDIT),
        event("c1", "TeamConfigured", team="rank", **team),
        event("c2", "TeamConfigured", team="lab", **team),
        event("c3", "SupplyChanged", resource="h100", chips=8),
        event("c4", "BidPlaced", bid="cheap", team="rank", resource="h100", chips=8,
              limit_price_micros=2 * CREDIT),
        event("t1", "ClockTicked", START_MS + MINUTE_MS),
        event("c5", "BidPlaced", START_MS + MINUTE_MS, bid="dear", team="lab", resource="h100",
              chips=8),
        event("t2", "ClockTicked", START_MS + 2 * MINUTE_MS),
        event("c6", "BidWithdrawn", START_MS + 2 * MINUTE_MS, bid="dear", reason="finished"),
    ]


def without_places(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_places(item) for key, item in value.items()
                if key not in PLACES and key != "explanation"}
    if isinstance(value, list):
        return [without_places(item) for item in value]
    return value


class Explain(MarketTest):
    def test_the_answer_is_that_of_the_embedded_log(self) -> None:
        lines = contended_market()
        self.market.create()
        for part in (lines[:5], lines[5:]):  # a commit of the producer lies between
            self.market.append(part)
        data = self.dir / "data"
        run_once(self.market, data)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        embedded = self.dir / "embedded"
        self.embedded("append", "-", "--data", embedded, stdin=text)
        self.embedded("run", "--once", "--data", embedded)
        for bid in ("cheap", "dear"):
            for at in (START_MS, START_MS + MINUTE_MS, START_MS + 2 * MINUTE_MS):
                with self.subTest(f"{bid} at {at}"):
                    words = ("explain", bid, "--at", at, "--format", "json")
                    answer = self.market.run(*words, data=data).json()
                    other = json.loads(self.embedded(*words, "--data", embedded))
                    self.assertEqual(without_places(answer), without_places(other))
        last = self.market.run("explain", "cheap", "--format", "json", data=data).json()
        self.assertEqual((last["verdict"], last["loss"]["reason"]), ("preempted", "outbid"))
        self.assertEqual(last["won_by"][0]["bid"], "dear")

    def embedded(self, *words: object, stdin: str = "") -> str:
        done = subprocess.run([str(setting.BINARY), *map(str, words)], input=stdin, text=True,
                              capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, setting.DONE, done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main(verbosity=2)
