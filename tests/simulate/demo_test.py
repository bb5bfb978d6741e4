#!/usr/bin/env python3
"""`qmarket demo`, whole: it takes a while."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from program import BAD_INPUT, ProgramTest, run  # noqa: E402


class Demo(ProgramTest):
    def test_runs_is_sound_and_is_the_same_as_its_files(self) -> None:
        data = self.dir / "demo"
        ran = self.assert_done(run("demo", "--data", data))
        for part in ("Occupancy", "Preemptions", " 0 violations", "outbid", "supply_lost",
                     "What to try next"):
            self.assertIn(part, ran.out)
        self.assert_fails(run("demo", "--data", data), BAD_INPUT, "--force")
        inputs = data / "simulation"
        again = self.assert_done(run(
            "simulate", "--jobs", inputs / "jobs.csv", "--supply", inputs / "supply.csv",
            "--market", inputs / "market.toml", "--data", self.dir / "again", "--format", "json"))
        self.assertIn(again.json()["digest"], ran.out)
        self.assertGreaterEqual(again.json()["used_of_usable_ppm"], 999_000)
        self.assertLessEqual(again.json()["lost_ppm"], 20_000)
        self.assert_done(run("replay", "--data", data, "--verify"))


if __name__ == "__main__":
    unittest.main()
