#!/usr/bin/env python3
"""A matcher that was stopped through a takeover, and then goes on, publishes nothing and ends."""

from __future__ import annotations

import time
import unittest
from collections.abc import Callable

import setting
from market_test import MarketTest, event, small_market, usage
from matchers import Matcher, owner_and_standby
from published import check_exactly_once
from records import event_id_of
from topics import end_of, read_all
from waiting import wait_until


class Zombie(MarketTest):
    def setUp(self) -> None:
        super().setUp()
        self.market.create()
        self.market.append(small_market())

    def ticks(self) -> list[tuple[int, str]]:
        """Offset and run of every tick in the log."""
        found = []
        for record in read_all(setting.BROKERS, self.market.topic("events")):
            words = (event_id_of(record.value) or "").split("-")
            if words[0] == "tick":
                found.append((record.offset, words[2]))
        return found

    def await_ticks(self, run: str, more: int) -> None:
        def count() -> int:
            return sum(each == run for _, each in self.ticks())
        wanted = count() + more
        wait_until(lambda: count() >= wanted, 120, f"{more} more ticks of run {run}")

    def load(self, name: str) -> None:
        """Outcomes to publish, so that a matcher is stopped in the midst of it."""
        self.market.append(usage(name, 20_000))

    def takeover(self, a: Matcher, b: Matcher, start_b: Callable[[], object]) -> None:
        """A owns the market, is stopped, and goes on once B has taken over, which start_b may have
        to start."""
        wait_until(lambda: bool(self.ticks()), 120, "a tick of A")
        self.await_ticks(self.ticks()[-1][1], 2)
        run_a = self.ticks()[-1][1]
        self.load("before")
        a.pause()
        paused = time.monotonic()
        start_b()
        self.load("after")
        wait_until(lambda: self.ticks()[-1][1] != run_a, 180, "a tick of B")
        run_b = self.ticks()[-1][1]
        end = end_of(setting.BROKERS, self.market.topic("outcomes"))
        self.await_ticks(run_b, 2)
        wait_until(lambda: end_of(setting.BROKERS, self.market.topic("outcomes")) > end, 120,
                   "B publishes")
        resumed = time.monotonic()
        a.resume()
        status = a.wait(60)
        print(f"A stood still for {resumed - paused:.1f} s, and ended "
              f"{time.monotonic() - resumed:.2f} s after with {status}: "
              f"{a.log().splitlines()[-1]}", flush=True)
        self.assertEqual(status, setting.BAD_DATA, a.log())
        self.assertRegex(a.log().splitlines()[-1], "another (matcher|one)")

        self.market.append([event("last", "BudgetGranted", team="rank", amount_micros=1)])
        self.await_ticks(run_b, 2)
        self.assertEqual(b.stop(), setting.DONE, b.log())
        runs = [run for _, run in self.ticks()]
        first = runs.index(run_b)
        self.assertNotIn(run_b, runs[:first])
        self.assertEqual(set(runs[first:]), {run_b}, "A ticked after B")
        count, digest = check_exactly_once(self.market, self.dir / "fresh", b.data, a.data)
        print(f"{count} outcomes, each once; digest {digest}")
        self.assertGreater(count, 40_000)

    def test_in_a_group(self) -> None:
        both = [self.matcher(name, "--group", self.family) for name in "ab"]
        for matcher in both:
            matcher.start()
        a, b = owner_and_standby(self.market, both)
        b.wait_for("started at offset")
        self.takeover(a, b, lambda: None)

    def test_without_a_group(self) -> None:
        a, b = self.matcher("a"), self.matcher("b")
        a.start().wait_for("owns the market")
        self.takeover(a, b, b.start)


if __name__ == "__main__":
    unittest.main(verbosity=2)
