"""What the program writes to Kafka is what docs/asyncapi.yaml says: headers, keys and payloads.

    traffic_test.py FLATC
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import uuid
from datetime import datetime
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import python_env  # noqa: E402  (needs the path above)

python_env.enter()

import jsonschema  # noqa: E402  (is in the environment alone)
import yaml  # noqa: E402
from confluent_kafka import Consumer, KafkaError, Message, TopicPartition  # noqa: E402
from confluent_kafka.admin import AdminClient  # noqa: E402

Json = dict[str, Any]

ROOT = python_env.SOURCE_DIR
BROKERS = os.environ.get("QMARKET_KAFKA_BROKERS", "")
BINARY = os.environ.get("QMARKET_BINARY", str(ROOT / "build/release/qmarket"))
FLATC = sys.argv[1]

BID = {"bid": "train", "team": "rank", "resource": "h100", "chips": 8}
EVENTS: list[tuple[str, Json]] = [
    ("MarketConfigured", {"purse_hours": 100}),
    ("PoolConfigured", {"pool": "search", "market_weight_micros_per_hour": 10**8}),
    ("TeamConfigured", {"team": "rank", "pool": "search", "income_micros_per_hour": 10**6}),
    ("TeamConfigured", {"team": "lab", "pool": "search"}),
    ("BudgetGranted", {"team": "rank", "amount_micros": 10**9}),
    ("CreditsTransferred", {"from_team": "rank", "to_team": "lab", "amount_micros": 5}),
    ("SupplyChanged", {"resource": "h100", "chips": 8}),
    ("BidPlaced", BID),
    ("BidPlaced", BID | {"bid": "nobody", "team": "unknown"}),
    ("BidAmended", {"bid": "train", "priority": 3}),
    ("ClockTicked", {}),
    ("ChipsPreempted", {"bid": "train", "chips": 2, "reason": "node_failure"}),
    ("UsageReported", {"bid": "train", "chips_in_use": 6, "from_ms": 0, "to_ms": 1}),
    ("BidWithdrawn", {"bid": "train", "reason": "finished"}),
]


def load(path: pathlib.Path) -> Json:
    return yaml.safe_load(path.read_text("utf-8"))


class Document:
    """The document's messages, with references and traits put in."""

    def __init__(self) -> None:
        self.files = {name: load(ROOT / "docs" / name)
                      for name in ("asyncapi.yaml", "asyncapi-schemas.yaml")}
        channels = self.files["asyncapi.yaml"]["channels"]
        self.messages = {kind: self.inline(channels[channel]["messages"], "asyncapi.yaml")
                         for kind, channel in (("events", "events"), ("outcomes", "outcomes"),
                                               ("outcomes.json", "outcomesJson"))}

    def inline(self, node: Any, file: str) -> Any:
        if isinstance(node, list):
            return [self.inline(item, file) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            name, _, path = node["$ref"].partition("#/")
            file = name.removeprefix("./") or file
            target: Any = self.files[file]
            for key in path.split("/"):
                target = target[key]
            return self.inline(target, file)
        result = {key: self.inline(value, file) for key, value in node.items()}
        for trait in result.pop("traits", []) if "payload" in result else []:
            result = merged(trait, result)
        return result


def merged(base: Json, over: Json) -> Json:
    both = dict(base)
    for key, value in over.items():
        deep = isinstance(value, dict) and isinstance(base.get(key), dict)
        both[key] = merged(base[key], value) if deep else value
    return both


def team_of(account: str) -> str:
    return account.removeprefix("team:") if account.startswith("team:") else ""


def key_of(payload: Json) -> str:
    if "currency" in payload:
        return team_of(payload["from"]) or team_of(payload["to"])
    return payload.get("team") or payload.get("resource", "")


@unittest.skipUnless(BROKERS, "QMARKET_KAFKA_BROKERS is empty")
class TrafficTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="qmarket-traffic-")
        cls.addClassCleanup(folder.cleanup)
        cls.dir = pathlib.Path(folder.name)
        cls.market = f"traffic-{uuid.uuid4()}"
        cls.document = Document()
        cls.start_ms = time.time_ns() // 1_000_000 - 1000
        lines = [
            {"event_id": f"e-{index}", "time_ms": 0 if index == 1 else cls.start_ms,
             "source": "a test" if index == 2 else "", "payload_type": kind, "payload": payload}
            for index, (kind, payload) in enumerate(EVENTS)
        ]
        events = cls.dir / "events.jsonl"
        events.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        at = ["--brokers", BROKERS, "--market", cls.market]
        cls.run_command(BINARY, "topics", "create", "--mirror-json", *at)
        cls.addClassCleanup(cls.delete_topics)
        cls.run_command(BINARY, "append", events, "--log", "kafka", *at)
        cls.run_command(BINARY, "run", "--once", "--log", "kafka", "--mirror-json",
                        "--data", cls.dir / "data", *at)
        cls.records = {kind: cls.read(kind) for kind in ("events", "outcomes", "outcomes.json")}

    @staticmethod
    def run_command(*command: object) -> None:
        words = [str(word) for word in command]
        run = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
        if run.returncode != 0:
            raise AssertionError(f"{words}: {run.stdout}{run.stderr}")

    @classmethod
    def delete_topics(cls) -> None:
        admin = AdminClient({"bootstrap.servers": BROKERS})
        topics = [name for name in admin.list_topics(timeout=30).topics if cls.market in name]
        for future in admin.delete_topics(topics).values():
            future.result(30)

    @classmethod
    def read(cls, kind: str) -> list[Message]:
        consumer = Consumer({"bootstrap.servers": BROKERS, "group.id": "traffic-test",
                             "enable.partition.eof": True})
        consumer.assign([TopicPartition(f"qmarket.{cls.market}.{kind}", 0, 0)])
        messages = []
        while (message := consumer.poll(30)) is not None and message.error() is None:
            messages.append(message)
        consumer.close()
        if message is None or message.error().code() != KafkaError._PARTITION_EOF:
            raise AssertionError(f"{kind}: {message and message.error()}")
        return messages

    def decoded(self, kind: str) -> list[Json]:
        """The JSON form of the records that are in binary."""
        names = []
        for index, message in enumerate(self.records[kind]):
            names.append(self.dir / f"{kind}-{index}.bin")
            names[-1].write_bytes(message.value())
        self.run_command(FLATC, "--json", "--strict-json", "-o", self.dir,
                         ROOT / f"events/{kind}.fbs", "--", *names)
        return [json.loads(name.with_suffix(".json").read_text("utf-8")) for name in names]

    def check(self, kind: str, name: str, message: Message, payload: Json) -> dict[str, str]:
        """That the record is as the document says of the message; its headers."""
        stated = self.document.messages[kind][name]
        headers = {key: value.decode() for key, value in message.headers() or []}
        with self.subTest(topic=kind, offset=message.offset(), headers=headers):
            jsonschema.validate(headers, stated["headers"])
            self.assertEqual(headers["content-type"], stated["contentType"])
            self.assertTrue(headers["ce_time"].endswith("Z"))
            datetime.fromisoformat(headers["ce_time"])
            jsonschema.validate(payload, stated["payload"])
        return headers

    def test_events(self) -> None:
        events = self.decoded("events")
        for message, event in zip(self.records["events"], events, strict=True):
            headers = self.check("events", event["payload_type"], message, event)
            self.assertEqual(headers["ce_id"], event["event_id"])
            source = f"/qmarket/{self.market}" + ("/a%20test" if event.get("source") else "")
            self.assertEqual(headers["ce_source"], source)
            time_ms = datetime.fromisoformat(headers["ce_time"]).timestamp() * 1000
            self.assertEqual(round(time_ms), event["time_ms"])
        self.assertEqual([event["payload_type"] for event in events], [kind for kind, _ in EVENTS])
        self.assertEqual({kind for kind, _ in EVENTS}, set(self.document.messages["events"]))

    def test_outcomes_in_binary_and_as_json(self) -> None:
        outcomes = self.decoded("outcomes")
        mirror = self.records["outcomes.json"]
        for message, outcome, twin in zip(self.records["outcomes"], outcomes, mirror, strict=True):
            headers = self.check("outcomes", outcome["payload_type"], message, outcome)
            self.assertEqual(headers["ce_id"], f"{outcome['offset']}-{outcome['index']}")
            self.assertEqual(headers["ce_source"], f"/qmarket/{self.market}")
            self.assertEqual((message.key() or b"").decode(), key_of(outcome["payload"]), outcome)

            same = json.loads(twin.value())
            self.assertEqual(same, outcome)
            other = self.check("outcomes.json", "OutcomeJson", twin, same)
            self.assertEqual(other | {"content-type": headers["content-type"]}, headers)
            self.assertEqual(twin.key(), message.key())
        found = {outcome["payload_type"] for outcome in outcomes}
        self.assertEqual(found, set(self.document.messages["outcomes"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
