"""`qmarket audit verify` of a market on a real broker.

    kafka_test.py AUDIT_DOCTOR
"""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import unittest
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kafka"))

import setting  # noqa: E402  (skips where there is no broker)
from market_test import START_MS, MarketTest, event, small_market  # noqa: E402
from topics import produce, read_all  # noqa: E402
from waiting import wait_until  # noqa: E402

DOCTOR = ""


def ticks(minutes: int) -> list[dict[str, Any]]:
    return [event(f"tick-{minute}", "ClockTicked", time_ms=START_MS + minute * 60_000)
            for minute in range(1, minutes + 1)]


class KafkaAudit(MarketTest):
    def setUp(self) -> None:
        super().setUp()
        self.market.create()
        self.lines = [*small_market(), *ticks(20)]
        self.market.append(self.lines)
        self.data = self.dir / "data"
        self.market.run("run", "--once", data=self.data).done()

    def verify(self) -> dict[str, Any]:
        ran = self.market.run("audit", "verify", "--format", "json", data=self.data)
        self.assertIn(ran.status, (setting.DONE, setting.VERIFICATION_FAILED), ran.err)
        document = json.loads(ran.out)
        self.assertEqual(document["verified"], ran.status == setting.DONE, ran.out)
        return document

    def found(self, where: str) -> list[dict[str, Any]]:
        document = self.verify()
        self.assertFalse(document["verified"])
        wrong = [finding for finding in document["findings"] if finding["where"] == where]
        self.assertTrue(wrong, document["findings"])
        return wrong

    def produce(self, *values: bytes) -> None:
        produce(self.market.brokers, self.market.topic("outcomes"), *values)

    def outcomes(self) -> list[bytes]:
        return [record.value or b"" for record in
                read_all(self.market.brokers, self.market.topic("outcomes"))]

    def test_a_good_market(self) -> None:
        document = self.verify()
        self.assertTrue(document["verified"], document)
        counts = {check["name"]: check["count"] for check in document["checks"]}
        self.assertEqual(counts["replay"], len(self.lines))
        self.assertEqual(counts["log records"], len(self.lines))
        self.assertEqual(counts["outcomes topic"], len(self.outcomes()))
        self.assertGreater(counts["charges"], 0)
        self.assertNotIn("log files", counts)
        # What is appended since is read; the ledger does not know of it.
        self.market.append([event("more", "BudgetGranted", team="rank", amount_micros=5)])
        document = self.verify()
        self.assertTrue(document["verified"], document)
        self.assertIn("not applied", document["notes"][0])

    def test_an_embedded_log_is_not_looked_for(self) -> None:
        words = [setting.BINARY, "audit", "verify", "--data", self.data, "--market",
                 self.market.name]
        ran = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                             check=False)
        self.assertEqual(ran.returncode, setting.BAD_DATA, ran.stdout + ran.stderr)
        self.assertIn("say where it is with --log kafka --brokers", ran.stderr)

    def test_a_ledger_that_is_behind_its_topic(self) -> None:
        behind = self.dir / "behind"
        shutil.copytree(self.data, behind)
        self.market.append([event("more", "BudgetGranted", team="rank", amount_micros=5)])
        self.market.run("run", "--once", data=self.data).done()
        self.assertTrue(self.verify()["verified"])
        self.data = behind
        document = self.verify()
        self.assertTrue(document["verified"], document)
        self.assertTrue(any("goes on beyond" in note for note in document["notes"]))

    def test_an_outcome_produced_again(self) -> None:
        self.produce(self.outcomes()[3])
        wrong = self.found("outcomes topic")
        self.assertEqual(len(wrong), 1)
        self.assertIn("which was there before", wrong[0]["what"])

    def test_outcomes_that_are_none(self) -> None:
        self.produce(b"no outcome", self.outcomes()[5][:-1])
        wrong = self.found("outcomes topic")
        self.assertEqual(len(wrong), 2)
        self.assertIn("is no outcome of a market", wrong[0]["what"])

    def test_outcomes_of_another_market(self) -> None:
        """One that the ledger has none of, and one of an offset that the log does not have."""
        other = self.market.__class__(self.market.brokers, f"{self.family}-other")
        other.create()
        lines = small_market()
        lines[6]["payload"]["amount_micros"] = 7
        other.append([*lines, *ticks(40)])
        other.run("run", "--once", data=self.dir / "other").done()
        theirs = [record.value or b"" for record in
                  read_all(other.brokers, other.topic("outcomes"))]
        self.produce(theirs[0], theirs[-1])
        wrong = self.found("outcomes topic")
        self.assertEqual(len(wrong), 2, wrong)
        self.assertTrue(any("and the log ends at" in finding["what"] for finding in wrong))

    def test_a_topic_that_is_gone(self) -> None:
        for removed in self.admin.delete_topics([self.market.topic("outcomes")]).values():
            removed.result(60)
        self.found("outcomes topic")

    def test_a_store_that_was_changed(self) -> None:
        changed = subprocess.run([DOCTOR, str(self.data / "markets" / self.market.name / "store")],
                                 capture_output=True, text=True, check=True)
        offset = int(changed.stdout)
        wrong = self.found("store")
        self.assertTrue(any(finding["offset"] == offset for finding in wrong), wrong)
        topic = self.found("outcomes topic")
        self.assertEqual([finding["offset"] for finding in topic], [offset])
        self.assertIn("is not what the ledger has recorded", topic[0]["what"])

    def test_events_that_are_not_those_that_were_applied(self) -> None:
        """The topic was made anew, with one memo changed: other records at the same offsets."""
        for what in ("events", "outcomes"):
            for removed in self.admin.delete_topics([self.market.topic(what)]).values():
                removed.result(60)
        names = {self.market.topic(what) for what in ("events", "outcomes")}
        wait_until(lambda: not names & set(self.admin.list_topics(timeout=30).topics), 60,
                   "the topics are gone")
        self.market.create()
        self.lines[6]["payload"]["memo"] = "another"
        self.market.append(self.lines)
        wrong = self.found("log")
        self.assertEqual(wrong[0]["offset"], 0)  # the append times are others, too
        self.assertIn("is not the record that the ledger has applied", wrong[0]["what"])


if __name__ == "__main__":
    DOCTOR = sys.argv.pop(1)
    unittest.main()
