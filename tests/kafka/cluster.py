"""A Kafka cluster of the test's own, made and ended with tools/kafka."""

from __future__ import annotations

import os
import pathlib
import random
import socket
import subprocess

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

import setting
from waiting import wait_until

TOOL = setting.ROOT / "tools/kafka"


def free_port(nodes: int) -> int:
    """A first port for so many nodes: their ports, and those 1000 above, are free. Drawn at random,
    as other tests look for ports at the same time."""
    for port in random.SystemRandom().sample(range(24000, 31000, 10), 100):
        ports = [base + node for base in (port, port + 1000) for node in range(nodes)]
        sockets = [socket.socket() for _ in ports]
        try:
            for one, number in zip(sockets, ports):
                one.bind(("127.0.0.1", number))
            return port
        except OSError:
            continue
        finally:
            for one in sockets:
                one.close()
    raise RuntimeError("no free ports")


class Cluster:
    """Nodes are numbered from 1. Not for several threads at once."""

    def __init__(self, folder: pathlib.Path, nodes: int) -> None:
        self.folder = folder
        self.nodes = nodes
        self.port = free_port(nodes)
        self.brokers = ""

    def tool(self, *arguments: str) -> str:
        environment = os.environ | {
            "QMARKET_KAFKA_DIR": str(self.folder), "QMARKET_KAFKA_PORT": str(self.port)}
        done = subprocess.run([str(TOOL), *arguments], env=environment, capture_output=True,
                              text=True, timeout=240, check=False)
        if done.returncode not in (0, 3):
            raise RuntimeError(f"tools/kafka {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def patiently(self, *arguments: str) -> str:
        """The tool waits for a minute; a busy machine may need more."""
        for _ in range(4):
            try:
                return self.tool(*arguments)
            except RuntimeError as error:
                if "no answer" not in str(error):
                    raise
                last = error
        raise last

    def up(self) -> None:
        self.brokers = self.patiently("up", "--nodes", str(self.nodes)).strip()
        self.admin = AdminClient(setting.client(self.brokers))

    def down(self) -> None:
        self.tool("down", "--wipe")

    def halt(self) -> None:
        """Stops the nodes, and leaves what they wrote."""
        self.tool("down")

    def kill(self, node: int) -> None:
        self.tool("kill", str(node))

    def stop(self, node: int) -> None:
        """Has the node end cleanly, and waits for it."""
        self.tool("kill", str(node), "TERM")
        wait_until(lambda: self.state(node) == "stopped", 60, f"node {node} stops")

    def start(self, node: int) -> None:
        self.patiently("start", str(node))

    def pause(self, node: int) -> None:
        self.tool("kill", str(node), "STOP")

    def resume(self, node: int) -> None:
        self.tool("kill", str(node), "CONT")

    def state(self, node: int) -> str:
        return self.tool("status").splitlines()[node - 1].split()[2]

    def in_sync(self) -> bool:
        """Whether all replicas of all topics are in sync."""
        try:
            metadata = self.admin.list_topics(timeout=5)
        except KafkaException:
            return False
        partitions = [p for t in metadata.topics.values() for p in t.partitions.values()]
        return len(metadata.brokers) == self.nodes and all(
            len(p.isrs) == len(p.replicas) and p.leader >= 0 for p in partitions)

    def wait_in_sync(self, seconds: float = 180) -> None:
        wait_until(self.in_sync, seconds, "all replicas are in sync")
