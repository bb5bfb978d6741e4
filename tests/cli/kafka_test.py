#!/usr/bin/env python3
"""Commands on a real broker: that of QMARKET_KAFKA_BROKERS, else skipped."""

import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import unittest
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import python_env  # noqa: E402  (needs the path above)

BROKERS = os.environ.get("QMARKET_KAFKA_BROKERS", "")
if not BROKERS:
    print("skipped: QMARKET_KAFKA_BROKERS is empty: set it to the address of a Kafka cluster")
    sys.exit(0)
python_env.enter()

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402

from program import (  # noqa: E402
    BAD_INPUT, BINARY, DONE, UNREACHABLE, VERIFICATION_FAILED, Events, ProgramTest, Ran, run,
    small_market)


class KafkaTest(ProgramTest):
    """A test with a market of its own, whose topics it makes itself."""

    def setUp(self) -> None:
        super().setUp()
        self.family = f"cli-{uuid.uuid4().hex[:12]}"  # of all names of markets of the test
        self.market = self.family
        self.data = self.dir / "data"
        self.admin = AdminClient({"bootstrap.servers": BROKERS})
        self.addCleanup(self.remove_topics)

    def remove_topics(self) -> None:
        names = [name for name in self.admin.list_topics(timeout=30).topics if self.family in name]
        for removed in (self.admin.delete_topics(names) if names else {}).values():
            removed.result(30)

    def topic(self, what: str = "events") -> str:
        return f"qmarket.{self.market}.{what}"

    def topics(self, action: str, *options: object) -> Ran:
        return run("topics", action, "--brokers", BROKERS, "--market", self.market, *options)

    def create(self) -> None:
        self.assert_done(self.topics("create"))

    def on_kafka(self, command: str, *arguments: object, stdin: str = "") -> Ran:
        return run(command, *arguments, "--log", "kafka", "--brokers", BROKERS, "--market",
                   self.market, "--data", self.data, stdin=stdin)

    def append(self, events: Events) -> dict:
        ran = self.on_kafka("append", "-", "--format", "json", stdin=events.text())
        return self.assert_done(ran).json()

    def produce(self, *records: bytes) -> None:
        """Puts raw records in the topic of events, as anyone may."""
        producer = Producer({"bootstrap.servers": BROKERS})
        for record in records:
            producer.produce(self.topic(), record)
        self.assertEqual(producer.flush(30), 0)

    def committed(self, what: str) -> list[bytes]:
        """All committed records of a topic."""
        consumer = Consumer({"bootstrap.servers": BROKERS, "group.id": self.market,
                             "enable.auto.commit": False, "enable.partition.eof": True,
                             "isolation.level": "read_committed"})
        consumer.assign([TopicPartition(self.topic(what), 0, 0)])
        records = []
        while True:
            message = consumer.poll(30)
            self.assertIsNotNone(message, "the broker does not answer")
            if message.error() is None:
                records.append(message.value())
                continue
            self.assertEqual(message.error().code(), KafkaError._PARTITION_EOF)
            consumer.close()
            return records


