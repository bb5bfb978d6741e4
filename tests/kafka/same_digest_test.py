#!/usr/bin/env python3
"""Ten simulated days through Kafka: the same as through the embedded log."""

from __future__ import annotations

import subprocess
import time
import unittest

import setting
from market_test import MarketTest
from published import compare, published, run_once, stored
from topics import end_of


class SameDigest(MarketTest):
    def embedded(self, *words: object) -> str:
        done = subprocess.run([str(setting.BINARY), *map(str, words)], capture_output=True,
                              text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, setting.DONE, done.stderr)
        return done.stdout

    def test_ten_days(self) -> None:
        demo = self.dir / "demo"
        self.embedded("demo", "--data", demo)
        digest = self.embedded("replay", "--data", demo, "--format", "json").split('"digest": "')[1]
        digest = digest.split('"')[0]
        lines = self.embedded("events", "--data", demo, "--format", "json")
        self.market.create()
        appended = self.market.run("append", "-", "--format", "json", stdin=lines).json()
        self.assertEqual(appended["appended"], lines.count("\n"))

        first = self.dir / "first"
        start = time.monotonic()
        self.assertEqual(run_once(self.market, first), (appended["appended"], digest))
        took = time.monotonic() - start
        end = end_of(setting.BROKERS, self.market.topic("outcomes"))
        start = time.monotonic()
        count = compare(published(self.market), stored(self.market, first))
        print(f"{appended['appended']} events, {count} outcomes: run in {took:.1f} s, compared in "
              f"{time.monotonic() - start:.1f} s; digest {digest}")
        # There is nothing left to publish, for the same store and for a new one.
        for data in (first, self.dir / "fresh"):
            self.assertEqual(run_once(self.market, data), (appended["appended"], digest))
            self.assertEqual(end_of(setting.BROKERS, self.market.topic("outcomes")), end)
        self.assertTrue(self.market.run("replay", "--verify", "--format", "json",
                                        data=first).json()["verified"])
        for form in ("csv", "beancount", "focus"):
            export = ("audit", "export", "--as", form, "--pool", "safety")
            exported = self.market.run(*export, data=first).out
            # They name the market.
            self.assertEqual(exported.replace(self.family, "main"),
                             self.embedded(*export, "--data", demo))


if __name__ == "__main__":
    unittest.main(verbosity=2)
