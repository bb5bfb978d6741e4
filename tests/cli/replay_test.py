#!/usr/bin/env python3
"""`qmarket replay`."""

import csv
import io
import json
import unittest

from program import BAD_INPUT, START_MS, Events, ProgramTest, run, small_market


def good(number: int = 0) -> dict:
    return {"event_id": f"e{number}", "time_ms": START_MS, "payload_type": "ClockTicked",
            "payload": {}}


class ReplayEvents(ProgramTest):
    def replay(self, events: Events | str, *options: str) -> dict:
        text = events if isinstance(events, str) else events.text()
        ran = run("replay", "--events", "-", "--format", "json", *options, stdin=text)
        self.assertEqual(self.assert_done(ran).err, "")
        return ran.json()

    def test_of_nothing(self) -> None:
        self.assertEqual(self.replay(""), {
            "offset": None, "time_ms": None, "digest": "0" * 64, "cycles": 0,
            "settings": {"cycle_ms": 60_000, "settlement_ms": 300_000,
                         "min_affordable_ms": 7_200_000, "keep_affordable_ms": 1_800_000,
                         "entry_margin_percent": 25, "purse_hours": 168,
                         "rules_version": 1},
            "teams": {}, "pools": {}, "resources": {}, "bids": {}, "rejected": [],
            "preempted": []})

    def test_has_the_contracts_fields(self) -> None:
        state = self.replay(small_market())
        self.assertEqual(state["offset"], len(small_market().lines) - 1)
        self.assertEqual(state["time_ms"], START_MS + 11 * 60_000)
        self.assertRegex(state["digest"], "^[0-9a-f]{64}$")
        self.assertLessEqual({"balance_micros", "charged_micros", "minted_micros",
                              "uncollected_micros"}, set(state["teams"]["ranking"]))
        self.assertLessEqual({"exchange_rate", "purse_micros", "uncollected_micros"},
                             set(state["pools"]["ads"]))
        self.assertLessEqual({"reference_price_micros", "supply", "allocated", "pools"},
                             set(state["resources"]["h100"]))
        self.assert_at_least({"price_micros": 0, "owned": 8},
                             state["resources"]["a100"]["pools"]["ads"])
        self.assert_at_least({"state": "running", "chips": 4, "paid": 4},
                             state["bids"]["auction-2"])
        numerator, denominator = state["pools"]["search"]["exchange_rate"].split("/")
        self.assertGreater(int(numerator) * int(denominator), 0)

    def test_lists_what_was_rejected_and_preempted(self) -> None:
        events = small_market()
        last = len(events.lines)
        events.add("BidPlaced", event_id="twice", bid="rank-1", team="ranking", resource="h100",
                   chips=1)
        events.add("BidPlaced", event_id="twice", bid="rank-2", team="ranking", resource="h100",
                   chips=1)
        events.add("ClockTicked", event_id="e0", time_ms=START_MS)
        events.add("ChipsPreempted", time_ms=START_MS + 12 * 60_000, bid="auction-2", chips=9,
                   reason="node_failure")
        state = self.replay(events)
        self.assertEqual(state["rejected"], [
            {"event_id": "twice", "offset": last, "code": "bid_exists"},
            {"event_id": "twice", "offset": last + 1, "code": "id_reused"},
            {"event_id": "e0", "offset": last + 2, "code": "id_reused"}])
        self.assertIn({"bid": "auction-2", "offset": last + 3, "reason": "node_failure"},
                      state["preempted"])

    def test_the_digest_covers_what_happened(self) -> None:
        digest = self.replay(small_market())["digest"]
        self.assertEqual(self.replay(small_market())["digest"], digest)
        more = small_market()
        more.lines[8]["payload"]["chips"] = 7
        self.assertNotEqual(self.replay(more)["digest"], digest)

    def test_a_bad_line_ends_it_and_nothing_is_printed(self) -> None:
        for line, fragments in (
                ("{", ["no JSON"]),
                ("[]", []),
                ('"text"', []),
                (json.dumps(good(2))[:-5], []),
                (json.dumps({**good(2), "more": 1}), ["more"]),
                (json.dumps({**good(2), "time_ms": -1}), ["time_ms", "-1", "4102444800000"]),
                (json.dumps({**good(2), "time_ms": "soon"}), ["time_ms", "soon"]),
                (json.dumps({**good(2), "time_ms": 1.5}), ["time_ms", "1.5"]),
                (json.dumps({**good(2), "event_id": ""}), ["event_id"]),
                (json.dumps({**good(2), "event_id": "é"}), ["event_id"]),
                (json.dumps({**good(2), "event_id": "x" * 129}), ["event_id"]),
                (json.dumps({**good(2), "payload_type": "BidLost"}), ["payload_type", "BidLost"]),
                (json.dumps({**good(2), "payload": {"tick": 1}}), ["tick"]),
                (json.dumps({**good(2), "payload_type": "PoolConfigured"}), ["pool"]),
                (json.dumps({**good(2), "payload_type": "PoolConfigured",
                             "payload": {"pool": "a b"}}), ["pool", "a b"]),
                (json.dumps({**good(2), "payload_type": "SupplyChanged",
                             "payload": {"resource": "h100", "chips": 4_000_001}}),
                 ["chips", "4000001", "4000000"]),
                (json.dumps({**good(2), "payload_type": "BudgetGranted",
                             "payload": {"team": "a", "amount_micros": 10**20}}),
                 ["amount_micros", str(10**20)]),
                ('{"event_id": "e2", "event_id": "e3", "time_ms": 0, "payload_type": '
                 '"ClockTicked", "payload": {}}', ["event_id"])):
            with self.subTest(line):
                path = self.write("events.jsonl", "\n".join(
                    [json.dumps(good(0)), "", json.dumps(good(1)), line, json.dumps(good(3))]))
                for options in (("--format", "json"), ()):
                    ran = run("replay", "--events", path, *options)
                    self.assert_fails(ran, BAD_INPUT, f"{path}:4: ", *fragments)

    def test_reads_lines_of_any_length_but_not_without_end(self) -> None:
        long = {**good(1), "actor": "x" * 200_000}
        self.assertEqual(self.replay(json.dumps(long))["offset"], 0)
        ran = run("replay", "--events", "-", stdin='{"actor": "' + "x" * 4_000_000)
        self.assert_fails(ran, BAD_INPUT, "stdin:1: ")

    def test_stops_at_an_offset(self) -> None:
        events = small_market()
        for offset in (0, 7, 15):
            with self.subTest(offset):
                part = Events()
                part.lines = events.lines[:offset + 1]
                self.assertEqual(self.replay(events, "--offset", str(offset)), self.replay(part))
        ran = run("replay", "--events", "-", "--offset", "500", stdin=events.text())
        self.assert_fails(ran, BAD_INPUT, "no offset 500 yet: the last is 21")

    def test_stops_at_a_time(self) -> None:
        events = small_market()
        part = Events()
        part.lines = events.lines[:-6]
        expected = self.replay(part)
        at = START_MS + 5 * 60_000
        self.assertEqual(expected["time_ms"], at)
        for time in (str(at), str(at + 59_999), "2026-01-01T00:05:00Z", "2026-01-01T00:05"):
            self.assertEqual(self.replay(events, "--at", time), expected)
        self.assertEqual(self.replay(events, "--at", "2025-01-01")["offset"], None)
        self.assertEqual(self.replay(events, "--at", "2027-01-01"), self.replay(events))

    def test_an_event_that_is_rejected_does_not_end_the_time_it_claims(self) -> None:
        events = small_market()
        later = {"event_id": "e0", "time_ms": START_MS + 10**9, "payload_type": "ClockTicked",
                 "payload": {}}
        events.lines.insert(-6, later)
        at = START_MS + 5 * 60_000
        state = self.replay(events, "--at", str(at))
        self.assertEqual(state["time_ms"], at)
        self.assertEqual(state["offset"], len(events.lines) - 7)
        self.assertEqual(len(state["rejected"]), 1)
        after = self.replay(events, "--at", str(at + 60_000))
        self.assertEqual(after["offset"], len(events.lines) - 6)

    def test_a_late_event_counts_at_its_effective_time(self) -> None:
        events = small_market()
        events.add("BidWithdrawn", time_ms=START_MS, bid="rank-1")
        before = self.replay(events, "--at", str(START_MS + 10 * 60_000))
        self.assertEqual(before["bids"]["rank-1"]["state"], "running")
        after = self.replay(events, "--at", str(START_MS + 11 * 60_000))
        self.assertEqual(after["bids"]["rank-1"]["state"], "ended")

    def test_prints_a_table(self) -> None:
        ran = self.assert_done(run("replay", "--events", "-", stdin=small_market().text()))
        self.assertIn("State after offset 21, 2026-01-01T00:11:00Z", ran.out)
        self.assertRegex(ran.out, r"(?m)^auction-2 +bidding +a100 +running +4 +4 +4$")

    def test_csv_has_every_value_of_the_document(self) -> None:
        events = small_market()
        events.add("BidWithdrawn", bid="unknown")
        state = self.replay(events)
        ran = run("replay", "--events", "-", "--format", "csv", stdin=events.text())
        rows = [(row["part"], row["name"], row["field"], row["value"])
                for row in csv.DictReader(io.StringIO(self.assert_done(ran).out))]
        self.assertIn(("state", "", "digest", state["digest"]), rows)
        self.assertEqual(state["teams"]["ranking"].pop("quotas"), {"h100": 8})
        self.assertIn(("teams", "ranking", "quotas.h100", "8"), rows)
        words = {None: "", True: "true", False: "false"}
        for part in ("teams", "pools", "bids"):
            for name, fields in state[part].items():
                fields.pop("quotas", None)
                for field, value in fields.items():
                    text = words[value] if value is None or value is True or value is False \
                        else str(value)
                    self.assertIn((part, name, field, text), rows)
        self.assertIn(("resources", "a100", "pools.ads.owned", "8"), rows)
        self.assertIn(("rejected", "e22", "code", "unknown_bid"), rows)

    def test_a_long_table_says_what_it_leaves_out(self) -> None:
        events = small_market()
        for number in range(60):
            events.add("BidWithdrawn", bid=f"unknown-{number}")
        ran = self.assert_done(run("replay", "--events", "-", stdin=events.text()))
        self.assertIn("... and 10 more rejected events; --format json has them all", ran.out)

    def test_prints_statistics_on_request(self) -> None:
        ran = run("replay", "--events", "-", "--format", "json", "--stats",
                  stdin=small_market().text())
        self.assertEqual(self.assert_done(ran).json()["offset"], 21)
        self.assertRegex(ran.err, r"^22 events in [\d.]+ s, [\d,]+ events/s, peak memory [\d.]+ .B")


if __name__ == "__main__":
    unittest.main(verbosity=2)
