"""The broker of compose.yaml and that of tools/kafka have the same version and settings."""

from __future__ import annotations

import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import python_env  # noqa: E402  (needs the path above)

python_env.enter()

import yaml  # noqa: E402  (is in the environment alone)

ROOT = python_env.SOURCE_DIR
BROKER = ROOT / "tools/kafka-broker"
# What must differ: where it listens, who it is among others, and where its data lie.
OWN = {
    "advertised.listeners", "controller.quorum.voters", "listeners", "log.dirs", "node.id",
}

FILLED_IN = {"@replicas@": "1", "@min_insync@": "1", "@session_ms@": "6000"}


class ComposeTest(unittest.TestCase):
    def setUp(self) -> None:
        compose = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
        self.service = compose["services"]["kafka"]

    def test_the_settings_are_the_same(self) -> None:
        here = {}
        for name, value in self.service["environment"].items():
            self.assertIsInstance(value, str, f"{name}: quote it, YAML reads it as another type")
            here[name.removeprefix("KAFKA_").lower().replace("_", ".")] = value
        there = {}
        for line in (BROKER / "server.properties").read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.partition("=")
                # Of one node, without any variable set.
                for mark, stands_for in FILLED_IN.items():
                    value = value.replace(mark, stands_for)
                there[name] = value
        self.assertEqual(here.keys(), there.keys())
        for name in here.keys() - OWN:
            self.assertEqual(here[name], there[name], name)

    def test_the_version_is_the_same(self) -> None:
        pom = (BROKER / "pom.xml").read_text("utf-8")
        kafka = r"<artifactId>kafka_[\d.]+</artifactId>\s*<version>(.*?)</version>"
        version = re.search(kafka, pom)
        self.assertIsNotNone(version)
        self.assertEqual(self.service["image"], f"apache/kafka:{version.group(1)}")

    def test_it_can_be_reached_from_this_machine_alone(self) -> None:
        self.assertEqual(self.service["ports"], ["127.0.0.1:9092:9092"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
