#!/usr/bin/env python3
"""Any past moment of a market on Kafka, and the proof of all of it."""

from __future__ import annotations

import json
import random
import subprocess
import unittest
from typing import Any

import setting
from market_test import MarketTest
from published import run_once
from topics import produce

PARTS = 4


class Past(MarketTest):
    """The demo's ten days, appended in parts, with a matcher that comes and goes."""

    def setUp(self) -> None:
        super().setUp()
        self.demo = self.dir / "demo"
        self.embedded("demo", "--data", self.demo)
        lines = self.embedded("events", "--data", self.demo).splitlines(keepends=True)
        self.market.create()
        self.data = self.dir / "data"
        part = -(-len(lines) // PARTS)
        for start in range(0, len(lines), part):
            self.market.run("append", "-", stdin="".join(lines[start:start + part]))
            run_once(self.market, self.data)

    def embedded(self, command: str, *words: object) -> str:
        done = subprocess.run([str(setting.BINARY), command, *map(str, words), "--format", "json"],
                              capture_output=True, text=True, timeout=600, check=False)
        self.assertEqual(done.returncode, setting.DONE, done.stderr)
        return done.stdout

    def ask(self, *words: object) -> dict[str, Any]:
        return self.market.run(*words, "--format", "json", data=self.data).json()

    def test_ten_days(self) -> None:
        self.check_moments()
        self.check_proofs()
        self.check_a_strange_outcome_is_found()

    def check_moments(self) -> None:
        """Any moment is that of the embedded log."""
        seed = random.randrange(10**9)
        print(f"seed {seed}")
        draw = random.Random(seed)
        ran = self.market.run("replay", "--format", "json", data=self.data)
        self.assertIn("rebuilt from the checkpoint at offset ", ran.err)
        last = ran.json()
        times = [draw.randrange(last["time_ms"] - 9 * 86_400_000, last["time_ms"])
                 for _ in range(4)]
        for at in times:
            with self.subTest(at):
                ran = self.market.run("replay", "--at", at, "--format", "json", data=self.data)
                self.assertIn("rebuilt from ", ran.err)
                state = ran.json()
                self.assertEqual(self.ask("replay", "--at", at, "--no-checkpoints"), state)
                # Offsets are the broker's own; all else is the same.
                other = json.loads(self.embedded("replay", "--data", self.demo, "--at", at))
                for key in ("time_ms", "digest", "teams", "pools", "resources", "cycles"):
                    self.assertEqual(state[key], other[key], key)

    def check_proofs(self) -> None:
        verified = self.ask("replay", "--verify")
        self.assertTrue(verified["verified"])
        self.assertEqual(verified["events"], 42_624)
        part = self.ask("replay", "--verify", "--from-offset", 20_000, "--to-offset", 21_000)
        self.assertTrue(part["verified"])
        self.assertEqual(part["from_offset"], 20_000)
        audit = self.ask("audit", "verify")
        self.assertTrue(audit["verified"], audit)
        self.assertEqual(audit["digest"], verified["digest"])

    def check_a_strange_outcome_is_found(self) -> None:
        produce(setting.BROKERS, self.market.topic("outcomes"), b"no outcome")
        ran = self.market.run("audit", "verify", "--format", "json", data=self.data)
        self.assertEqual(ran.status, setting.VERIFICATION_FAILED, ran.err)
        findings = json.loads(ran.out)["findings"]
        self.assertTrue(any("outcomes" in finding["where"] for finding in findings), findings)


if __name__ == "__main__":
    unittest.main(verbosity=2)
