#!/usr/bin/env python3
"""What is wrong with topics and stores stops the matcher with a clear message, and changes nothing;
what is wrong with records is rejected, and the market goes on."""

from __future__ import annotations

import json
import random
import shutil
import time
import unittest
from typing import Any

import setting
from confluent_kafka import TopicPartition
from confluent_kafka.admin import NewTopic
from market_test import START_MS, MarketTest, event, small_market, usage
from matchers import Market, Matcher, Ran
from published import check_exactly_once, compare, published, run_once, stored
from topics import produce, read_all
from waiting import wait_until

KEEP_FOR_EVER = {"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete",
                 "message.timestamp.type": "LogAppendTime"}


class TroubleTest(MarketTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"

    def fill(self) -> None:
        """A market with a store that is at the end of the log."""
        self.market.create()
        self.market.append(small_market() + [event("t", "ClockTicked", START_MS + 60_000)])
        run_once(self.market, self.data)

    def once(self) -> Ran:
        return self.market.run("run", "--once", data=self.data)

    def assert_stops(self, *said: str) -> str:
        """It ends with exit status 1, says why, and the store has what it had."""
        before = list(stored(self.market, self.data))
        self.assertTrue(before)
        ran = self.once()
        self.assertEqual(ran.status, setting.BAD_DATA, ran.err)
        for words in said:
            self.assertIn(words, ran.err)
        print(ran.err.strip().splitlines()[-1])
        self.assertEqual(list(stored(self.market, self.data)), before)
        return ran.err

    def remove(self, topic: str) -> None:
        self.admin.delete_topics([topic])[topic].result(60)
        wait_until(lambda: topic not in self.admin.list_topics(timeout=30).topics, 60,
                   f"{topic} is gone")

    def make(self, topic: str, partitions: int = 1, **config: str) -> None:
        settings = KEEP_FOR_EVER | {name.replace("_", "."): value for name, value in config.items()}
        new = NewTopic(topic, partitions, 1, config=settings)
        self.admin.create_topics([new])[topic].result(60)


class Log(TroubleTest):
    def test_topic_made_again_with_other_content(self) -> None:
        self.fill()
        self.remove(self.market.topic("events"))
        self.market.create()
        other = [line | {"event_id": f"other-{number}"}
                 for number, line in enumerate(small_market() + usage("u", 10))]
        self.market.append(other)
        self.assert_stops("the log is not the one that the ledger's store was made from")

    def test_topic_made_again_and_empty(self) -> None:
        self.fill()
        self.remove(self.market.topic("events"))
        self.market.create()
        self.assert_stops("the log has lost records, or is another one")

    def test_topic_made_again_while_it_is_read(self) -> None:
        self.fill()
        matcher = self.matcher("a")
        matcher.data = self.data
        matcher.start().wait_for("owns the market")
        self.remove(self.market.topic("events"))
        self.market.create()
        self.market.append([line | {"event_id": f"other-{number}"}
                            for number, line in enumerate(usage("u", 1_000))])
        self.assertEqual(matcher.wait(120), setting.BAD_DATA, matcher.log())
        last = matcher.log().splitlines()[-1]
        self.assertIn(self.market.topic("events"), last)
        print(last)

    def test_records_deleted(self) -> None:
        self.fill()
        self.market.append(usage("more", 10))
        for offset in (5, 15):  # before and after what the store has applied
            with self.subTest(offset=offset):
                place = TopicPartition(self.market.topic("events"), 0, offset)
                self.admin.delete_records([place])[place].result(60)
                self.assert_stops(self.market.topic("events"), "offset")
                new = self.market.run("run", "--once", data=self.dir / "new")
                self.assertEqual(new.status, setting.BAD_DATA, new.err)
                self.assertIn(self.market.topic("events"), new.err)

    def test_missing(self) -> None:
        ran = self.once()
        self.assertEqual(ran.status, setting.BAD_DATA, ran.err)
        self.assertIn(self.market.topic("events"), ran.err)
        self.assertIn("qmarket topics create", ran.err)
        self.assertFalse(self.data.exists())
        self.fill()
        self.remove(self.market.topic("events"))
        self.assert_stops(self.market.topic("events"), "qmarket topics create")

    def test_settings_that_lose_history(self) -> None:
        for number, (partitions, config, said) in enumerate((
                (1, {"retention_ms": "3600000"}, "retention.ms"),
                (1, {"retention_bytes": "1000000"}, "retention.bytes"),
                (1, {"cleanup_policy": "compact"}, "cleanup.policy"),
                (2, {}, "partitions"))):
            for what, other in (("events", "outcomes"), ("outcomes", "events")):
                with self.subTest(said=said, topic=what):
                    self.market = Market(setting.BROKERS, f"{self.family}.{number}.{what}")
                    self.make(self.market.topic(what), partitions, **config)
                    self.make(self.market.topic(other))
                    ran = self.once()
                    self.assertEqual(ran.status, setting.BAD_DATA, ran.err)
                    self.assertIn(said, ran.err)
                    self.assertIn(self.market.topic(what), ran.err)
                    self.assertFalse(self.data.exists())

    def test_store_of_another_market(self) -> None:
        self.fill()
        first = self.market.name
        self.market = Market(setting.BROKERS, f"{self.family}.other")
        self.market.create()
        self.market.append(small_market())
        folder = self.data / "markets"
        shutil.copytree(folder / first, folder / self.market.name)
        self.assert_stops("it was made from log kafka:", f"/qmarket.{first}.events",
                          self.market.topic("events"))


class Outcomes(TroubleTest):
    def test_topic_made_again_is_filled_again(self) -> None:
        self.fill()
        before = list(published(self.market))
        self.remove(self.market.topic("outcomes"))
        self.market.create()
        run_once(self.market, self.data)
        self.assertEqual(list(published(self.market)), before)

    def test_topic_made_again_while_it_is_written(self) -> None:
        self.fill()
        matcher = self.matcher("a")
        matcher.data = self.data
        matcher.start().wait_for("owns the market")
        published_before = sum(1 for _ in published(self.market))
        wait_until(lambda: sum(1 for _ in published(self.market)) > published_before, 60,
                   "it publishes")
        self.remove(self.market.topic("outcomes"))
        self.market.create()
        self.assertEqual(matcher.wait(120), setting.BAD_DATA, matcher.log())
        last = matcher.log().splitlines()[-1]
        self.assertIn(self.market.topic("outcomes"), last)
        print(last)
        check_exactly_once(self.market, self.dir / "fresh", matcher.data)

    def test_topic_of_another_history(self) -> None:
        self.fill()
        foreign = [record.value for record in
                   read_all(setting.BROKERS, self.market.topic("outcomes"))]
        self.remove(self.market.topic("outcomes"))
        self.market.create()
        produce(setting.BROKERS, self.market.topic("outcomes"), *foreign[:3], b"no outcome")
        self.market.append(usage("more", 3))
        ran = self.once()
        self.assertEqual(ran.status, setting.BAD_DATA, ran.err)
        self.assertIn("offset 3 that is no outcome", ran.err)
        print(ran.err.strip().splitlines()[-1])

    def test_outcomes_that_the_log_did_not_lead_to(self) -> None:
        self.fill()
        other = Market(setting.BROKERS, f"{self.family}.other")
        other.create()
        other.append(small_market() + [event("t", "ClockTicked", START_MS + 120_000)])
        run_once(other, self.data)
        self.remove(self.market.topic("outcomes"))
        self.market.create()
        produce(setting.BROKERS, self.market.topic("outcomes"),
                *(record.value for record in read_all(setting.BROKERS, other.topic("outcomes"))))
        self.market.append(usage("more", 3))
        ran = self.once()
        self.assertEqual(ran.status, setting.BAD_DATA, ran.err)
        self.assertIn(self.market.topic("outcomes"), ran.err)
        print(ran.err.strip().splitlines()[-1])

    def test_records_deleted(self) -> None:
        self.fill()
        place = TopicPartition(self.market.topic("outcomes"), 0, -1)
        self.admin.delete_records([place])[place].result(60)
        self.market.append(usage("more", 3))
        ran = self.once()
        self.assertEqual(ran.status, setting.BAD_DATA, ran.err)
        self.assertIn(self.market.topic("outcomes"), ran.err)
        print(ran.err.strip().splitlines()[-1])


class Records(TroubleTest):
    def test_poison_is_rejected_and_the_market_goes_on(self) -> None:
        draw = random.Random(7)
        event_bytes = b"\x10\0\0\0QMEV" + draw.randbytes(50)
        poison = [b"", draw.randbytes(50), b"\x0c\0\0\0QMOC" + draw.randbytes(50), event_bytes,
                  None, b"\xff" * 10_000_000]
        self.market.create()
        self.market.append(small_market())
        first = len(small_market())
        matcher = self.matcher("a")
        matcher.start().wait_for("owns the market")
        produce(setting.BROKERS, self.market.topic("events"), *poison)
        # Packed, it is small enough for the topic.
        packed = b"\0" * 120_000_000
        produce(setting.BROKERS, self.market.topic("events"), packed, codec="zstd")
        poison.append(packed)
        self.market.append([event("last", "BudgetGranted", team="rank", amount_micros=77)])
        outcomes: list[dict[str, Any]] = []

        def goes_on() -> bool:
            outcomes[:] = published(self.market)
            return any(outcome["payload"].get("amount_micros") == 77 for outcome in outcomes)
        wait_until(goes_on, 120, "the event after the poison has an outcome")
        self.assertEqual(matcher.stop(), setting.DONE, matcher.log())
        offsets = {record.offset for record in
                   read_all(setting.BROKERS, self.market.topic("events"), first)}
        rejected = [outcome for outcome in outcomes if outcome["payload_type"] == "EventRejected"]
        self.assertEqual([outcome["payload"]["code"] for outcome in rejected],
                         ["malformed"] * len(poison))
        for outcome in rejected:
            self.assertEqual(outcome["payload"]["offset"], outcome["offset"])
            self.assertIn(outcome["offset"], offsets)
            self.assertEqual(outcome["payload"]["event_id"], "")
            self.assertTrue(outcome["payload"]["message"])
        check_exactly_once(self.market, self.dir / "fresh", matcher.data)

    def test_mirror_in_json(self) -> None:
        self.market.create("--mirror-json")
        self.market.append(small_market() + [event("t", "ClockTicked", START_MS + 60_000)])
        run_once(self.market, self.data, "--mirror-json")
        mirror = (json.loads(record.value or b"") for record in
                  read_all(setting.BROKERS, self.market.topic("outcomes.json")))
        self.assertGreater(compare(mirror, published(self.market)), 4)


class Sharing(TroubleTest):
    def owns(self, matcher: Matcher, market: Market) -> bool:
        return f"market {market.name}: owns the market" in matcher.log()

    def test_two_markets_of_two_matchers(self) -> None:
        markets = [Market(setting.BROKERS, f"{self.family}.{name}") for name in ("m1", "m2")]
        for market in markets:
            market.create()
            market.append(small_market())
        options = ("--group", self.family, "--market", f"{self.family}\\..*")
        a, b = (self.matcher(name, *options) for name in "ab")
        for matcher in (a, b):
            matcher.start().wait_for("joined group")
        # While they join one may have owned both for a moment; in the end each has its own.
        gives = f"the group gives this matcher {self.family}"

        def shared() -> bool:
            last = [[line for line in each.log().splitlines() if "the group gives" in line][-1:]
                    for each in (a, b)]
            return all(len(lines) == 1 and gives in lines[0] and "," not in lines[0]
                       for lines in last) and last[0] != last[1]
        wait_until(shared, 120, "each matcher has one market")
        wait_until(lambda: any(self.owns(a, m) for m in markets) and
                   any(self.owns(b, m) for m in markets), 120, "both own")
        a.kill()
        killed = time.monotonic()
        wait_until(lambda: all(self.owns(b, m) for m in markets), 120, "B owns both markets")
        print(f"B owned both {time.monotonic() - killed:.1f} s after A was killed")
        for market in markets:
            market.append([event("last", "BudgetGranted", team="rank", amount_micros=55)])
            wait_until(lambda: any(outcome["payload"].get("amount_micros") == 55
                                   for outcome in published(market)), 120, f"{market.name} goes on")
        self.assertEqual(b.stop(), setting.DONE, b.log())
        for market in markets:
            check_exactly_once(market, self.dir / "fresh", b.data, a.data)


if __name__ == "__main__":
    unittest.main(verbosity=2)
