#!/usr/bin/env python3
"""The streams: events and outcomes."""

import csv
import io
import json
import os
import subprocess
import threading
import unittest

from program import BAD_INPUT, BINARY, DONE, USAGE, Events, ProgramTest, run, small_market


def lines_of(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


class Stream(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        self.events = small_market()
        self.events.add("BudgetGranted", team="vision", amount_micros=7_000_000, memo="für 'x'")
        self.events.add("BidPlaced", bid="rank-1", team="ranking", resource="h100", chips=1)
        self.events.lines[3].update(actor="user:ana", source="slurm")
        self.assert_done(run("append", "-", "--data", self.data, stdin=self.events.text()))

    def stream(self, command: str, *options: object, data: object = None) -> list[dict]:
        ran = self.assert_done(run(command, "--data", data or self.data, "--format", "json",
                                   *options))
        self.assertEqual(ran.err, "")
        return lines_of(ran.out)

    def follow(self, command: str, *options: object) -> subprocess.Popen:
        process = subprocess.Popen(
            [BINARY, command, "--data", str(self.data), "--follow", *map(str, options)],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        timer = threading.Timer(60, process.kill)  # a line that never comes ends the test
        self.addCleanup(timer.cancel)
        timer.start()
        return process


class EventStream(Stream):
    def test_is_what_was_appended(self) -> None:
        self.assertEqual(self.stream("events"), self.events.lines)

    def test_comes_round(self) -> None:
        ran = self.assert_done(run("events", "--data", self.data, "--format", "json"))
        again = self.dir / "again"
        self.assert_done(run("append", "-", "--data", again, stdin=ran.out))
        self.assertEqual(run("events", "--data", again, "--format", "json").out, ran.out)
        replayed = run("replay", "--data", self.data, "--format", "json").json()
        lines = run("replay", "--events", "-", "--format", "json", stdin=ran.out).json()
        self.assertEqual(lines, replayed)
        self.assertNotEqual(lines["digest"], "0" * 64)

    def test_of_a_stretch(self) -> None:
        last = len(self.events.lines) - 1
        for first, end in ((0, 0), (3, 7), (last, last), (5, None), (None, 4), (2, 10**18)):
            options = ["--from-offset", first] if first is not None else []
            options += ["--to-offset", end] if end is not None else []
            with self.subTest(f"{first} {end}"):
                self.assertEqual(self.stream("events", *options), self.events.lines[
                    first or 0:last + 1 if end is None else end + 1])
        self.assertEqual(self.stream("events", "--from-offset", last + 1), [])

    def test_with_offsets(self) -> None:
        items = self.stream("events", "--with-offset")
        self.assertEqual([item["event"] for item in items], self.events.lines)
        self.assertEqual([item["offset"] for item in items], list(range(len(items))))
        self.assertTrue(all(set(item) == {"offset", "append_time_ms", "event"} for item in items))
        self.assertGreater(items[0]["append_time_ms"], 1_700_000_000_000)

    def test_for_people_and_as_csv(self) -> None:
        table = self.assert_done(run("events", "--data", self.data)).out
        self.assertRegex(table, r"(?m)^ *3 +20\S+ +e3 +2026-01-01T00:00:03Z +user:ana +slurm +"
                         r"TeamConfigured +team=vision pool=search ")
        text = self.assert_done(run("events", "--data", self.data, "--format", "csv")).out
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["event_id"] for row in rows],
                         [line["event_id"] for line in self.events.lines])
        self.assertEqual([json.loads(row["payload"]) for row in rows],
                         [line["payload"] for line in self.events.lines])

    def test_more_than_a_batch(self) -> None:
        many = Events()
        for number in range(5000):
            many.add("ClockTicked", event_id=f"t{number}")
        data = self.dir / "many"
        self.assert_done(run("append", "-", "--data", data, stdin=many.text()))
        self.assertEqual(self.stream("events", data=data), many.lines)
        self.assertEqual(self.stream("events", "--from-offset", 1000, "--to-offset", 3000,
                                     data=data), many.lines[1000:3001])

    def test_follows_what_is_appended(self) -> None:
        process = self.follow("events", "--format", "json", "--from-offset", 20, "--to-offset",
                              len(self.events.lines))
        first = [process.stdout.readline() for _ in self.events.lines[20:]]
        self.assertEqual(lines_of("".join(first)), self.events.lines[20:])
        self.assertIsNone(process.poll())
        more = Events().add("ClockTicked", event_id="more")
        self.assert_done(run("append", "-", "--data", self.data, stdin=more.text()))
        self.assertEqual(lines_of(process.stdout.read()), more.lines)
        self.assertEqual(process.wait(), DONE)

    def test_of_no_log(self) -> None:
        for command in ("events", "outcomes"):
            ran = run(command, "--data", self.dir / "none", "--format", "json")
            self.assert_fails(ran, BAD_INPUT, "no market here yet")

    def test_usage(self) -> None:
        for command in ("events", "outcomes"):
            for options in (("--follow",), ("--from-offset", "x"), ("--to-offset", "-1"),
                            ("--from-offset", "3", "--to-offset", "2")):
                self.assert_fails(run(command, "--data", self.data, *options), USAGE)
        self.assert_fails(run("events", "--data", self.data, "--with-offset"), USAGE,
                          "--with-offset goes with --format json")


class OutcomeStream(Stream):
    def setUp(self) -> None:
        super().setUp()
        self.assert_done(run("run", "--once", "--data", self.data))

    def test_is_what_the_ledger_has(self) -> None:
        items = self.stream("outcomes")
        places = [(item["offset"], item["index"]) for item in items]
        self.assertEqual(places, sorted(set(places)))
        for offset in {item["offset"] for item in items}:
            indices = [index for at, index in places if at == offset]
            self.assertEqual(indices, list(range(len(indices))))
        self.assertTrue(all(set(item) == {"offset", "index", "payload_type", "payload"}
                            for item in items))
        kinds = {item["payload_type"] for item in items}
        self.assertLessEqual({"MarketCleared", "QuotaChanged", "BidFilled", "CreditsPosted",
                              "EventRejected"}, kinds)

    def test_is_what_the_queries_say(self) -> None:
        """Each kind of outcome is held against the command that reads the same records."""
        items = self.stream("outcomes")

        def those(kind: str) -> list[tuple[int, dict]]:
            return [(item["offset"], item["payload"]) for item in items
                    if item["payload_type"] == kind]

        postings = run("transfers", "--data", self.data, "--format", "json").json()["transfers"]
        self.assertEqual(
            [(offset, posted["kind"], posted["from"], posted["to"],
              posted.get("amount_micros", 0)) for offset, posted in those("CreditsPosted")
             if posted.get("amount_micros", 0)],
            [(item["offset"], item["kind"], item["from"], item["to"], item["amount_micros"])
             for item in postings])
        quotas = run("allocations", "--from", "2026-01-01", "--data", self.data, "--format",
                     "json").json()["allocations"]
        self.assertEqual(
            [(offset, quota["team"], quota["resource"], quota.get("chips", 0))
             for offset, quota in those("QuotaChanged")],
            [(item["offset"], item["team"], item["resource"], item["chips"]) for item in quotas])
        rejected = run("replay", "--data", self.data, "--format", "json").json()["rejected"]
        self.assertEqual([(offset, item["event_id"], item["code"].lower())
                          for offset, item in those("EventRejected")],
                         [(item["offset"], item["event_id"], item["code"]) for item in rejected])
        self.assertGreater(len(rejected), 0)

    def test_of_a_stretch(self) -> None:
        items = self.stream("outcomes")
        for first, end in ((0, 12), (12, 15), (15, 10**18), (23, 23)):
            with self.subTest(f"{first} {end}"):
                part = self.stream("outcomes", "--from-offset", first, "--to-offset", end)
                self.assertEqual(part, [item for item in items if first <= item["offset"] <= end])
        self.assertEqual(self.stream("outcomes", "--from-offset", 24), [])

    def test_for_people_and_as_csv(self) -> None:
        items = self.stream("outcomes")
        table = self.assert_done(run("outcomes", "--data", self.data)).out
        self.assertRegex(table, r"(?m)^ *23 +0 +- +EventRejected +event_id=e23 .*bid_exists")
        text = self.assert_done(run("outcomes", "--data", self.data, "--format", "csv")).out
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([(int(row["offset"]), int(row["index"]), row["payload_type"],
                           json.loads(row["payload"])) for row in rows],
                         [(item["offset"], item["index"], item["payload_type"], item["payload"])
                          for item in items])

    def test_follows_what_is_applied(self) -> None:
        known = self.stream("outcomes")
        process = self.follow("outcomes", "--format", "json", "--to-offset", 24)
        self.assertEqual(lines_of("".join(process.stdout.readline() for _ in known)), known)
        more = Events().add("ClockTicked", event_id="e0")
        self.assert_done(run("append", "-", "--data", self.data, stdin=more.text()))
        self.assert_done(run("run", "--once", "--data", self.data))
        new = lines_of(process.stdout.read())
        self.assertEqual(process.wait(), DONE)
        self.assertEqual([(item["offset"], item["payload"]["code"]) for item in new],
                         [(24, "id_reused")])

    def test_a_reader_that_goes_away_ends_it_quietly(self) -> None:
        for command in ("events", "outcomes"):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([BINARY, command, "--data", str(self.data), "--follow",
                                   "--format", "json"], stdout=writer, stderr=subprocess.PIPE,
                                  check=False, timeout=60)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (-13, b""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