class Topics(KafkaTest):
    def test_are_made_once_and_checked(self) -> None:
        made = self.assert_done(self.topics("create", "--format", "json")).json()
        self.assertEqual((made["market"], made["ok"]), (self.market, True))
        self.assertEqual([(topic["topic"], topic["exists"], topic["created"], topic["ok"])
                          for topic in made["topics"]],
                         [(self.topic("events"), True, True, True),
                          (self.topic("outcomes"), True, True, True)])
        settings = {setting["name"]: setting for setting in made["topics"][0]["settings"]}
        for name, value in (("partitions", "1"), ("cleanup.policy", "delete"),
                            ("retention.ms", "-1"), ("retention.bytes", "-1"),
                            ("message.timestamp.type", "LogAppendTime")):
            self.assertEqual(settings[name], {"name": name, "value": value, "expected": value,
                                              "ok": True, "required": True})
        for action in ("create", "check"):
            again = self.assert_done(self.topics(action, "--format", "json")).json()
            self.assertEqual([topic["created"] for topic in again["topics"]], [False, False])
            self.assertEqual([topic["settings"] for topic in again["topics"]],
                             [topic["settings"] for topic in made["topics"]])
        more = self.assert_done(self.topics("create", "--mirror-json", "--format", "json")).json()
        self.assertEqual([(topic["topic"], topic["created"]) for topic in more["topics"]],
                         [(self.topic("events"), False), (self.topic("outcomes"), False),
                          (self.topic("outcomes.json"), True)])
        table = self.assert_done(self.topics("check")).out
        self.assertRegex(table, rf"(?m)^{self.topic()} +no +retention.ms +-1 +-1 +yes +yes$")

    def test_that_are_missing(self) -> None:
        ran = self.topics("check", "--format", "json")
        self.assertEqual(ran.status, VERIFICATION_FAILED)
        self.assertIn("qmarket topics create", ran.err)
        self.assertEqual([(topic["topic"], topic["exists"], topic["ok"])
                          for topic in ran.json()["topics"]],
                         [(self.topic("events"), False, False),
                          (self.topic("outcomes"), False, False)])
        self.create()
        self.assertEqual(self.topics("check", "--mirror-json").status, VERIFICATION_FAILED)
        self.market = f"{self.family}.missing"
        for command in (("append", "-"), ("replay",), ("events",), ("run", "--once")):
            with self.subTest(command[0]):
                ran = self.on_kafka(*command, stdin=small_market().text())
                self.assert_fails(ran, BAD_INPUT, self.topic(), "qmarket topics create")

    def test_that_lose_history_fail_the_check(self) -> None:
        for number, (config, partitions, said) in enumerate((
                ({"retention.ms": "1000000"}, 1, "retention.ms=1000000, expected -1"),
                ({"cleanup.policy": "compact"}, 1, "cleanup.policy=compact, expected delete"),
                ({"message.timestamp.type": "CreateTime"}, 1, "message.timestamp.type"),
                ({}, 2, "partitions=2, expected 1"))):
            with self.subTest(said):
                self.market = f"{self.family}.{number}"
                good = {"retention.ms": "-1", "message.timestamp.type": "LogAppendTime"}
                topic = NewTopic(self.topic(), partitions, 1, config={**good, **config})
                self.admin.create_topics([topic])[self.topic()].result(30)
                ran = self.topics("check", "--format", "json")
                self.assertEqual(ran.status, VERIFICATION_FAILED)
                self.assertIn(said, ran.err)
                self.assertFalse(ran.json()["ok"])
                self.assertFalse(ran.json()["topics"][0]["ok"])
                # It is not changed: the topic may be somebody's.
                made = self.topics("create", "--format", "json")
                self.assertEqual(made.status, BAD_INPUT)
                self.assertIn(said, made.err)
                self.assertEqual([topic["created"] for topic in made.json()["topics"]],
                                 [False, True])


