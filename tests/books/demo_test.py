#!/usr/bin/env python3
"""The demo's ten days in the books of hledger, ledger and beancount.

    demo_test.py           the first hours, half a day in the middle, a pool, a team
    demo_test.py --whole   all of it, which takes hledger minutes and 6 GB
"""

from __future__ import annotations

import pathlib
import sys
import tempfile
import time
import unittest

import books
from books import BALANCES, BINARY, TOOLS, complaint, export, market_balances

WHOLE = "--whole" in sys.argv


class Demo(unittest.TestCase):
    folder: tempfile.TemporaryDirectory[str]
    data: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="qmarket-books-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.data = pathlib.Path(cls.folder.name) / "data"
        done = books.run_tool(BINARY, "demo", "--data", cls.data)
        assert done.returncode == 0, done.stderr

    def assert_agree(self, *options: object, at: tuple[object, ...] = (),
                     whole=lambda account, currency: True) -> None:
        ours = {key: value for key, value in market_balances(self.data, *at).items() if whole(*key)}
        self.assertGreater(len(ours), 0)
        for form in TOOLS:
            with self.subTest(form, options=options):
                start = time.monotonic()
                book = export(self.data, form, self.data / f"{form}-{abs(hash(options))}", *options)
                exported = time.monotonic()
                self.assertEqual(complaint(form, book), "")
                checked = time.monotonic()
                theirs = {key: value for key, value in BALANCES[form](book).items() if whole(*key)}
                self.assertEqual(theirs, ours)
                print(f"{form} {' '.join(map(str, options))}: exported in {exported - start:.1f} s, "
                      f"checked in {checked - exported:.1f} s, {len(theirs)} balances equal",
                      flush=True)

    @unittest.skipUnless(WHOLE, "takes long")
    def test_all_of_it(self) -> None:
        self.assert_agree()

    @unittest.skipIf(WHOLE, "is a part of the whole")
    def test_the_first_hours(self) -> None:
        self.assert_agree("--to", "2025-03-03T18:00:00Z", at=("--at", "2025-03-03T18:00:00Z"))

    @unittest.skipIf(WHOLE, "is a part of the whole")
    def test_half_a_day_in_the_middle(self) -> None:
        self.assert_agree("--from", "2025-03-08T00:00:00Z", "--to", "2025-03-08T12:00:00Z",
                          at=("--at", "2025-03-08T12:00:00Z"))

    @unittest.skipIf(WHOLE, "is a part of the whole")
    def test_a_pool_over_ten_days(self) -> None:
        self.assert_agree("--pool", "safety", whole=lambda account, currency:
                          currency == "safety" or account == "purse:safety")

    @unittest.skipIf(WHOLE, "is a part of the whole")
    def test_a_team_over_a_week(self) -> None:
        self.assert_agree("--team", "search-03", "--from", "2025-03-05",
                          whole=lambda account, _: account == "team:search-03")


if __name__ == "__main__":
    books.skip_without_programs()
    unittest.main(argv=[argument for argument in sys.argv if argument != "--whole"])
