#!/usr/bin/env python3
"""What the options for Kafka say where there is no Kafka."""

import time
import unittest

from program import BAD_INPUT, DONE, UNREACHABLE, USAGE, ProgramTest, run, small_market

NOBODY = "127.0.0.1:1"
KAFKA = ("--log", "kafka", "--brokers", NOBODY)


class Options(ProgramTest):
    def test_what_does_not_go_together(self) -> None:
        for arguments, said in (
                (("topics",), "ACTION"),
                (("topics", "destroy", "--brokers", NOBODY), "ACTION"),
                (("topics", "create"), "--brokers HOST:PORT,... is required"),
                (("topics", "check"), "--brokers HOST:PORT,... is required"),
                (("topics", "check", "--brokers", NOBODY, "--replication", "3"),
                 "--replication goes with create"),
                (("topics", "create", "--brokers", NOBODY, "--replication", "0"),
                 "--replication 0: expected a number from 1"),
                (("topics", "create", "--brokers", NOBODY, "--replication", "x"), "--replication"),
                (("topics", "create", "--brokers", NOBODY, "--market", "a/b"), "--market"),
                (("topics", "create", "--brokers", NOBODY, "--topic-prefix", "a b"), "a b"),
                (("topics", "create", "--brokers", NOBODY, "--topic-prefix", "x" * 249), "249"),
                (("run", "--group", "g"), "--group goes with --log kafka"),
                (("run", "--mirror-json"), "--mirror-json goes with --log kafka"),
                (("run", "--no-standby"), "--no-standby goes with --group"),
                (("run", *KAFKA, "--no-standby"), "--no-standby goes with --group"),
                (("run", "--observe"), "--observe goes with --log kafka"),
                (("run", *KAFKA, "--observe", "--group", "g"), "--observe does not go with --group"),
                (("run", *KAFKA, "--observe", "--mirror-json"), "--observe publishes nothing"),
                (("run", *KAFKA, "--once", "--group", "g"), "--once does not go with --group"),
                (("run", *KAFKA, "--market", "eu-.*"), "--market"),
                (("run", *KAFKA, "--group", "g", "--market", "eu-[12"),
                 "expected a regular expression"),
                (("run", *KAFKA, "--batch", "0"), "--batch 0"),
                (("run", *KAFKA, "--topic-prefix", "a b"), "a b"),
                (("run", *KAFKA, "--timeout", "0"), "--timeout 0"),
                (("replay", "--events", "-", "--log", "kafka"), "--log")):
            with self.subTest(" ".join(arguments)):
                self.assert_fails(run(*arguments), USAGE, said)

    def test_a_file_of_properties_that_is_wrong(self) -> None:
        events = self.write("events.jsonl", small_market().text())
        missing = self.dir / "missing.properties"
        wrong = self.write("wrong.properties", "# ours\n\nclient.id = me\nno equals sign\n")
        unknown = self.write("unknown.properties", "no.such.property=1\n")
        for command in (("replay", *KAFKA), ("append", events, *KAFKA), ("events", *KAFKA),
                        ("topics", "check", "--brokers", NOBODY)):
            for file, said in ((missing, str(missing)), (wrong, f"{wrong}:4: "),
                               (unknown, "no.such.property")):
                with self.subTest(f"{command[0]} {file.name}"):
                    ran = run(*command, "--kafka-config", file, "--timeout", "1")
                    self.assert_fails(ran, BAD_INPUT, said)


class NoBroker(ProgramTest):
    def test_is_said_within_the_timeout(self) -> None:
        events = self.write("events.jsonl", small_market().text())
        for command in (("append", events, *KAFKA), ("replay", *KAFKA), ("events", *KAFKA),
                        ("topics", "create", "--brokers", NOBODY),
                        ("topics", "check", "--brokers", NOBODY)):
            with self.subTest(f"{command[0]} {command[1]}"):
                start = time.monotonic()
                ran = run(*command, "--timeout", "1")
                self.assert_fails(ran, UNREACHABLE, NOBODY)
                self.assertLess(time.monotonic() - start, 15)

    def test_what_is_wrong_with_the_input_is_said_first(self) -> None:
        bad = self.write("bad.jsonl", small_market().text() + "{\n")
        self.assert_fails(run("append", bad, *KAFKA), BAD_INPUT, f"{bad}:23: ")
        ran = run("append", "-", *KAFKA, "--format", "json")
        self.assertEqual((ran.status, ran.json()["appended"]), (DONE, 0))

    def test_queries_of_the_ledger_need_none(self) -> None:
        data = self.dir / "data"
        self.assert_done(run("append", "-", "--data", data, stdin=small_market().text()))
        self.assert_done(run("run", "--once", "--data", data))
        for command in ("balance", "prices", "allocations", "transfers", "outcomes"):
            with self.subTest(command):
                ran = self.assert_done(run(command, *KAFKA, "--data", data, "--format", "json"))
                self.assertEqual(ran.out, run(command, "--data", data, "--format", "json").out)
        self.assert_fails(run("bids", *KAFKA, "--data", data, "--timeout", "1"), UNREACHABLE)
        ran = run("balance", *KAFKA, "--data", data, "--market", "lab")
        self.assert_fails(ran, BAD_INPUT, f"{data}/markets/lab: no ledger here yet",
                          f"qmarket run --once --observe --log kafka --brokers {NOBODY} --data {data} "
                          "--market lab")


if __name__ == "__main__":
    unittest.main(verbosity=2)
