#!/usr/bin/env python3
"""Several markets in one data folder."""

import json
import subprocess
import time
import unittest

from program import BAD_INPUT, BINARY, DONE, Events, ProgramTest, run, small_market


class Markets(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"

    def append(self, events: Events, *options: object) -> None:
        self.assert_done(run("append", "-", "--data", self.data, *options, stdin=events.text()))

    def layout(self) -> set[str]:
        """The folders that have a log or a store."""
        return {str(path.relative_to(self.data)) for path in self.data.rglob("*")
                if path.name in ("log", "store")}

    def test_main_lies_in_the_folder_and_the_others_below_it(self) -> None:
        self.append(small_market())
        self.append(small_market(), "--market", "main")
        self.assertEqual(self.layout(), {"log"})
        self.append(small_market(), "--market", "eu-west_1.b")
        self.assert_done(run("run", "--once", "--data", self.data, "--market", "eu-west_1.b"))
        self.assertEqual(self.layout(), {"log", "markets/eu-west_1.b/log",
                                         "markets/eu-west_1.b/store"})
        self.assertEqual({path.name for path in self.data.iterdir() if path.is_dir()},
                         {"log", "markets"})

    def test_each_command_sees_the_market_that_it_is_asked_about(self) -> None:
        other = Events()
        other.add("PoolConfigured", pool="robots", market_weight_micros_per_hour=1_000_000)
        other.add("TeamConfigured", team="arm", pool="robots", income_micros_per_hour=1_000_000)
        other.add("SupplyChanged", resource="b200", chips=4)
        other.add("BidPlaced", bid="grip", team="arm", resource="b200", chips=2)
        other.add("ClockTicked", time_ms=other.lines[-1]["time_ms"] + 60_000)
        other.add("BudgetGranted", team="arm", amount_micros=1_000_000)
        mains = small_market().add("BudgetGranted", team="vision", amount_micros=1_000_000)
        self.append(mains)
        self.append(other, "--market", "lab")
        for options, mine, theirs in ((("--market", "lab"), "arm", "vision"),
                                      ((), "vision", "arm")):
            self.assert_done(run("run", "--once", "--data", self.data, *options))
            verified = self.assert_done(run("replay", "--verify", "--data", self.data,
                                            "--format", "json", *options)).json()
            self.assertTrue(verified["verified"])
            for command in ("replay", "balance", "bids", "allocations", "transfers", "prices"):
                with self.subTest(f"{command} {options}"):
                    ran = self.assert_done(run(command, "--data", self.data, *options,
                                               "--format", "json"))
                    self.assertNotIn(theirs, ran.out)
                    if command != "prices":
                        self.assertIn(mine, ran.out)
            lines = self.write("events.jsonl", (other if options else mains).text())
            self.assertEqual(run("replay", "--data", self.data, "--format", "json",
                                 *options).json(),
                             run("replay", "--events", lines, "--format", "json").json())

    def test_a_market_that_is_not_there_is_named_with_what_to_do(self) -> None:
        self.append(small_market())
        for command in ("replay", "balance", "bids"):
            ran = run(command, "--data", self.data, "--market", "lab")
            self.assert_fails(ran, BAD_INPUT, f"{self.data}/markets/lab: no market here yet",
                              f"qmarket run --once --data {self.data} --market lab")
        self.assertEqual(self.layout(), {"log"})

    def test_two_markets_run_at_once(self) -> None:
        self.append(small_market())
        self.append(small_market(), "--market", "lab")
        running = []
        for options in ((), ("--market", "lab")):
            process = subprocess.Popen([BINARY, "run", "--data", str(self.data), *options],
                                       stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            running.append(process)
        deadline = time.monotonic() + 60
        for folder in (self.data, self.data / "markets" / "lab"):
            while not (folder / "qmarket.sock").exists():
                self.assertLess(time.monotonic(), deadline, f"nothing runs on {folder}")
                time.sleep(0.05)
        grant = Events().add("BudgetGranted", time_ms=int(time.time() * 1000), event_id="grant",
                             team="vision", amount_micros=5_000_000)
        self.append(grant, "--market", "lab")
        for process in running:
            process.terminate()
            self.assertEqual(process.wait(timeout=30), DONE)
        for options, grants in (((), 0), (("--market", "lab"), 1)):
            self.assert_done(run("run", "--once", "--data", self.data, *options))
            ran = run("transfers", "--kind", "grant", "--data", self.data, "--format", "json",
                      *options)
            self.assertEqual(len(json.loads(ran.out)["transfers"]), grants)


if __name__ == "__main__":
    unittest.main(verbosity=2)
