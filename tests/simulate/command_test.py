#!/usr/bin/env python3
"""`qmarket simulate` and `qmarket demo`, as programs."""

import csv
import io
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from program import BAD_INPUT, USAGE, ProgramTest, Ran, run  # noqa: E402

START_S = 1_700_000_040

JOBS = f"""job_id,submit_ts_unix_s,team,pool,gpu_type,gpus,duration_s,status
a,{START_S},ranking,search,h100,8,3600,pass
b,{START_S + 600},vision,search,h100,4,7200,failed
c,{START_S + 900},bidding,ads,h100,4,1800,pass
d,{START_S + 7200},bidding,ads,h100,1,60,pass
"""

SUPPLY = f"""ts_unix_s,pool_or_shared,gpu_type,gpus_total
{START_S},shared,h100,8
{START_S},ads,h100,2
"""


class Simulate(ProgramTest):
    def simulate(self, *options: object, jobs: str = JOBS, supply: str = SUPPLY,
                 data: str = "data") -> Ran:
        return run("simulate", "--jobs", self.write("jobs.csv", jobs), "--supply",
                   self.write("supply.csv", supply), "--data", self.dir / data, *options)

    def test_leaves_a_data_folder_that_queries_work_on(self) -> None:
        report = self.assert_done(self.simulate("--format", "json")).json()
        self.assertEqual(report["checks"], {"cycles": 121, "violations": 0, "examples": []})
        self.assertEqual(report["work"]["jobs"], 4)
        self.assertEqual(report["used_of_usable_ppm"], 1_000_000)
        written = json.loads((self.dir / "data" / "simulation" / "report.json").read_text())
        self.assertEqual(written, report)
        data = ("--data", self.dir / "data")
        teams = {team["team"]: team for team in report["teams"]}
        balances = self.assert_done(run("balance", *data, "--format", "json")).json()
        self.assertIn(str(teams["ranking"]["left_micros"]), json.dumps(balances))
        self.assert_done(run("prices", *data, "--at", str((START_S + 3600) * 1000)))
        self.assert_done(run("bids", *data))

    def test_the_same_input_gives_the_same_report(self) -> None:
        first = self.assert_done(self.simulate("--format", "json", data="one"))
        second = self.assert_done(self.simulate("--format", "json", data="two"))
        self.assertEqual(first.out, second.out)

    def test_prints_a_table_and_what_to_try_next(self) -> None:
        out = self.assert_done(self.simulate()).out
        for part in ("Occupancy", "Preemptions", "121 cycles checked, 0 violations", "search",
                     "ranking", "What to try next", "qmarket replay --data"):
            self.assertIn(part, out)

    def test_csv_has_a_line_for_each_team(self) -> None:
        rows = list(csv.DictReader(io.StringIO(
            self.assert_done(self.simulate("--format", "csv")).out)))
        self.assertEqual([row["team"] for row in rows], ["bidding", "ranking", "vision"])

    def test_drains(self) -> None:
        report = self.assert_done(self.simulate("--drain", "--format", "json")).json()
        self.assertEqual(report["work"]["jobs_done"], 4)

    def test_takes_a_market_file(self) -> None:
        market = self.write("market.toml", "[market]\ncycle_ms = 30000\n[teams.ranking]\ngrant = 5\n")
        report = self.assert_done(self.simulate("--market", market, "--format", "json")).json()
        self.assertEqual(report["cycles"], 241)
        bad = self.write("bad.toml", "[market]\ncycle_ms = 5\n")
        self.assert_fails(self.simulate("--market", bad, data="x"), BAD_INPUT, "bad.toml:2",
                          "market.cycle_ms", "from 1000")
        self.assertFalse((self.dir / "x").exists())

    def test_bad_input_is_named_and_nothing_is_left(self) -> None:
        self.assert_fails(self.simulate(jobs=JOBS.replace(",8,3600", ",eight,3600")), BAD_INPUT,
                          "jobs.csv:2", "gpus", '"eight"', "whole number")
        self.assert_fails(self.simulate(supply="ts_unix_s,gpu_type\n"), BAD_INPUT, "supply.csv:1",
                          "pool_or_shared")
        self.assert_fails(self.simulate("--pools", self.dir / "none.csv"), BAD_INPUT, "none.csv")
        self.assertFalse((self.dir / "data").exists())

    def test_usage(self) -> None:
        self.assert_fails(run("simulate"), USAGE, "--jobs")
        self.assert_fails(self.simulate("--until", "tomorrow"), USAGE, "--until")
        self.assert_fails(self.simulate("--early", "all"), USAGE, "--early")
        self.assert_fails(self.simulate("--limits", "all"), USAGE, "--limits")
        self.assert_fails(self.simulate("--seed", "-1"), USAGE, "--seed")
        self.assert_fails(self.simulate("--checkpoint-minutes", "1e3"), USAGE, "--checkpoint")

    def test_replaces_only_a_simulation_and_only_if_told(self) -> None:
        self.assert_done(self.simulate())
        self.assert_fails(self.simulate(), BAD_INPUT, "--force")
        (self.dir / "data" / "note").write_text("mine")
        self.assert_done(self.simulate("--force"))
        self.assertEqual((self.dir / "data" / "note").read_text(), "mine")
        (self.dir / "other").mkdir()
        (self.dir / "other" / "note").write_text("mine")
        self.assert_fails(self.simulate("--force", data="other"), BAD_INPUT, "left alone")
        self.assertEqual([path.name for path in (self.dir / "other").iterdir()], ["note"])
        self.assert_fails(self.simulate(data="jobs.csv"), BAD_INPUT, "no folder")


if __name__ == "__main__":
    unittest.main()
