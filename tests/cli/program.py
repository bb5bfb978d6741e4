"""Runs the program for tests, and makes events for it."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]

BINARY = os.environ.get("QMARKET_BINARY", "build/dev/qmarket")
SPEC_DIR = pathlib.Path(os.environ.get("QMARKET_SPEC_DIR", "../shared/spec"))

START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z

DONE, BAD_INPUT, USAGE, UNREACHABLE, VERIFICATION_FAILED = range(5)


@dataclass
class Ran:
    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def run(*arguments: object, stdin: str | bytes = b"", env: dict[str, str] | None = None) -> Ran:
    """Runs the program to its end; its output must be UTF-8."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [BINARY, *map(str, arguments)],
        input=data,
        capture_output=True,
        timeout=120,
        env={**os.environ, **(env or {})},
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


class ProgramTest(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="qmarket-cli-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def write(self, name: str, content: str | bytes | Json) -> pathlib.Path:
        path = self.dir / name
        if isinstance(content, dict):
            content = json.dumps(content)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def assert_fails(self, ran: Ran, status: int, *fragments: str) -> None:
        """It failed with this status, said so in words, and printed no data."""
        self.assertEqual(ran.status, status, ran.err)
        self.assertEqual(ran.out, "")
        for fragment in fragments:
            self.assertIn(fragment, ran.err)

    def assert_done(self, ran: Ran) -> Ran:
        self.assertEqual(ran.status, DONE, ran.err)
        return ran

    def assert_at_least(self, expected: Any, actual: Any, path: str = "") -> None:
        """Every field of `expected` is in `actual`, with the same value; lists match in full."""
        if isinstance(expected, dict):
            self.assertIsInstance(actual, dict, path)
            for key, value in expected.items():
                self.assertIn(key, actual, path)
                self.assert_at_least(value, actual[key], f"{path}.{key}")
        elif isinstance(expected, list):
            self.assertIsInstance(actual, list, path)
            self.assertEqual(len(expected), len(actual), f"{path}: {expected} against {actual}")
            for index, value in enumerate(expected):
                self.assert_at_least(value, actual[index], f"{path}[{index}]")
        else:
            self.assertEqual(expected, actual, path)


class Events:
    """A log in the making: events of one market, a second apart where no time is given."""

    def __init__(self) -> None:
        self.lines: list[Json] = []

    def add(self, payload_type: str, time_ms: int | None = None, event_id: str | None = None,
            **payload: Any) -> "Events":
        number = len(self.lines)
        if time_ms is None:
            time_ms = self.lines[-1]["time_ms"] + 1000 if self.lines else START_MS
        self.lines.append({
            "event_id": event_id or f"e{number}",
            "time_ms": time_ms,
            "payload_type": payload_type,
            "payload": payload,
        })
        return self

    def text(self) -> str:
        return "".join(json.dumps(line) + "\n" for line in self.lines)


def small_market() -> Events:
    """Two pools, three teams, two resources, bids that run and wait, settled for ten minutes."""
    events = Events()
    for pool, weight in (("search", 100_000_000), ("ads", 50_000_000)):
        events.add("PoolConfigured", pool=pool, market_weight_micros_per_hour=weight)
    for team, pool, income in (("ranking", "search", 60_000_000), ("vision", "search", 40_000_000),
                               ("bidding", "ads", 50_000_000)):
        events.add("TeamConfigured", team=team, pool=pool, income_micros_per_hour=income)
    events.add("SupplyChanged", resource="h100", chips=16)
    events.add("SupplyChanged", resource="a100", owner="ads", chips=8)
    events.add("BidPlaced", bid="rank-1", team="ranking", resource="h100", chips=8)
    events.add("BidPlaced", bid="see-1", team="vision", resource="h100", chips=8, min_chips=1)
    events.add("BidPlaced", bid="auction-1", team="bidding", resource="h100", chips=8)
    events.add("BidPlaced", bid="auction-2", team="bidding", resource="a100", chips=4)
    for minute in range(1, 12):
        events.add("ClockTicked", time_ms=START_MS + minute * 60_000)
    return events
