#!/usr/bin/env python3
"""Any past moment: from checkpoints, from the log alone, and proven."""

import shutil
import unittest

from program import (BAD_INPUT, START_MS, USAGE, VERIFICATION_FAILED, ProgramTest, Ran, run,
                     small_market)

MINUTE_MS = 60_000
EVERY = 10


def market_of_an_hour():
    events = small_market()
    for minute in range(12, 60):
        at = START_MS + minute * MINUTE_MS
        events.add("BudgetGranted", time_ms=at, team="vision", amount_micros=minute)
        if minute % 7 == 0:
            events.add("BidWithdrawn", time_ms=at, bid=f"unknown-{minute}")
        if minute % 5 == 0:
            events.add("BidPlaced", time_ms=at, bid=f"late-{minute}", team="ranking",
                       resource="h100", chips=2)
        events.add("ClockTicked", time_ms=at)
    return events


class Past(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        self.events = market_of_an_hour()
        # Every run leaves a checkpoint at its end.
        lines = self.events.text().splitlines(keepends=True)
        for start in range(0, len(lines), 30):
            self.assert_done(run("append", "-", "--data", self.data,
                                 stdin="".join(lines[start:start + 30])))
            self.run_once()
        self.last = len(self.events.lines) - 1

    def run_once(self) -> Ran:
        return self.assert_done(run("run", "--once", "--checkpoint-events", EVERY, "--data",
                                    self.data))

    def ask(self, *arguments: object) -> Ran:
        return self.assert_done(run(*arguments, "--data", self.data, "--format", "json"))

    def checkpoints(self) -> list:
        return sorted((self.data / "checkpoints").glob("state-*"))

    def assert_same_without(self, *arguments: object) -> None:
        self.assertEqual(self.ask(*arguments).json(),
                         self.ask(*arguments, "--no-checkpoints").json())

    def test_every_answer_is_the_same_from_checkpoints_and_without(self) -> None:
        self.assertGreater(len(self.checkpoints()), 3)
        for offset in (0, 9, 10, 11, 47, 73, self.last):
            for command in ("replay", "bids", "teams", "pools", "supply"):
                with self.subTest(f"{command} {offset}"):
                    self.assert_same_without(command, "--offset", offset)
        for minute in (-1, 0, 13, 30, 59, 100):
            for command in ("replay", "teams"):
                with self.subTest(f"{command} at {minute}"):
                    self.assert_same_without(command, "--at", START_MS + minute * MINUTE_MS)

    def test_it_says_what_it_used(self) -> None:
        ran = self.ask("replay", "--offset", self.last)
        self.assertRegex(ran.err, r"\Aqmarket: rebuilt from the checkpoint at offset \d+ and "
                                  r"\d+ events? behind it\n\Z")
        ran = self.ask("replay", "--offset", 5)
        self.assertEqual(ran.err, "qmarket: rebuilt from the log alone: 6 events\n")
        ran = self.ask("bids", "--no-checkpoints", "--offset", self.last)
        self.assertEqual(ran.err,
                         f"qmarket: rebuilt from the log alone: {self.last + 1} events\n")

    def test_a_replay_of_the_lines_is_the_same(self) -> None:
        ran = run("replay", "--events", "-", "--format", "json", stdin=self.events.text())
        self.assertEqual(self.ask("replay").json(), self.assert_done(ran).json())

    def test_checkpoints_can_be_deleted(self) -> None:
        before = self.ask("replay", "--offset", 70).json()
        shutil.rmtree(self.data / "checkpoints")
        ran = self.ask("replay", "--offset", 70)
        self.assertEqual(ran.json(), before)
        self.assertIn("from the log alone", ran.err)
        self.run_once()

    def test_a_damaged_one_is_passed_over_and_named(self) -> None:
        before = self.ask("replay").json()
        newest = self.checkpoints()[-1]
        damaged = bytearray(newest.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        newest.write_bytes(bytes(damaged))
        ran = self.ask("replay")
        self.assertEqual(ran.json(), before)
        self.assertIn(f"passed over: checkpoint {newest}: it is damaged", ran.err)
        self.assertIn("from the checkpoint at offset", ran.err)

    def test_a_stretch_is_verified(self) -> None:
        whole = self.ask("replay", "--verify").json()
        self.assertEqual((whole["verified"], whole["events"], whole["offset"]),
                         (True, self.last + 1, self.last))
        self.assertEqual(whole["digest"], self.ask("replay").json()["digest"])
        for first, last in ((0, 0), (30, 60), (self.last, self.last)):
            part = self.ask("replay", "--verify", "--from-offset", first, "--to-offset",
                            last).json()
            self.assertEqual((part["verified"], part["events"], part["from_offset"],
                              part["offset"]), (True, last - first + 1, first, last))
            self.assertEqual(part["digest"],
                             self.ask("replay", "--offset", last).json()["digest"])
        part = self.ask("replay", "--verify", "--from", START_MS + 20 * MINUTE_MS, "--to",
                        START_MS + 21 * MINUTE_MS).json()
        self.assertEqual((part["verified"], part["events"]), (True, 6))

    def test_a_stretch_that_is_none(self) -> None:
        def verify(*options: object) -> Ran:
            return run("replay", "--verify", "--data", self.data, *options)
        self.assert_fails(verify("--from-offset", 9, "--to-offset", 8), BAD_INPUT,
                          "no event from offset 9 to 8")
        self.assert_fails(verify("--to-offset", 5000), BAD_INPUT, "5000 is not applied yet")
        self.assert_fails(verify("--from-offset", "x"), USAGE, "--from-offset", "x")
        self.assert_fails(verify("--from", "soon"), USAGE, "--from", "soon")
        self.assert_fails(verify("--to", "2020-01-01"), BAD_INPUT, "nothing happened")
        self.assert_fails(run("replay", "--data", self.data, "--from-offset", 3), USAGE,
                          "--verify")

    def test_what_is_not_applied_yet_is_said(self) -> None:
        self.assert_done(run("append", "-", "--data", self.data,
                             stdin=small_market().text().replace('": "e', '": "again-')))
        verified = self.ask("replay", "--verify").json()
        self.assertEqual((verified["verified"], verified["not_applied"]), (True, 22))
        ran = self.assert_done(run("replay", "--verify", "--data", self.data))
        self.assertIn("The log has 22 more, which the ledger has not applied yet", ran.out)

    def test_a_ledger_that_lost_its_end_is_refused_and_made_again(self) -> None:
        digest = self.ask("replay").json()["digest"]
        balances = self.ask("balance", "--all").json()
        journal = max((self.data / "store").glob("*.log"), key=lambda file: file.stat().st_size)
        with open(journal, "r+b") as file:
            file.truncate(journal.stat().st_size // 2)
        for command in ("balance", "bids"):
            self.assert_fails(run(command, "--data", self.data), BAD_INPUT, "it has lost what",
                              "qmarket run")
        self.assert_fails(run("replay", "--verify", "--data", self.data), VERIFICATION_FAILED,
                          "it has lost what")
        ran = run("replay", "--verify", "--data", self.data, "--format", "json")
        self.assertEqual((ran.status, ran.json()["verified"]), (VERIFICATION_FAILED, False))
        ran = self.run_once()
        self.assertIn("the ledger had lost what it knew of the offsets from ", ran.err)
        self.assertIn(digest, ran.err)
        self.assertEqual(self.ask("balance", "--all").json(), balances)
        self.assertTrue(self.ask("replay", "--verify").json()["verified"])


if __name__ == "__main__":
    unittest.main()