class Log(KafkaTest):
    def setUp(self) -> None:
        super().setUp()
        self.create()

    def test_append_and_replay(self) -> None:
        events = small_market()
        half = Events()
        half.lines = events.lines[:9]
        rest = Events()
        rest.lines = events.lines[9:]
        self.assertEqual(self.append(half), {"appended": 9, "first_offset": 0, "last_offset": 8})
        self.assertEqual(self.append(rest),
                         {"appended": 13, "first_offset": 9, "last_offset": 21})
        lines = self.write("events.jsonl", events.text())
        for options in ((), ("--offset", "15"), ("--at", "2026-01-01T00:05:00Z")):
            with self.subTest(options):
                self.assertEqual(
                    self.assert_done(self.on_kafka("replay", "--format", "json", *options)).json(),
                    run("replay", "--events", lines, "--format", "json", *options).json())
        self.assert_fails(self.on_kafka("replay", "--offset", "22"), BAD_INPUT,
                          "no offset 22 yet: the last is 21")
        self.assertFalse(self.data.exists())

    def test_append_in_batches(self) -> None:
        events = Events()
        for number in range(20_000):
            events.add("ClockTicked", event_id=f"t{number}")
        path = self.write("many.jsonl", events.text())
        ran = self.assert_done(self.on_kafka("append", path, "--format", "json"))
        self.assertEqual(ran.json(),
                         {"appended": 20_000, "first_offset": 0, "last_offset": 19_999})
        got = self.assert_done(self.on_kafka("events", "--format", "json"))
        self.assertEqual([json.loads(line) for line in got.out.splitlines()], events.lines)

    def test_of_nothing(self) -> None:
        ran = self.assert_done(self.on_kafka("replay", "--format", "json"))
        self.assertEqual(ran.json()["offset"], None)
        self.assertEqual(self.assert_done(self.on_kafka("events", "--format", "json")).out, "")

    def test_events_come_round_without_what_is_none(self) -> None:
        events = small_market()
        self.append(events)
        self.produce(b"poison", b"")
        self.append(Events().add("ClockTicked", event_id="last"))
        ran = self.assert_done(self.on_kafka("events", "--format", "json", "--with-offset"))
        items = [json.loads(line) for line in ran.out.splitlines()]
        self.assertEqual([item["event"] for item in items[:-1]], events.lines)
        self.assertEqual((items[-1]["event"]["event_id"], items[-1]["offset"]), ("last", 24))
        for offset in (22, 23):
            self.assertIn(f"offset {offset} left out: ", ran.err)
        state = self.assert_done(self.on_kafka("replay", "--format", "json")).json()
        self.assertEqual([(item["offset"], item["code"]) for item in state["rejected"]],
                         [(22, "malformed"), (23, "malformed")])

    def follow(self, *options: object) -> subprocess.Popen:
        process = subprocess.Popen(
            [BINARY, "events", "--log", "kafka", "--brokers", BROKERS, "--market", self.market,
             "--follow", "--format", "json", *map(str, options)],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        timer = threading.Timer(60, process.kill)  # a line that never comes ends the test
        self.addCleanup(timer.cancel)
        timer.start()
        return process

    def test_follows_a_log_that_never_rests(self) -> None:
        """What has come is printed, though there is always more to read."""
        process = self.follow()
        source = subprocess.Popen(
            [BINARY, "append", "-", "--log", "kafka", "--brokers", BROKERS, "--market",
             self.market], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(source.wait)
        self.addCleanup(source.kill)
        stop = threading.Event()
        sent = []

        def send() -> None:
            while not stop.wait(0.02):
                event = Events().add("ClockTicked", event_id=f"t{len(sent)}")
                sent.extend(event.lines)
                source.stdin.write(event.text())
                source.stdin.flush()
            source.stdin.close()

        sender = threading.Thread(target=send)
        sender.start()
        self.addCleanup(sender.join)
        self.addCleanup(stop.set)
        got = [json.loads(process.stdout.readline()) for _ in range(20)]
        self.assertLess(len(sent), 500, "they were printed when a buffer was full")
        self.assertEqual(got, sent[:20])

    def test_follows(self) -> None:
        self.append(small_market())
        process = self.follow("--from-offset", 21, "--to-offset", 22)
        self.assertEqual(json.loads(process.stdout.readline()), small_market().lines[21])
        self.append(Events().add("ClockTicked", event_id="more"))
        self.assertEqual(json.loads(process.stdout.readline())["event_id"], "more")
        self.assertEqual(process.wait(), DONE)

    def test_a_ledger_of_another_log_is_not_mixed_with_it(self) -> None:
        self.append(small_market())
        options = ("--data", self.data, "--market", self.market)
        self.assert_done(run("append", "-", *options, stdin=small_market().text()))
        self.assert_done(run("run", "--once", *options))
        for command in ("replay", "bids"):
            self.assert_fails(self.on_kafka(command), BAD_INPUT, "made from another log",
                              f"/{self.topic()}")
        self.assert_fails(self.on_kafka("replay", "--verify"), VERIFICATION_FAILED,
                          "made from another log")


class Run(KafkaTest):
    def setUp(self) -> None:
        super().setUp()
        self.create()

    def start(self, *options: str) -> subprocess.Popen:
        """A matcher that runs until it is stopped."""
        with open(self.dir / "stderr", "wb") as stderr:
            process = subprocess.Popen(
                [BINARY, "run", "--log", "kafka", "--brokers", BROKERS, "--data", str(self.data),
                 *options], stderr=stderr)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def said(self) -> str:
        return (self.dir / "stderr").read_text()

    def test_once(self) -> None:
        self.append(small_market())
        self.assert_done(self.on_kafka("run", "--once"))
        folder = self.data / "markets" / self.market
        self.assertTrue((folder / "store").is_dir())
        self.assertFalse((folder / "log").exists())
        verified = self.assert_done(self.on_kafka("replay", "--verify", "--format", "json")).json()
        self.assertEqual((verified["verified"], verified["events"]), (True, 22))
        embedded = self.dir / "embedded"
        self.assert_done(run("append", "-", "--data", embedded, stdin=small_market().text()))
        self.assert_done(run("run", "--once", "--data", embedded))
        for command in ("balance", "prices", "allocations", "bids", "transfers", "outcomes"):
            with self.subTest(command):
                self.assertEqual(
                    self.assert_done(self.on_kafka(command, "--format", "json")).out,
                    run(command, "--data", embedded, "--format", "json").out)
        # Where the log is has to be said only where it is needed.
        options = ("--data", self.data, "--market", self.market)
        self.assert_done(run("balance", *options))
        for command in (("bids",), ("append", "-"), ("replay",), ("replay", "--verify"), ("events",)):
            ran = run(*command, *options, stdin=small_market().text())
            self.assert_fails(ran, BAD_INPUT, "--log kafka --brokers", self.topic())
        self.assertFalse((folder / "log").exists())

    def test_publishes_what_the_ledger_has(self) -> None:
        self.append(small_market())
        self.assert_done(self.topics("create", "--mirror-json"))
        self.assert_done(self.on_kafka("run", "--once", "--mirror-json"))
        published = [json.loads(record) for record in self.committed("outcomes.json")]
        stored = self.assert_done(self.on_kafka("outcomes", "--format", "json")).out
        self.assertEqual(published, [json.loads(line) for line in stored.splitlines()])
        self.assertGreater(len(published), 10)

    def test_an_observer_takes_nothing_from_the_owner(self) -> None:
        self.append(small_market())
        self.assert_done(self.on_kafka("run", "--once"))
        published = self.committed("outcomes")
        observed = self.dir / "observed"
        options = ("--log", "kafka", "--brokers", BROKERS, "--market", self.market)
        ran = run("replay", "--verify", "--data", observed, *options)
        self.assert_fails(ran, BAD_INPUT, "no ledger here yet", "run --once --observe")
        owner = self.start("--market", self.market)
        deadline = time.monotonic() + 60
        while "owns the market" not in self.said():
            self.assertLess(time.monotonic(), deadline, self.said())
            time.sleep(0.1)
        self.assert_done(run("run", "--once", "--observe", "--data", observed, *options))
        self.assert_done(run("replay", "--verify", "--data", observed, *options))
        # The owner is the owner still: it publishes what comes.
        self.append(Events().add("BudgetGranted", time_ms=int(time.time() * 1000),
                                 event_id="grant", team="vision", amount_micros=5_000_000))
        while len(self.committed("outcomes")) == len(published):
            self.assertLess(time.monotonic(), deadline, self.said())
            self.assertIsNone(owner.poll(), self.said())

    def test_a_second_matcher_in_the_same_folder_is_refused(self) -> None:
        self.start("--market", self.market)
        deadline = time.monotonic() + 60
        while "owns the market" not in self.said():
            self.assertLess(time.monotonic(), deadline, self.said())
            time.sleep(0.1)
        ran = self.on_kafka("run", "--once")
        self.assert_fails(ran, UNREACHABLE, "another qmarket run has the ledger", "--data")

    def test_runs_until_it_is_stopped(self) -> None:
        self.append(small_market())
        process = self.start("--market", self.market)
        grant = Events().add("BudgetGranted", time_ms=int(time.time() * 1000), event_id="grant",
                             team="vision", amount_micros=5_000_000)
        self.append(grant)
        deadline = time.monotonic() + 60
        while True:
            ran = self.on_kafka("transfers", "--kind", "grant", "--format", "json")
            if ran.status == DONE and ran.json()["transfers"]:
                break
            self.assertLess(time.monotonic(), deadline, f"the grant is not applied: {ran}")
            self.assertIsNone(process.poll(), self.said())
            time.sleep(0.2)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), DONE, self.said())
        self.assert_done(self.on_kafka("replay", "--verify"))

    def test_a_group_takes_all_markets_of_a_pattern(self) -> None:
        names = [f"{self.family}.{name}" for name in ("a", "b", "c")]
        for name in names:
            self.market = name
            self.create()
            self.append(small_market())
        process = self.start("--group", self.family, "--market", rf"{self.family}\.[ab]")
        deadline = time.monotonic() + 60
        for name in names[:2]:
            self.market = name
            while not (ran := self.on_kafka("outcomes", "--format", "json")).out:
                self.assertLess(time.monotonic(), deadline, f"{name} is not applied: {ran}")
                self.assertIsNone(process.poll(), self.said())
                time.sleep(0.2)
        process.terminate()
        self.assertEqual(process.wait(timeout=60), DONE, self.said())
        for name in names[:2]:
            self.market = name
            self.assert_done(self.on_kafka("replay", "--verify"))
        self.assertEqual({path.name for path in (self.data / "markets").iterdir()},
                         set(names[:2]))


if __name__ == "__main__":
    unittest.main(verbosity=2)
