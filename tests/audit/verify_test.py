"""`qmarket audit verify` on the command line: what it prints, how it ends, and that it finds
nothing where nothing is wrong."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import (BAD_INPUT, BINARY, DONE, START_MS, USAGE, VERIFICATION_FAILED, Events,
                     ProgramTest, Ran, run, small_market)

CHECKS = ["log files", "store files", "log and ledger", "durable mark", "store form",
          "digest chain", "double entry", "no overdraft", "postings told", "balances", "charges",
          "chips bought", "allocations", "index", "log records", "event ids", "incomes", "effective times",
          "replay", "checkpoint files", "checkpoints"]


class VerifyTest(ProgramTest):
    def market(self, events: Events) -> pathlib.Path:
        data = self.dir / "data"
        self.assert_done(run("append", "-", "--data", data, stdin=events.text()))
        self.assert_done(run("run", "--once", "--data", data))
        return data

    def verify(self, data: pathlib.Path) -> Ran:
        return run("audit", "verify", "--format", "json", "--data", data)

    def assert_verified(self, data: pathlib.Path) -> dict:
        ran = self.verify(data)
        self.assertEqual(ran.status, DONE, ran.out + ran.err)
        document = ran.json()
        self.assertTrue(document["verified"])
        self.assertEqual(document["findings"], [])
        for check in document["checks"]:
            self.assertTrue(check["ok"] and check["complete"], check)
        return document


class GoodMarkets(VerifyTest):
    def test_a_small_market(self) -> None:
        events = small_market()
        data = self.market(events)
        document = self.assert_verified(data)
        self.assertEqual(list(document), ["verified", "offset", "digest", "checks", "findings",
                                          "notes"])
        self.assertEqual(document["offset"], len(events.lines) - 1)
        self.assertEqual([check["name"] for check in document["checks"]], CHECKS)
        replayed = run("replay", "--format", "json", "--data", data).json()
        self.assertEqual(document["digest"], replayed["digest"])
        counts = {check["name"]: check["count"] for check in document["checks"]}
        self.assertEqual(counts["replay"], len(events.lines))
        transfers = run("transfers", "--format", "json", "--data", data).json()["transfers"]
        self.assertEqual(counts["double entry"], len(transfers))
        charges = [transfer for transfer in transfers if transfer["kind"] == "charge"]
        self.assertEqual(counts["charges"], len(charges))
        self.assertGreater(len(charges), 0)

    def test_for_people(self) -> None:
        data = self.market(small_market())
        ran = self.assert_done(run("audit", "verify", "--data", data))
        for word in [*CHECKS, "ok", "verified up to offset 21, digest "]:
            self.assertIn(word, ran.out)
        self.assertNotIn("FAILED", ran.out)

    def test_rejected_events_and_records_that_are_none(self) -> None:
        events = small_market()
        events.add("BudgetGranted", event_id="e3", team="ranking", amount_micros=5)
        events.add("BudgetGranted", team="nobody", amount_micros=5)
        events.add("BidWithdrawn", bid="nothing", reason="finished")
        data = self.market(events)
        document = self.assert_verified(data)
        self.assertEqual(document["offset"], len(events.lines) - 1)
        # A quarter of an hour late, and an overdraft that was refused.
        late = Events().add("BudgetGranted", time_ms=START_MS, event_id="late", team="ranking",
                            amount_micros=7)
        late.add("CreditsTransferred", time_ms=START_MS + 900_000, event_id="too-much",
                 from_team="ranking", to_team="vision", amount_micros=10**15)
        self.assert_done(run("append", "-", "--data", data, stdin=late.text()))
        self.assert_done(run("run", "--once", "--data", data))
        self.assert_verified(data)

    def test_charges_that_could_not_be_collected(self) -> None:
        """Without ticks for a day, teams hold chips beyond what they have."""
        events = small_market()
        events.add("BidPlaced", bid="rank-2", team="ranking", resource="h100", chips=16)
        for hours in (30, 31, 90):
            events.add("ClockTicked", time_ms=START_MS + hours * 3_600_000)
        data = self.market(events)
        self.assert_verified(data)
        outcomes = run("outcomes", "--format", "json", "--data", data).out.splitlines()
        self.assertTrue(any(json.loads(line)["payload"].get("uncollected_micros", 0) > 0
                            for line in outcomes))

    def test_an_empty_market(self) -> None:
        data = self.market(Events())
        document = self.assert_verified(data)
        self.assertIsNone(document["offset"])

    def test_another_market_of_the_folder(self) -> None:
        data = self.dir / "data"
        events = small_market().text()
        self.assert_done(run("append", "-", "--data", data, "--market", "eu", stdin=events))
        self.assert_done(run("run", "--once", "--data", data, "--market", "eu"))
        ran = run("audit", "verify", "--data", data, "--market", "eu")
        self.assertEqual(ran.status, DONE, ran.out + ran.err)

    def test_records_that_are_not_applied_yet_are_a_note(self) -> None:
        data = self.market(small_market())
        more = Events().add("ClockTicked", time_ms=START_MS + 3_600_000, event_id="more")
        self.assert_done(run("append", "-", "--data", data, stdin=more.text()))
        document = self.assert_verified(data)
        self.assertEqual(len(document["notes"]), 1)
        self.assertIn("not applied the log from offset 22 on", document["notes"][0])

    def test_after_kills(self) -> None:
        """Whatever a killed matcher leaves is whole once it was started again."""
        data = self.dir / "data"
        for number in range(3):
            with (self.dir / f"run-{number}").open("wb") as log, \
                    subprocess.Popen([BINARY, "run", "--data", str(data)], stdin=subprocess.DEVNULL,
                                     stdout=log, stderr=log) as matcher:
                socket = data / "qmarket.sock"
                deadline = time.monotonic() + 60
                while not socket.exists() and time.monotonic() < deadline:
                    time.sleep(0.02)
                events = Events()
                for line in small_market().lines:
                    events.add(line["payload_type"], event_id=f"{number}-{line['event_id']}",
                               time_ms=line["time_ms"], **line["payload"])
                self.assert_done(run("append", "-", "--data", data, stdin=events.text()))
                # Beside a running matcher: it is about what was applied when it began.
                beside = self.verify(data)
                self.assertEqual(beside.status, DONE, beside.out + beside.err)
                matcher.kill()
                matcher.wait()
            socket.unlink()
            self.assert_done(run("run", "--once", "--data", data))
            self.assert_verified(data)


class BadMarkets(VerifyTest):
    def test_no_market(self) -> None:
        ran = self.verify(self.dir / "nothing")
        self.assert_fails(ran, BAD_INPUT, "no market here yet", "qmarket demo")

    def test_no_csv(self) -> None:
        ran = run("audit", "verify", "--format", "csv", "--data", self.dir)
        self.assert_fails(ran, USAGE, "prints table or json")

    def damaged(self, data: pathlib.Path, where: str, *words: str) -> None:
        ran = self.verify(data)
        self.assertEqual(ran.status, VERIFICATION_FAILED, ran.out + ran.err)
        document = ran.json()
        self.assertFalse(document["verified"])
        texts = [f"{finding['object']}: {finding['what']}" for finding in document["findings"]
                 if finding["where"] == where]
        for word in words:
            self.assertTrue(any(word in text for text in texts), document["findings"])
        self.assertIn("not verified", ran.err)
        table = run("audit", "verify", "--data", data)
        self.assertEqual(table.status, VERIFICATION_FAILED)
        self.assertIn("FAILED", table.out)
        for word in words:
            self.assertIn(word, table.out)
        self.assertNotIn("verified up to", table.out)

    def test_a_store_of_another_log(self) -> None:
        data = self.market(small_market())
        other = self.dir / "other"
        self.assert_done(run("append", "-", "--data", other, stdin=small_market().text()))
        shutil.rmtree(data / "log")
        shutil.copytree(other / "log", data / "log")
        self.damaged(data, "log", "and the ledger was made from")

    def test_a_log_that_is_gone(self) -> None:
        data = self.market(small_market())
        shutil.rmtree(data / "log")
        self.damaged(data, "log", "there is no database in")

    def test_files_that_are_gone(self) -> None:
        data = self.market(small_market())
        shutil.copytree(data, self.dir / "copy")
        (data / "store" / "CURRENT").unlink()
        self.damaged(data, "store", "there is no database in")
        journals = [path for path in (self.dir / "copy" / "store").glob("*.log")
                    if path.stat().st_size > 0]
        self.assertEqual(len(journals), 1)
        journals[0].unlink()
        self.damaged(self.dir / "copy", "store", "store")


if __name__ == "__main__":
    unittest.main()
