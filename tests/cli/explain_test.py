#!/usr/bin/env python3
"""qmarket explain: the answer, and its claims held against a replay of the changed log."""

import copy
import csv
import io
import json
import unittest

from program import BAD_INPUT, START_MS, USAGE, Events, ProgramTest, run

MINUTE_MS = 60_000
CREDIT = 1_000_000


def contended_market() -> Events:
    """Two teams of one pool want eight chips; one is preempted, one waits below its limit."""
    events = Events()
    events.add("PoolConfigured", pool="search", market_weight_micros_per_hour=100 * CREDIT)
    for team in ("rank", "lab"):
        events.add("TeamConfigured", team=team, pool="search", income_micros_per_hour=50 * CREDIT)
    events.add("SupplyChanged", resource="h100", chips=8)
    events.add("BidPlaced", bid="cheap", team="rank", resource="h100", chips=8,
               limit_price_micros=2 * CREDIT)
    events.add("BidPlaced", bid="free", team="rank", resource="h100", chips=2, opportunistic=True)
    events.add("ClockTicked", time_ms=START_MS + MINUTE_MS)
    events.add("BidPlaced", bid="dear", team="lab", resource="h100", chips=8)
    events.add("ClockTicked", time_ms=START_MS + 2 * MINUTE_MS)
    events.add("ClockTicked", time_ms=START_MS + 3 * MINUTE_MS)
    events.add("BidPlaced", bid="late", team="lab", resource="h100", chips=1)
    events.add("BidWithdrawn", bid="free", reason="cancelled")
    return events


