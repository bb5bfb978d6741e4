#!/usr/bin/env python3
"""What holds for every command: help, versions, usage errors, closed pipes."""

import os
import pty
import re
import subprocess
import unittest

from program import BAD_INPUT, BINARY, DONE, USAGE, ProgramTest, run, small_market

COMMANDS = ("allocations", "append", "balance", "bids", "clear", "events", "outcomes", "pools",
            "prices", "replay", "run", "supply", "teams", "topics", "transfers")


class Usage(ProgramTest):
    def test_help_lists_the_commands(self) -> None:
        ran = self.assert_done(run("--help"))
        for command in COMMANDS:
            self.assertRegex(ran.out, rf"(?m)^  {command} +\w")
        self.assertEqual(ran.err, "")

    def test_help_of_each_command_explains_and_shows_an_example(self) -> None:
        for command in COMMANDS:
            with self.subTest(command):
                ran = self.assert_done(run(command, "--help"))
                self.assertIn(f"Example:\n  qmarket {command}", ran.out)
                self.assertGreater(len(ran.out.split("Usage:")[0].split()), 15)
                self.assertEqual(ran.err, "")

    def test_help_of_a_part_names_all_of_its_words(self) -> None:
        for words in (("balance",), ("audit",), ("audit", "statement")):
            ran = self.assert_done(run(*words, "--help"))
            self.assertIn(f"Usage: qmarket {' '.join(words)} ", ran.out)

    def test_version_names_program_rules_and_schema(self) -> None:
        ran = self.assert_done(run("--version"))
        self.assertRegex(ran.out, r"^qmarket \d+\.\d+\.\d+ \(rules \d+, schema \d+\)\n$")

    def test_usage_errors_exit_with_2_and_point_to_the_help(self) -> None:
        for arguments in ((), ("no-such-command",), ("clear",), ("clear", "a", "b"),
                          ("clear", "--no-such-option", "a"),
                          ("clear", "--format", "xml", "a"),
                          ("clear", "--lines", "--format", "table", "-"),
                          ("replay", "--offset", "-1"), ("replay", "--offset", "x"),
                          ("replay", "--offset", "1", "--at", "2"),
                          ("replay", "--at", "yesterday"),
                          ("replay", "--events", "-", "--data", "d"),
                          ("replay", "--events", "-", "--log", "embedded"),
                          ("run", "--log", "paper"),
                          ("balance", "a", "b"), ("balance", "--at", "1", "--offset", "1"),
                          ("prices", "--from", "noon"), ("bids", "--state", "sleeping")):
            with self.subTest(" ".join(arguments)):
                ran = run(*arguments)
                self.assert_fails(ran, USAGE, "qmarket: ")
        self.assertIn("See qmarket clear --help", run("clear").err)

    def test_kafka_needs_brokers_and_its_options_need_kafka(self) -> None:
        for arguments in (("run",), ("append", "-"), ("replay",), ("replay", "--verify"),
                          ("balance",), ("bids",)):
            with self.subTest(" ".join(arguments)):
                self.assert_fails(run(*arguments, "--log", "kafka"), USAGE,
                                  "--brokers HOST:PORT,... is required")
                for option, value in (("--brokers", "localhost:9092"), ("--kafka-config", "file"),
                                      ("--topic-prefix", "x"), ("--timeout", "3")):
                    self.assert_fails(run(*arguments, option, value), USAGE,
                                      f"{option} goes with --log kafka")
        for seconds in ("0", "86401", "-1", "1.5", "soon"):
            self.assert_fails(run("replay", "--log", "kafka", "--brokers", "localhost:9092",
                                  "--timeout", seconds), USAGE, "--timeout", seconds)

    def test_names_of_markets(self) -> None:
        for market in (".", "..", "a/b", "../x", "a b", "é", "x" * 129, "a\n"):
            for command in (("append", "-"), ("run", "--once"), ("replay",), ("balance",),
                            ("bids",)):
                with self.subTest(f"{command[0]} {market!r}"):
                    ran = run(*command, "--data", self.dir, f"--market={market}",
                              stdin=small_market().text())
                    self.assert_fails(ran, USAGE, "--market", "expected 1 to 128 characters")
        self.assertEqual(list(self.dir.iterdir()), [])

    def test_missing_files_are_named(self) -> None:
        missing = self.dir / "missing.json"
        for arguments in (("clear",), ("append", "--data", self.dir), ("replay", "--events")):
            with self.subTest(arguments[0]):
                self.assert_fails(run(*arguments, missing), BAD_INPUT, str(missing),
                                  "No such file")
                self.assert_fails(run(*arguments, self.dir), BAD_INPUT, str(self.dir),
                                  "directory")

    def test_a_full_disk_is_an_error(self) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run([BINARY, "--help"], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertIn(b"No space left", done.stderr)

    def test_a_closed_pipe_ends_it_quietly(self) -> None:
        events = self.write("events.jsonl", small_market().text())
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([BINARY, "replay", "--events", str(events)], stdout=writer,
                              stderr=subprocess.PIPE, check=False)
        os.close(writer)
        self.assertEqual(done.returncode, -13)  # SIGPIPE, as of any other program
        self.assertEqual(done.stderr, b"")


class Colour(ProgramTest):
    def on_terminal(self, **env: str) -> str:
        """What the program prints on a terminal of 80 columns."""
        events = self.write("events.jsonl", small_market().text())
        leader, follower = pty.openpty()
        clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        process = subprocess.Popen([BINARY, "replay", "--events", str(events)], stdout=follower,
                                   env={**clean, "TERM": "xterm", **env})
        os.close(follower)
        text = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the end of a terminal
                break
            if not part:
                break
            text += part
        os.close(leader)
        self.assertEqual(process.wait(), DONE)
        return text.decode()

    def test_is_used_on_a_terminal_alone(self) -> None:
        self.assertIn("\x1b[1m", self.on_terminal())
        events = self.write("events.jsonl", small_market().text())
        self.assertNotIn("\x1b", run("replay", "--events", events).out)

    def test_honours_no_color(self) -> None:
        text = self.on_terminal(NO_COLOR="1")
        self.assertTrue(re.search("ranking", text))
        self.assertNotIn("\x1b", text)


if __name__ == "__main__":
    unittest.main(verbosity=2)
