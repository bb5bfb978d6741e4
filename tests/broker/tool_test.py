"""tools/kafka: a node starts, is paused, is killed, comes back with its data, and stops."""

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import python_env  # noqa: E402  (needs the path above)

python_env.enter()

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer  # noqa: E402
from confluent_kafka import TopicPartition  # noqa: E402
from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402

TOOL = python_env.SOURCE_DIR / "tools/kafka"
DONE, FAILED, USAGE, NOT_ALL_RUN = range(4)


def free_port() -> int:
    """A port that is free, as the one 1000 above it is, below those that systems hand out."""
    for port in range(21092, 31000, 10):
        with socket.socket() as client, socket.socket() as controller:
            try:
                client.bind(("127.0.0.1", port))
                controller.bind(("127.0.0.1", port + 1000))
                return port
            except OSError:
                continue
    raise RuntimeError("no free port")


class ToolTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="qmarket-kafka-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"

    def kafka(self, *arguments: str, expect: int = DONE) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {
            "QMARKET_KAFKA_DIR": str(self.folder / "cluster"),
            "QMARKET_KAFKA_PORT": str(self.port),
            "QMARKET_KAFKA_SESSION_MS": "10000",
        }
        run = subprocess.run(
            [str(TOOL), *arguments], env=environment,
            capture_output=True, text=True, timeout=250, check=False,
        )
        self.assertEqual(run.returncode, expect, f"{arguments}: {run.stdout}{run.stderr}")
        return run

    def states(self, expect: int) -> list[str]:
        lines = self.kafka("status", expect=expect).stdout.splitlines()
        return [line.split()[2] for line in lines]

    def test_wrong_calls_are_usage_errors(self) -> None:
        for arguments in ([], ["go"], ["up", "--nodes", "2"], ["down", "now"], ["start"],
                          ["status", "1"]):
            self.assertIn("kafka: ", self.kafka(*arguments, expect=USAGE).stderr)
        self.assertIn("tools/kafka up", self.kafka("--help").stdout)

    def test_without_a_cluster_there_is_nothing_to_do(self) -> None:
        for arguments in (["status"], ["start", "1"], ["kill", "1"]):
            self.assertIn("no cluster", self.kafka(*arguments, expect=FAILED).stderr)
        self.kafka("down", "--wipe")

    @unittest.skipUnless(os.environ.get("QMARKET_KAFKA_BROKERS"), "QMARKET_KAFKA_BROKERS is empty")
    def test_a_node_from_start_to_end(self) -> None:
        self.addCleanup(self.kafka, "down", "--wipe")
        with socket.socket() as other:
            other.bind(("127.0.0.1", self.port))
            other.listen()
            self.assertIn("is taken", self.kafka("up", expect=FAILED).stderr)

        self.assertEqual(self.kafka("up").stdout, self.address + "\n")
        self.assertEqual(self.kafka("up").stdout, self.address + "\n")
        self.assertEqual(self.states(DONE), ["running"])
        self.assertIn("has 1 node", self.kafka("up", "--nodes", "3", expect=FAILED).stderr)
        self.write("kept")

        self.kafka("kill", "1", "STOP")
        self.assertEqual(self.states(NOT_ALL_RUN), ["paused"])
        self.assertIn("paused", self.kafka("up", expect=FAILED).stderr)
        self.kafka("kill", "1", "CONT")
        self.assertEqual(self.states(DONE), ["running"])

        self.kafka("kill", "1")
        self.assertEqual(self.states(NOT_ALL_RUN), ["stopped"])
        self.kafka("start", "1")
        self.assertEqual(self.read(), b"kept")

        self.kafka("kill", "1", "STOP")
        self.kafka("down", "--wipe")
        self.assertFalse((self.folder / "cluster").exists())

    def write(self, text: str) -> None:
        admin = AdminClient({"bootstrap.servers": self.address})
        for _ in range(60):
            try:
                admin.create_topics([NewTopic("t", 1, 1)])["t"].result(30)
                break
            except KafkaException as error:
                # So on a machine that is so busy that the node counts as dead for a while.
                if error.args[0].code() != KafkaError.INVALID_REPLICATION_FACTOR:
                    raise
                time.sleep(1)
        producer = Producer({"bootstrap.servers": self.address, "acks": "all"})
        producer.produce("t", text)
        self.assertEqual(producer.flush(30), 0)

    def read(self) -> bytes | None:
        consumer = Consumer({"bootstrap.servers": self.address, "group.id": "g"})
        consumer.assign([TopicPartition("t", 0, 0)])
        message = consumer.poll(30)
        consumer.close()
        return message.value() if message else None


if __name__ == "__main__":
    unittest.main(verbosity=2)
