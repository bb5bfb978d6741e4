#!/usr/bin/env python3
"""The worked cases that come with the contract, through the program."""

import json
import unittest

from program import SPEC_DIR, ProgramTest, run

EXAMPLES = SPEC_DIR / "examples"


@unittest.skipUnless(EXAMPLES.is_dir(), f"no worked cases in {EXAMPLES}; set QMARKET_SPEC_DIR")
class WorkedCases(ProgramTest):
    def test_clear(self) -> None:
        cases = sorted((EXAMPLES / "clear").glob("*.json"))
        self.assertGreater(len(cases), 0)
        for case in cases:
            with self.subTest(case.name):
                parts = json.loads(case.read_text())
                ran = self.assert_done(run("clear", "-", "--format", "json",
                                           stdin=json.dumps(parts["input"])))
                self.assert_at_least(parts["output"], ran.json())

    def test_clear_by_line(self) -> None:
        cases = sorted((EXAMPLES / "clear").glob("*.json"))
        parts = [json.loads(case.read_text()) for case in cases]
        lines = "".join(json.dumps(part["input"]) + "\n" for part in parts)
        ran = self.assert_done(run("clear", "--lines", "-", stdin=lines))
        results = ran.out.splitlines()
        self.assertEqual(len(results), len(parts))
        for case, part, result in zip(cases, parts, results):
            with self.subTest(case.name):
                self.assert_at_least(part["output"], json.loads(result))

    def test_replay(self) -> None:
        cases = sorted((EXAMPLES / "replay").glob("*.jsonl"))
        self.assertGreater(len(cases), 0)
        for case in cases:
            with self.subTest(case.name):
                expected = json.loads(case.with_suffix(".json").read_text())["output"]
                ran = self.assert_done(run("replay", "--events", case, "--format", "json"))
                actual = ran.json()
                self.assert_at_least(expected, actual)
                # Names that the example does not have would be wrong, too.
                for part in ("teams", "pools", "resources", "bids"):
                    self.assertEqual(set(expected[part]), set(actual[part]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
