#!/usr/bin/env python3
"""The books of an awkward market in hledger, ledger and beancount, and as CSV."""

from __future__ import annotations

import csv
import pathlib
import re
import resource
import subprocess
import tempfile
import unittest
from collections import defaultdict

import books
from books import BALANCES, REFERENCE, TOOLS, check, complaint, export, market_balances
from market import AWKWARD_ACTOR, AWKWARD_ID, POOLS, RESOURCES, TEAMS, awkward_market, make
from program import BAD_INPUT, BINARY, DONE, START_MS, USAGE, ProgramTest, run


class Books(ProgramTest):
    """All on one market, made once."""

    folder: tempfile.TemporaryDirectory[str]
    data: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="qmarket-books-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.data = pathlib.Path(cls.folder.name) / "data"
        make(awkward_market(), cls.data)

    def setUp(self) -> None:
        super().setUp()
        self.exports = 0

    def export(self, form: str, *options: object) -> pathlib.Path:
        self.exports += 1
        return export(self.data, form, self.dir / f"{form}-{self.exports}", *options)

    def assert_agree(self, *options: object, at: tuple[object, ...] = (),
                     whole=lambda account, currency: True) -> None:
        """Every program accepts the export, and has our balances of the accounts that are whole."""
        ours = {key: value for key, value in market_balances(self.data, *at).items() if whole(*key)}
        for form in TOOLS:
            with self.subTest(form, options=options):
                book = self.export(form, *options)
                self.assertEqual(complaint(form, book), "")
                theirs = {key: value for key, value in BALANCES[form](book).items() if whole(*key)}
                self.assertEqual(theirs, ours)

    def test_all_balances_are_ours(self) -> None:
        self.assert_agree()

    def test_every_awkward_name_has_moved_something(self) -> None:
        moved = run("transfers", "--data", self.data, "--format", "json").json()["transfers"]
        accounts = {item[end] for item in moved for end in ("from", "to")}
        self.assertLessEqual({f"team:{team}" for team in TEAMS}, accounts)
        self.assertLessEqual({f"purse:{pool}" for pool in POOLS}, accounts)
        self.assertLessEqual({f"sold:{resource}" for resource in RESOURCES}, accounts)
        # The two that read the same.
        self.assertEqual(len([key for key in market_balances(self.data)
                              if key[0] == "spent:a:b:c"]), 2)

    def test_a_stretch_begins_with_opening_balances(self) -> None:
        for start, end in (("2026-01-01T00:20:00Z", "2026-01-02"), ("2026-01-02", "2026-01-02"),
                           ("2025-01-01", "2026-01-01T01:00:00Z"),
                           ("2026-01-02T12:00:00Z", "2026-01-02T13:00:00Z"),
                           ("2030-01-01", "2031-01-01")):
            self.assert_agree("--from", start, "--to", end, at=("--at", end))

    def test_up_to_a_moment(self) -> None:
        self.assert_agree("--to", "2026-01-01T00:10:00Z", at=("--at", "2026-01-01T00:10:00Z"))

    def test_until_a_moment_leaves_it_out(self) -> None:
        self.assert_agree("--from", "2026-01-01T00:20:00Z", "--until", "2026-01-02",
                          at=("--at", "2026-01-01T23:59:59.999Z"))
        self.assertIn("until 2026-01-02", self.export("hledger", "--until",
                                                      "2026-01-02").read_text())

    def test_periods_side_by_side_have_each_transaction_once(self) -> None:
        def offsets(*options: object) -> list[str]:
            with self.export("csv", *options).open(newline="") as file:
                return list(dict.fromkeys(row["offset"] for row in csv.DictReader(file)
                                          if row["kind"] != "opening"))

        ends = ("2026-01-01", "2026-01-01T00:20:00Z", "2026-01-02", "2026-01-03", "2026-01-04")
        parts = [offsets("--from", start, "--until", end) for start, end in zip(ends, ends[1:])]
        self.assertEqual([offset for part in parts for offset in part], offsets())
        self.assertTrue(all(parts[:3]), parts)
        # Which --to would not do: the settlement at midnight is in both.
        self.assertEqual(offsets("--from", ends[1], "--to", ends[2])[-1], parts[2][0])

    def test_opening_balances_are_those_before_the_first_moment(self) -> None:
        with self.export("csv", "--from", "2026-01-02").open(newline="") as file:
            opening = {(row["account"], row["currency"]): int(row["balance_micros"])
                       for row in csv.DictReader(file)
                       if row["kind"] == "opening" and row["account"] != "equity:opening"}
        self.assertEqual(opening, market_balances(self.data, "--at", "2026-01-01T23:59:59.999Z"))
        self.assertNotEqual(opening, market_balances(self.data, "--at", "2026-01-02"))

    def test_before_anything_happened(self) -> None:
        for form in TOOLS:
            book = self.export(form, "--from", "2020-01-01", "--to", "2020-01-02")
            self.assertEqual(complaint(form, book), "")
            self.assertEqual(BALANCES[form](book), {})

    def test_each_pool_alone(self) -> None:
        for pool in POOLS:
            self.assert_agree("--pool", pool, "--from", "2026-01-01T00:12:00Z",
                              whole=lambda account, currency, pool=pool:
                              currency == pool or account == f"purse:{pool}")

    def test_each_team_alone(self) -> None:
        for team in TEAMS[::3]:
            self.assert_agree("--team", team, "--from", "2026-01-01T00:12:00Z",
                              whole=lambda account, _, team=team: account == f"team:{team}")

    def test_of_a_pool_nothing_else_is_there(self) -> None:
        for form in TOOLS:
            balances = BALANCES[form](self.export(form, "--pool", "a:b"))
            self.assertLessEqual({currency for _, currency in balances}, {"a:b", REFERENCE})
            self.assertEqual({account for account, currency in balances if currency == REFERENCE
                              and account.startswith("purse:")}, {"purse:a:b"})

    def test_each_posting_says_where_it_comes_from(self) -> None:
        granted = run("transfers", "--kind", "grant", "--data", self.data, "--format", "json").json()
        offset = granted["transfers"][0]["offset"]
        time = "2026-01-01T00:30:01Z"
        self.assertEqual(granted["transfers"][0]["time_ms"], START_MS + 30 * 60_000 + 1000)

        found = books.run_tool("hledger", "-f", self.export("hledger"), "print",
                               f"tag:offset=^{offset}$", "tag:kind=grant", f"tag:time=^{time}$")
        self.assertIn(f"2026-01-01 ({offset}) BudgetGranted", found.stdout)
        encoded = re.findall(r"event_id:([^,\n]*),", found.stdout)
        self.assertEqual([books.unquote(text) for text in encoded], [AWKWARD_ID] * 2)
        self.assertEqual(books.unquote(re.search(r"actor:([^,\n]*),", found.stdout).group(1)),
                         AWKWARD_ACTOR)

        form = "%(tag('event_id'))\\n%(tag('time'))\\n%(tag('kind'))\\n%(date)\\n"
        found = books.run_tool("ledger", "--args-only", "-f", self.export("ledger"), "register",
                               "--limit", f"code == '{offset}'", "--register-format", form)
        lines = found.stdout.splitlines()
        self.assertEqual(len(lines), 8, found.stderr)
        self.assertEqual([books.unquote(lines[0]), *lines[1:4]],
                         [AWKWARD_ID, time, "grant", "2026/01/01"])

        found = books.run_tool("bean-query", "--format", "csv", self.export("beancount"),
                               "select entry_meta('source') as source, meta('event_id') as id, "
                               f"meta('time') as time where meta('offset') = {offset}")
        rows = list(csv.DictReader(found.stdout.splitlines()))
        self.assertEqual([{key: value.strip() for key, value in row.items()} for row in rows],
                         [{"source": "budget; tool", "id": AWKWARD_ID, "time": time}] * 2)

    def test_csv_is_the_journal(self) -> None:
        with self.export("csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        sums: dict[tuple[str, str], int] = defaultdict(int)
        by_event: dict[tuple[str, str], int] = defaultdict(int)
        for row in rows:
            key = row["account"], row["currency"]
            sums[key] += int(row["amount_micros"])
            by_event[row["offset"], row["currency"]] += int(row["amount_micros"])
            self.assertEqual(int(row["balance_micros"]), sums[key])
        self.assertEqual({key: value for key, value in sums.items() if value},
                         market_balances(self.data))
        self.assertEqual(set(by_event.values()), {0})
        # The journal, with the movements of a kind between the same things added up.
        moved: dict[tuple[object, ...], int] = defaultdict(int)
        for item in run("transfers", "--data", self.data, "--format", "json").json()["transfers"]:
            resource = ""
            if item["kind"] in ("charge", "chips"):
                resource = item["to"].removeprefix(f"spent:{item['currency']}:")
                resource = resource.removeprefix("sold:")
            about = str(item["offset"]), str(item["time_ms"]), item["kind"], resource
            moved[*about, item["from"], item["currency"]] -= item["amount_micros"]
            moved[*about, item["to"], item["currency"]] += item["amount_micros"]
        self.assertEqual(
            {(row["offset"], row["time_ms"], row["kind"], row["resource"], row["account"],
              row["currency"]): int(row["amount_micros"]) for row in rows}, moved)
        ids = {row["event_id"] for row in rows}
        self.assertIn(AWKWARD_ID, ids)
        self.assertIn(AWKWARD_ACTOR, {row["actor"] for row in rows})

    def test_standard_output_is_the_same_books(self) -> None:
        for form in TOOLS:
            ran = self.assert_done(run("audit", "export", "--as", form, "--data", self.data))
            book = self.write(f"stdout.{form}", ran.out)
            self.assertEqual(complaint(form, book), "")
            self.assertEqual(BALANCES[form](book), market_balances(self.data))
            again = run("audit", "export", "--as", form, "--data", self.data, "--out", "-")
            self.assertEqual(again.out, ran.out)

    def spoil(self, form: str, change) -> str:
        """What the program says of a copy in which `change` was made."""
        ran = self.assert_done(run("audit", "export", "--as", form, "--data", self.data))
        spoiled = change(ran.out)
        self.assertNotEqual(spoiled, ran.out)
        book = self.write(f"spoiled.{form}", spoiled)
        return complaint(form, book) if check(form, book).returncode != 0 else ""

    def test_a_micro_credit_too_much_is_refused(self) -> None:
        for form in TOOLS:
            # Both sides of the transfer of 3 micro-credits: it still adds up to zero, and only the
            # balances know.
            both = self.spoil(form, lambda text: text.replace(" 0.000003 ", " 0.000004 ").replace(
                " -0.000003 ", " -0.000004 "))
            self.assertRegex(both, "(?i)balance", form)
            one = self.spoil(form, lambda text: text.replace(" 0.000003 ", " 0.000004 "))
            self.assertRegex(one, "(?i)balance", form)

    def test_an_account_that_is_not_declared_is_refused(self) -> None:
        for form, old in (("hledger", "team:vision  "), ("ledger", "team:vision  "),
                          ("beancount", "Assets:Team:Vision  ")):
            said = self.spoil(form, lambda text, old=old: text.replace(old, old[:-3] + "m  "))
            self.assertNotEqual(said, "", form)

    def test_a_folder_is_filled_once(self) -> None:
        out = self.dir / "books"
        arguments = ("audit", "export", "--as", "csv", "--data", self.data, "--out", out)
        self.assertEqual(run(*arguments).status, DONE)
        before = {file.name: file.read_bytes() for file in out.iterdir()}
        self.assert_fails(run(*arguments), BAD_INPUT, f"--out: {out} has something in it")
        self.assertEqual({file.name: file.read_bytes() for file in out.iterdir()}, before)
        self.assert_fails(run(*arguments[:-1], self.write("file", "")), BAD_INPUT, "is no folder")
        self.assert_fails(run(*arguments[:-1], "/proc/none/books"), BAD_INPUT,
                          "--out: cannot write /proc/none/books")
        (self.dir / "empty").mkdir()
        self.assertEqual(run(*arguments[:-1], self.dir / "empty").status, DONE)

    def test_a_full_disk_leaves_no_main_file(self) -> None:
        def little_room() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        out = self.dir / "books"
        done = subprocess.run([BINARY, "audit", "export", "--as", "hledger", "--data", self.data,
                               "--out", out], capture_output=True, text=True, check=False,
                              preexec_fn=little_room, restore_signals=False)
        self.assertEqual([done.returncode, done.stdout], [BAD_INPUT, ""])
        self.assertIn(f"--out: cannot write {out}/books-0001.journal: File too large", done.stderr)
        self.assertEqual([file.name for file in out.iterdir()], ["books-0001.journal"])

    def test_bad_options(self) -> None:
        def fails(status: int, fragment: str, *options: object) -> None:
            self.assert_fails(run("audit", "export", "--data", self.data, *options), status,
                              fragment)

        fails(USAGE, "--as")
        fails(USAGE, "--as", "--as", "excel")
        fails(BAD_INPUT, "no team visoin; did you mean Vision or vision?", "--as", "csv", "--team", "visoin")
        fails(BAD_INPUT, "no pool serach; did you mean search?", "--as", "csv", "--pool", "serach")
        fails(BAD_INPUT, "team 1 is of pool Z-Z, not of search", "--as", "csv", "--team", "1",
              "--pool", "search")
        fails(USAGE, "--from is later than --to", "--as", "csv", "--from", "2026-01-02", "--to",
              "2026-01-01")
        fails(USAGE, "--from", "--as", "csv", "--from", "yesterday")
        fails(USAGE, "--until yesterday: not a time", "--as", "csv", "--until", "yesterday")
        fails(USAGE, "--until: nothing is before that time", "--as", "csv", "--until", "0")
        fails(USAGE, "--until", "--as", "csv", "--until", "2026-01-02", "--to", "2026-01-02")
        fails(USAGE, "--from is not earlier than --until", "--as", "csv", "--from", "2026-01-02",
              "--until", "2026-01-02")
        fails(USAGE, "--rate goes with --as focus", "--as", "csv", "--rate", "1")
        fails(USAGE, "--billing-currency goes with", "--as", "csv", "--billing-currency", "EUR")
        self.assert_fails(run("audit", "export", "--as", "csv", "--data", self.dir / "none"),
                          BAD_INPUT, "none")


if __name__ == "__main__":
    books.skip_without_programs()
    unittest.main()
