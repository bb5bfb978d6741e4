"""The programs of examples/ against a broker, and the market between them.

    examples_test.py FLATC GENERATED_MODULES
"""

from __future__ import annotations

import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import python_env  # noqa: E402  (needs the path above)

python_env.enter()

BROKERS = os.environ.get("QMARKET_KAFKA_BROKERS", "")
ROOT = python_env.SOURCE_DIR
BINARY = os.environ.get("QMARKET_BINARY", str(ROOT / "build/release/qmarket"))
FLATC, MODULES = sys.argv[1:3]

sys.path.insert(0, MODULES)

from confluent_kafka import Consumer, Message, Producer, TopicPartition  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402

import outcome_records  # noqa: E402

DONE, BAD_DATA, USAGE, UNREACHABLE = range(4)
START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z

BID = ["--bid", "train", "--team", "rank", "--resource", "h100", "--chips", "8"]


def run(*command: object, expect: int = DONE) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": MODULES}
    done = subprocess.run(
        [str(word) for word in command], env=environment,
        capture_output=True, text=True, timeout=100, check=False,
    )
    if done.returncode != expect:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done


def example(name: str, *arguments: object, expect: int = DONE) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-B", ROOT / "examples" / name, *arguments, expect=expect)


class UsageTest(unittest.TestCase):
    def test_wrong_arguments_are_named(self) -> None:
        for change, said in (
            ({"--bid": "a b"}, "--bid: expected 1 to 128 characters of A-Za-z0-9._@:/-"),
            ({"--chips": "0"}, "--chips: expected 1 to 1000000, found '0'"),
            ({"--chips": "8.5"}, "--chips: expected 1 to 1000000, found '8.5'"),
            ({"--min-chips": "9"}, "--min-chips 9 is more than --chips 8"),
            ({"--priority": "2147483648"}, "--priority: expected -2147483648 to 2147483647"),
            ({"--time-ms": "now"}, "--time-ms: expected 0 to 4102444800000, found 'now'"),
            ({"--event-id": "\u00e9"}, "--event-id: expected 1 to 128 printable characters"),
        ):
            options = dict(zip(BID[::2], BID[1::2])) | change
            words = [word for option in options.items() for word in option]
            with self.subTest(change=change):
                self.assertIn(said, example("place_bid.py", *words, expect=USAGE).stderr)
        self.assertIn("--team", example("place_bid.py", "--bid", "b", expect=USAGE).stderr)
        self.assertIn("--count", example("prices.py", "--count", "0", expect=USAGE).stderr)

    def test_where_no_broker_is(self) -> None:
        def ask(name: str, *options: str) -> subprocess.CompletedProcess[str]:
            return example(name, "--brokers", "127.0.0.1:1", *options, expect=UNREACHABLE)

        # Each waits a while, so both at once.
        with concurrent.futures.ThreadPoolExecutor() as pool:
            asked = [pool.submit(ask, "place_bid.py", *BID), pool.submit(ask, "prices.py")]
        for done in (one.result() for one in asked):
            self.assertIn("no broker answers", done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


@unittest.skipUnless(BROKERS, "QMARKET_KAFKA_BROKERS is empty")
class BrokerTest(unittest.TestCase):
    """A test with a market of its own."""

    maxDiff = None

    def setUp(self) -> None:
        self.market = f"examples-{uuid.uuid4()}"
        self.at = ["--brokers", BROKERS, "--market", self.market]
        folder = tempfile.TemporaryDirectory(prefix="qmarket-examples-")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.admin = AdminClient({"bootstrap.servers": BROKERS})

    def topic(self, kind: str) -> str:
        return f"qmarket.{self.market}.{kind}"

    def create_topics(self) -> None:
        topics = [self.topic(kind) for kind in ("events", "outcomes")]
        made = self.admin.create_topics([NewTopic(name, 1, -1) for name in topics])
        for future in made.values():
            future.result(30)
        self.addCleanup(self.admin.delete_topics, topics)

    def event_at(self, offset: int) -> Message:
        consumer = Consumer({"bootstrap.servers": BROKERS, "group.id": "examples-test"})
        self.addCleanup(consumer.close)
        consumer.assign([TopicPartition(self.topic("events"), 0, offset)])
        message = consumer.poll(30)
        self.assertIsNotNone(message)
        self.assertIsNone(message.error())
        return message

    def decoded(self, record: bytes) -> Any:
        (self.dir / "event.bin").write_bytes(record)
        run(FLATC, "--json", "--strict-json", "-o", self.dir, ROOT / "events/events.fbs", "--",
            self.dir / "event.bin")
        return json.loads((self.dir / "event.json").read_text("utf-8"))


class PlaceBidTest(BrokerTest):
    def test_a_market_that_is_not_there(self) -> None:
        done = example("place_bid.py", *self.at, *BID, expect=BAD_DATA)
        self.assertIn(self.topic("events"), done.stderr)

    def test_the_record_is_the_event(self) -> None:
        self.create_topics()
        first = example("place_bid.py", *self.at, *BID, "--time-ms", START_MS)
        self.assertEqual(first.stdout, "0\n")
        second = example(
            "place_bid.py", *self.at, *BID, "--min-chips", 4, "--limit-price-micros", 2_500_000,
            "--priority", -3, "--opportunistic", "--no-standby", "--event-id", "e-2",
            "--time-ms", START_MS + 7, "--actor", "user:ana", "--source", "slurm prod",
        )
        self.assertEqual(second.stdout, "1\n")

        event = self.decoded(self.event_at(0).value() or b"")
        self.assertGreater(len(event.pop("event_id")), 30)
        self.assertEqual(event, {
            "time_ms": START_MS,
            "source": "examples/place_bid",
            "payload_type": "BidPlaced",
            "payload": {"bid": "train", "team": "rank", "resource": "h100", "chips": 8},
        })
        message = self.event_at(1)
        self.assertEqual(self.decoded(message.value() or b""), {
            "event_id": "e-2",
            "time_ms": START_MS + 7,
            "actor": "user:ana",
            "source": "slurm prod",
            "payload_type": "BidPlaced",
            "payload": {
                "bid": "train", "team": "rank", "resource": "h100", "chips": 8, "min_chips": 4,
                "limit_price_micros": 2_500_000, "priority": -3, "opportunistic": True,
                "standby": False,
            },
        })
        self.assertEqual(message.headers(), [
            ("ce_specversion", b"1.0"),
            ("ce_id", b"e-2"),
            ("ce_source", f"/qmarket/{self.market}/slurm%20prod".encode()),
            ("ce_type", b"qmarket.event.BidPlaced"),
            ("ce_time", b"2026-01-01T00:00:00.007Z"),
            ("content-type", b"application/vnd.qmarket.event+flatbuffers"),
        ])


class PricesTest(BrokerTest):
    def publish(self, *records: bytes, commit: bool = True) -> None:
        producer = Producer({
            "bootstrap.servers": BROKERS, "transactional.id": self.market, "linger.ms": 0,
        })
        producer.init_transactions(30)
        producer.begin_transaction()
        for record in records:
            producer.produce(self.topic("outcomes"), record)
        producer.flush(30)
        if commit:
            producer.commit_transaction(30)
        else:
            producer.abort_transaction(30)

    def test_prices_of_committed_outcomes(self) -> None:
        self.create_topics()
        self.publish(outcome_records.cleared("gone", START_MS, 9, 9, 9), commit=False)
        self.publish(
            outcome_records.rejected("e-1"),
            outcome_records.cleared("h100", START_MS, 2_500_000, 24, 32, {"search": 3_000_001}),
            outcome_records.cleared("tpu", START_MS + 60_000, None, 0, 8, {"search": None}),
        )
        done = example("prices.py", *self.at, "--from-beginning", "--count", 2)
        self.assertEqual([line.split() for line in done.stdout.splitlines()], [
            ["2026-01-01T00:00:00.000Z", "h100", "2.50", "credits/h", "24", "of", "32", "chips"],
            ["2026-01-01T00:01:00.000Z", "tpu", "no", "price", "0", "of", "8", "chips"],
        ])
        done = example("prices.py", *self.at, "--from-beginning", "--count", 2, "--json")
        self.assertEqual([json.loads(line) for line in done.stdout.splitlines()], [
            {
                "time": "2026-01-01T00:00:00.000Z", "resource": "h100", "cycle": 1,
                "reference_price_micros": 2_500_000, "allocated": 24, "supply": 32,
                "pools": {"search": {"price_micros": 3_000_001, "allocated": 24}},
            },
            {
                "time": "2026-01-01T00:01:00.000Z", "resource": "tpu", "cycle": 1,
                "reference_price_micros": None, "allocated": 0, "supply": 8,
                "pools": {"search": {"price_micros": None, "allocated": 0}},
            },
        ])

    def test_a_record_that_is_no_outcome_ends_it(self) -> None:
        self.create_topics()
        self.publish(b"not an outcome")
        done = example("prices.py", *self.at, "--from-beginning", expect=BAD_DATA)
        self.assertIn("offset 0: no outcome record", done.stderr)


class EndToEndTest(BrokerTest):
    """The bids of one example make the price that the other prints."""

    def qmarket(self, command: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return run(BINARY, command, *arguments, *self.at)

    def append(self, *payloads: tuple[str, dict[str, Any]], time_ms: int) -> None:
        path = self.dir / "events.jsonl"
        path.write_text("".join(
            json.dumps({"event_id": str(uuid.uuid4()), "time_ms": time_ms, "payload_type": kind,
                        "payload": payload}) + "\n"
            for kind, payload in payloads
        ), "utf-8")
        self.qmarket("append", path, "--log", "kafka")

    def test_bids_make_a_price(self) -> None:
        self.qmarket("topics", "create")
        topics = [name for name in self.admin.list_topics(timeout=30).topics if self.market in name]
        self.addCleanup(self.admin.delete_topics, topics)
        self.append(
            ("PoolConfigured", {"pool": "search", "market_weight_micros_per_hour": 10**8}),
            ("TeamConfigured", {"team": "rank", "pool": "search"}),
            ("BudgetGranted", {"team": "rank", "amount_micros": 10**9}),
            ("SupplyChanged", {"resource": "h100", "chips": 8}),
            time_ms=0,
        )
        for bid in ("train", "tune"):
            example("place_bid.py", *self.at, *BID, "--bid", bid)
        self.append(("ClockTicked", {}), time_ms=time.time_ns() // 1_000_000)
        self.qmarket("run", "--once", "--log", "kafka", "--data", self.dir / "data")

        done = example("prices.py", *self.at, "--from-beginning", "--count", 1, "--json")
        price = json.loads(done.stdout)
        self.assertEqual((price["resource"], price["allocated"], price["supply"]), ("h100", 8, 8))
        # Both bids want all chips, and there is credit: nobody gets them for nothing.
        self.assertGreater(price["reference_price_micros"], 0)
        self.assertEqual(price["pools"]["search"]["allocated"], 8)
        recorded = run(BINARY, "prices", "--data", self.dir / "data", "--market", self.market,
                       "--format", "json")
        self.assertIn(str(price["reference_price_micros"]), recorded.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
