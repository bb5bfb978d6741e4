#!/usr/bin/env python3
"""More than 100,000 transactions: split, accepted by every program, with equal balances."""

from __future__ import annotations

import json
import pathlib
import random
import re
import tempfile
import time
import unittest
from typing import Iterator

import books
from books import BALANCES, BINARY, TOOLS, complaint, export, market_balances, run_tool
from program import START_MS, Json

SEED = 20260101
EVENTS = 125_000
MOST_IN_FILE = 100_000
POOLS = ("search", "Search", "ads.eu")
TEAMS_IN_POOL = 7


def event(number: int, kind: str, payload: Json) -> Json:
    return {"event_id": f"e{number}", "time_ms": START_MS + number * 1_000, "actor": "generator",
            "payload_type": kind, "payload": payload}


def history(random_: random.Random) -> Iterator[Json]:
    """A tick a minute, and a grant, a claw-back or a transfer each second of a day and a half."""
    teams = {pool: [f"{pool}-{place}" for place in range(TEAMS_IN_POOL)] for pool in POOLS}
    number = 0
    for pool in POOLS:
        yield event(number, "PoolConfigured",
                    {"pool": pool, "market_weight_micros_per_hour": 90_000_000})
        number += 1
        for team in teams[pool]:
            yield event(number, "TeamConfigured",
                        {"team": team, "pool": pool, "income_micros_per_hour": 33_333_333})
            yield event(number + 1, "BidPlaced", {"bid": f"bid-{team}", "team": team,
                                                  "resource": "h100", "chips": 4, "min_chips": 1})
            yield event(number + 2, "BudgetGranted", {"team": team, "amount_micros": 10**12})
            number += 3
    yield event(number, "SupplyChanged", {"resource": "h100", "chips": 50})
    for number in range(number + 1, EVENTS):
        pool = random_.choice(POOLS)
        one, other = random_.sample(teams[pool], 2)
        amount = random_.randint(1, 10**8)
        if number % 60 == 0:
            yield event(number, "ClockTicked", {})
        elif random_.random() < 0.8:
            yield event(number, "CreditsTransferred",
                        {"from_team": one, "to_team": other, "amount_micros": amount})
        else:
            sign = -1 if random_.random() < 0.5 else 1
            yield event(number, "BudgetGranted", {"team": one, "amount_micros": sign * amount})


class Many(unittest.TestCase):
    def test_split_accepted_and_equal(self) -> None:
        print(f"seed {SEED}", flush=True)
        with tempfile.TemporaryDirectory(prefix="qmarket-books-") as folder:
            self.go(pathlib.Path(folder))

    def go(self, folder: pathlib.Path) -> None:
        data = folder / "data"
        file = folder / "events.jsonl"
        with file.open("w") as out:
            for line in history(random.Random(SEED)):
                out.write(json.dumps(line) + "\n")
        for arguments in (("append", file), ("run", "--once")):
            done = run_tool(BINARY, *arguments, "--data", data)
            self.assertEqual(done.returncode, 0, done.stderr)
        ours = market_balances(data)
        self.assertGreater(len(ours), 2 * TEAMS_IN_POOL)
        for form in TOOLS:
            start = time.monotonic()
            book = export(data, form, folder / form)
            exported = time.monotonic()
            counts = self.transactions(book)
            self.assertEqual([count == MOST_IN_FILE for count in counts],
                             [True] * (len(counts) - 1) + [False])
            self.assertGreater(sum(counts), MOST_IN_FILE)
            self.assertEqual(complaint(form, book), "")
            checked = time.monotonic()
            self.assertEqual(BALANCES[form](book), ours)
            print(f"{form}: {sum(counts)} transactions in {len(counts)} files exported in "
                  f"{exported - start:.1f} s, checked in {checked - exported:.1f} s, "
                  f"{len(ours)} balances equal", flush=True)

    def transactions(self, book: pathlib.Path) -> list[int]:
        """How many each file beside the main one has; the main one has none, and all of them."""
        main = book.read_text()
        files = re.findall(r'^include "?([^"\n]*)"?$', main, re.MULTILINE)
        self.assertEqual(sorted(files), sorted(file.name for file in book.parent.iterdir()
                                               if file != book))
        begins = re.compile(r"^\d{4}-\d\d-\d\d (?:\(|\*)", re.MULTILINE)
        self.assertIsNone(begins.search(main))
        return [len(begins.findall((book.parent / file).read_text())) for file in files]


if __name__ == "__main__":
    books.skip_without_programs()
    unittest.main()
