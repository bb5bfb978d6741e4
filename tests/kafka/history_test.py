#!/usr/bin/env python3
"""Histories of a market on Kafka: the log has holes there, and may be away."""

from __future__ import annotations

import json
import pathlib
import unittest
from typing import Any

from market_test import MarketTest, event, small_market, usage
from matchers import Market, Matcher
from topics import produce
from waiting import wait_until


SECONDS = 60


class Histories(MarketTest):
    def test_balances_with_their_events(self) -> None:
        data = self.dir / "data"
        self.market.create()
        self.market.append(small_market())
        # Ticks are appended in transactions, whose marks take offsets.
        matcher = Matcher("a", self.dir, self.market, data=data).start()
        matcher.wait_for("owns the market")
        for number in range(3):
            self.market.append(usage(f"u{number}", 700))
            produce(self.market.brokers, self.market.topic("events"), b"no event")
            self.market.append([event(f"g{number}", "BudgetGranted", team="see", amount_micros=1)])
        wait_until(lambda: {"BudgetGranted", "ClockTicked"} <=
                   {item["event"] for item in self.history(self.market, data)[0]},
                   SECONDS, "a settlement and grants")
        self.assertEqual(matcher.stop(), 0, matcher.log())

        points, said = self.history(self.market, data)
        self.assertEqual(said, "")
        events = self.events()
        self.assertLess(len(events), max(events) + 1, "the log has no holes")
        for point in points:
            stored = events[point["offset"]]
            self.assertEqual((point["event_id"], point["event"]),
                             (stored["event_id"], stored["payload_type"]))

        self.check_statement(data)
        away = Market("127.0.0.1:1", self.market.name)
        without, said = self.history(away, data, "--timeout", "1")
        self.assertEqual(said.count("without the events that made the changes"), 1)
        self.assertEqual(without, [{**point, "event": None, "event_id": None} for point in points])

    def check_statement(self, data: pathlib.Path) -> None:
        """One is made and verified with nothing but the ledger; it names the log."""
        key, document = self.dir / "key.pem", self.dir / "statement.json"
        self.market.run("audit", "statement", "--new-key", key).done()
        made = self.market.run("audit", "statement", "--key", key, data=data).done()
        document.write_text(made.out)
        self.assertIn(self.market.topic("events"), json.loads(made.out)["body"]["log"])
        verified = self.market.run("audit", "statement", "--verify", document, data=data).done()
        self.assertIn("The books say the same", verified.out)

    def history(self, market: Market, data: pathlib.Path,
                *options: str) -> tuple[list[dict[str, Any]], str]:
        ran = market.run("balance", "--from", "0", "--format", "json", *options, data=data).done()
        return json.loads(ran.out)["balances"], ran.err

    def events(self) -> dict[int, dict[str, Any]]:
        """By offset."""
        ran = self.market.run("events", "--with-offset", "--format", "json").done()
        return {record["offset"]: record["event"]
                for record in map(json.loads, ran.out.splitlines())}


if __name__ == "__main__":
    unittest.main(verbosity=2)
