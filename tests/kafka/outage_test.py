#!/usr/bin/env python3
"""Brokers that are away at the start, and while a matcher runs; and a store on another cluster."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import time
import unittest

import setting
from cluster import Cluster
from market_test import event, small_market, usage
from matchers import Market, Matcher
from published import check_exactly_once, published, run_once
from topics import end_of
from waiting import wait_until

AWAY_SECONDS = 15


class Outage(unittest.TestCase):
    """With a node of its own."""

    def setUp(self) -> None:
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="qmarket-outage-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.cluster = Cluster(self.dir / "kafka", nodes=1)
        self.addCleanup(self.cluster.down)
        self.cluster.up()
        self.market = Market(self.cluster.brokers, "outage")
        self.market.create()
        self.market.append(small_market())

    def test_node_away_while_a_matcher_runs(self) -> None:
        matcher = Matcher("a", self.dir, self.market)
        self.addCleanup(matcher.kill)
        matcher.start().wait_for("owns the market")
        for name, leave, come_back, reports in (
                # A node that hangs breaks no connection: there is nothing to report so soon.
                ("pause", self.cluster.pause, self.cluster.resume, 0),
                ("kill", self.cluster.kill, self.cluster.start, 1)):
            self.market.append(usage(f"before-{name}", 10_000))
            before = self.reports(matcher)
            leave(1)
            time.sleep(AWAY_SECONDS)  # is the length of the outage, not a wait for something
            self.assertTrue(matcher.running(), matcher.log())
            come_back(1)
            self.market.append([event(f"after-{name}", "BudgetGranted", team="rank",
                                      amount_micros=1)])
            end = end_of(self.market.brokers, self.market.topic("events"))
            wait_until(lambda: self.published_past(end), 120, "it goes on")
            for said, were in zip(self.reports(matcher), before):
                self.assertGreaterEqual(said - were, reports, matcher.log())
        self.assertEqual(matcher.stop(), setting.DONE, matcher.log())
        count, _ = check_exactly_once(self.market, self.dir / "fresh", matcher.data)
        self.assertGreater(count, 10_000)

    def test_a_matcher_ends_while_the_node_is_away(self) -> None:
        for seconds in (0, 5, 15):
            matcher = Matcher("a", self.dir, self.market)
            self.addCleanup(matcher.kill)
            matcher.start().wait_for("owns the market")
            self.cluster.kill(1)
            time.sleep(seconds)  # is how long it knows, not a wait for something
            self.assertEqual(matcher.stop(seconds=30), setting.DONE, matcher.log())
            self.cluster.start(1)

    @staticmethod
    def reports(matcher: Matcher) -> tuple[int, int]:
        """How often it has said that no broker answers, and that one does again."""
        log = matcher.log()
        return log.count("no Kafka broker answers"), log.count("Kafka answers again")

    def published_past(self, offset: int) -> bool:
        return any(outcome["offset"] >= offset for outcome in published(self.market))

    def test_store_of_another_cluster(self) -> None:
        data = self.dir / "data"
        run_once(self.market, data)
        other = Market(setting.BROKERS, self.market.name)
        other.create()
        ran = other.run("run", "--once", data=data)
        self.assertEqual(ran.status, setting.BAD_DATA, ran.err)
        self.assertIn("it was made from log kafka:", ran.err)


class DeadLeader(unittest.TestCase):
    def test_the_matcher_goes_on_with_the_next(self) -> None:
        folder = pathlib.Path(tempfile.mkdtemp(prefix="qmarket-leader-"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        cluster = Cluster(folder / "kafka", nodes=3)
        self.addCleanup(cluster.down)
        cluster.up()
        market = Market(cluster.brokers, "leader")
        market.create("--replication", "3")
        market.append(small_market())
        matcher = Matcher("a", folder, market)
        self.addCleanup(matcher.kill)
        matcher.start().wait_for("owns the market")
        cluster.wait_in_sync()
        for what in ("events", "outcomes"):
            topic = market.topic(what)
            leader = cluster.admin.list_topics(topic, timeout=30).topics[topic].partitions[0].leader
            cluster.kill(leader)  # and it stays dead while the matcher must go on
            market.append([event(f"after-{what}", "BudgetGranted", team="rank", amount_micros=1)])
            end = end_of(market.brokers, topic if what == "events" else market.topic("events"))
            wait_until(lambda: any(outcome["offset"] >= end - 1 for outcome in published(market)),
                       120, f"it goes on without the leader of the {what}")
            self.assertTrue(matcher.running(), matcher.log())
            cluster.start(leader)
            cluster.wait_in_sync()
        self.assertEqual(matcher.stop(), setting.DONE, matcher.log())
        check_exactly_once(market, folder / "fresh", matcher.data)


class NoBroker(unittest.TestCase):
    def test_is_said_within_the_timeout(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for options in ((), ("--once",), ("--group", "g")):
                start = time.monotonic()
                ran = Market("127.0.0.1:1", "m").run("run", "--timeout", "2", *options,
                                                     data=pathlib.Path(folder) / "data")
                self.assertEqual(ran.status, setting.UNREACHABLE, ran.err)
                self.assertIn("127.0.0.1:1", ran.err)
                self.assertLess(time.monotonic() - start, 30)
                self.assertFalse((pathlib.Path(folder) / "data").exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