class Explain(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        self.events = contended_market()
        self.assert_done(run("append", "-", "--data", self.data, stdin=self.events.text()))
        self.assert_done(run("run", "--once", "--data", self.data))

    def ask(self, bid: str, *options: object) -> dict:
        return self.assert_done(run("explain", bid, "--data", self.data, "--format", "json",
                                    *options)).json()

    def runs_after(self, bid: str, tick: int, change: dict | None) -> bool:
        """Whether the bid runs after the tick at this offset, in a log with one event more."""
        lines = copy.deepcopy(self.events.lines[:tick + 1])
        if change is not None:
            change.update(event_id="changed", time_ms=lines[tick - 1]["time_ms"])
            lines.insert(tick, change)
        text = "".join(json.dumps(line) + "\n" for line in lines)
        state = self.assert_done(run("replay", "--events", "-", "--format", "json", stdin=text))
        self.assertEqual(state.json()["rejected"], [])
        bids = state.json()["bids"]
        return bids[bid]["state"] == ("unpaid" if bid == "free" else "running")

    def change(self, bid: str, what: str, value: int | None) -> dict:
        if what == "limit_price":
            return {"payload_type": "BidAmended",
                    "payload": {"bid": bid, "limit_price_micros": -1 if value is None else value}}
        if what == "income":
            team = "lab" if bid == "dear" else "rank"
            return {"payload_type": "TeamConfigured",
                    "payload": {"team": team, "pool": "search", "income_micros_per_hour": value}}
        owner = "search" if what == "owned_supply" else ""
        return {"payload_type": "SupplyChanged",
                "payload": {"resource": "h100", "owner": owner, "chips": value}}

    def test_every_claim_holds_in_a_replay_of_the_changed_log(self) -> None:
        ticks = [offset for offset, line in enumerate(self.events.lines)
                 if line["payload_type"] == "ClockTicked"]
        claims = 0
        for tick in ticks:
            for bid in ("cheap", "free", "dear"):
                answer = self.ask(bid, "--offset", tick)
                if answer["cycle"] is None:
                    continue
                self.assertEqual(self.runs_after(bid, tick, None), answer["reason"] == "nothing")
                for claim in answer["counterfactuals"]:
                    for key, expected in (("runs_at", True), ("not_at", False)):
                        if key not in claim:
                            continue
                        with self.subTest(f"{bid} at {tick}: {claim}"):
                            change = self.change(bid, claim["change"], claim[key])
                            self.assertIs(self.runs_after(bid, tick, change), expected)
                            claims += 1
        self.assertGreater(claims, 20)

    def test_a_preempted_bid(self) -> None:
        answer = self.ask("cheap", "--at", START_MS + 2 * MINUTE_MS)
        self.assert_at_least({
            "time_ms": START_MS + 2 * MINUTE_MS, "bid": "cheap", "team": "rank",
            "verdict": "preempted", "chips": 0, "limit_price_micros": 2 * CREDIT,
            "cycle": {"offset": 8, "time_ms": START_MS + 2 * MINUTE_MS, "chips_before": 8,
                      "paid_before": 8,
                      "market": {"pool": "search", "price_micros": 2 * CREDIT,
                                 "exchange_rate": "1/1", "supply": 8},
                      "offer": {"reservation_price_micros": 2 * CREDIT},
                      "queue": {"place": 1, "bids": 1, "before": []},
                      "budget": {"income_micros_per_hour": 50 * CREDIT},
                      "competitor": {"bid": "dear", "team": "lab",
                                     "reservation_price_reference_micros": 5 * CREDIT}},
            "loss": {"offset": 8, "time_ms": START_MS + 2 * MINUTE_MS, "lost": 8, "left": 0,
                     "reason": "outbid"},
            "won_by": [{"bid": "dear", "team": "lab", "chips": 8, "paid": 8}],
        }, answer)
        self.assertIn("cheap was preempted: that cycle took its 8 chips (reason outbid).",
                      answer["explanation"])

    def test_a_reason_is_told_with_what_made_it_apply(self) -> None:
        self.assertIn(
            "It paid, there are no fewer chips of h100 than at the cycle before, and pools lend "
            "no fewer: it was other bids that took its place. That is the reason outbid.",
            self.ask("cheap", "--offset", 8)["explanation"])

    def test_what_was_left_for_a_block_is_counted_at_its_turn(self) -> None:
        events = Events()
        events.add("PoolConfigured", pool="search", market_weight_micros_per_hour=100 * CREDIT)
        for team in ("rank", "lab"):
            events.add("TeamConfigured", team=team, pool="search",
                       income_micros_per_hour=50 * CREDIT)
        events.add("SupplyChanged", resource="h100", chips=8)
        events.add("BidPlaced", bid="large", team="rank", resource="h100", chips=7)
        events.add("BidPlaced", bid="block", team="lab", resource="h100", chips=3, min_chips=2,
                   limit_price_micros=CREDIT)
        events.add("BidPlaced", bid="small", team="lab", resource="h100", chips=1,
                   limit_price_micros=CREDIT)
        events.add("ClockTicked", time_ms=START_MS + MINUTE_MS)
        data = self.dir / "block"
        self.assert_done(run("append", "-", "--data", data, stdin=events.text()))
        self.assert_done(run("run", "--once", "--data", data))
        ran = self.assert_done(run("explain", "block", "--data", data, "--format", "json"))
        self.assertEqual((ran.json()["reason"], ran.json()["cycle"]["market"]["left_at_its_turn"],
                          ran.json()["cycle"]["market"]["free"]), ("tie", 1, 0))
        text = " ".join(ran.json()["explanation"])
        self.assertIn("1 chip was left for it", text)
        self.assertIn("it needs 2. Bids behind it that could use what was left took of it.", text)
        small = self.assert_done(run("explain", "small", "--data", data, "--format", "json"))
        self.assertEqual(small.json()["verdict"], "running")
        page = self.assert_done(run("explain", "block", "--data", data)).out
        self.assertNotRegex(page, r"(?m)^(its limit price|income|shared).*  -(  |$)")
        page = self.assert_done(run("explain", "large", "--data", data)).out
        for words in ("price       ", "pool price  ", "reference   ", "no limit"):
            self.assertIn(words, page)

    def test_later_it_says_when_it_lost_its_chips(self) -> None:
        answer = self.ask("cheap")
        self.assertEqual((answer["verdict"], answer["cycle"]["offset"]), ("waiting", 9))
        self.assertIsNone(answer["loss"])
        self.assertEqual(answer["last_loss"]["offset"], 8)
        self.assertEqual(answer["won_by"], [])
        self.assertIn("It last lost chips at 2026-01-01T00:02:00Z (offset 8): 8 chips, reason "
                      "outbid.", answer["explanation"])

    def test_moments_without_a_cycle(self) -> None:
        for bid, options, verdict, text in (
                ("late", (), "placed_since", "late waits for the next cycle"),
                ("cheap", ("--offset", 5), "placed_since", "cheap waits for the next cycle"),
                ("late", ("--offset", 5), "not_placed",
                 "late is not placed yet: that happens at 2026-01-01T00:03:01Z (offset 10)."),
                ("late", ("--at", "2020-01-01"), "not_placed", "late is not placed yet"),
                ("free", (), "ended", "free has ended: it was withdrawn at "
                                      "2026-01-01T00:03:02Z (offset 11), cancelled.")):
            with self.subTest(f"{bid} {options}"):
                answer = self.ask(bid, *options)
                self.assertEqual(answer["verdict"], verdict)
                self.assertIsNone(answer["cycle"])
                self.assertEqual(answer["counterfactuals"], [])
                self.assertIsNone(answer["reason"])
                self.assertIn(text, answer["explanation"][0])

    def test_checkpoints_do_not_change_the_answer(self) -> None:
        for tick in (6, 8, 9):
            self.assertEqual(self.ask("cheap", "--offset", tick),
                             self.ask("cheap", "--offset", tick, "--no-checkpoints"))

    def test_the_page_is_for_people(self) -> None:
        ran = self.assert_done(run("explain", "cheap", "--data", self.data, "--offset", 8))
        lines = ran.out.splitlines()
        self.assertEqual(lines[0], "After offset 8, 2026-01-01T00:02:00Z")
        self.assertEqual(lines[2], "cheap was preempted: that cycle took its 8 chips (reason "
                                   "outbid).")
        for text in ("The price of h100 in pool search was 2 cr per chip and hour",
                     "balance", "who won chips at that cycle", "What would have let it run.",
                     "its limit price"):
            self.assertIn(text, ran.out)
        self.assertLessEqual(max(len(line) for line in lines[:6]), 100)

    def test_csv_has_a_value_a_record(self) -> None:
        ran = self.assert_done(run("explain", "cheap", "--data", self.data, "--offset", 8,
                                   "--format", "csv"))
        rows = list(csv.DictReader(io.StringIO(ran.out)))
        values = {(row["part"], row["field"]): row["value"] for row in rows}
        answer = self.ask("cheap", "--offset", 8)
        self.assertEqual(values["bid", "verdict"], answer["verdict"])
        self.assertEqual(values["cycle", "price_micros"],
                         str(answer["cycle"]["market"]["price_micros"]))
        self.assertEqual(values["loss", "reason"], "outbid")

    def test_unknown_bids(self) -> None:
        self.assert_fails(run("explain", "chaep", "--data", self.data), BAD_INPUT,
                          "no bid chaep; did you mean cheap?")
        self.assert_fails(run("explain", "cheap", "--data", self.data, "--offset", 1000),
                          BAD_INPUT, "offset 1000 is not applied yet")
        self.assert_fails(run("explain", "--data", self.data), USAGE, "BID")
        self.assert_fails(run("explain", "cheap", "--data", self.dir / "missing"), BAD_INPUT,
                          "no market here yet")


if __name__ == "__main__":
    unittest.main(verbosity=2)
