#!/usr/bin/env python3
"""`qmarket append` and `qmarket run --once`."""

import json
import os
import subprocess
import threading
import time
import unittest

from program import (BAD_INPUT, BINARY, DONE, START_MS, UNREACHABLE, Events, ProgramTest, run,
                     small_market)


class Append(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"

    def append(self, events: Events | str) -> dict:
        text = events if isinstance(events, str) else events.text()
        ran = run("append", "-", "--data", self.data, "--format", "json", stdin=text)
        return self.assert_done(ran).json()

    def replayed(self) -> dict:
        return self.assert_done(run("replay", "--data", self.data, "--format", "json")).json()

    def test_a_file(self) -> None:
        path = self.write("events.jsonl", small_market().text())
        ran = self.assert_done(run("append", path, "--data", self.data, "--format", "json"))
        self.assertEqual(ran.json(), {"appended": 22, "first_offset": 0, "last_offset": 21})
        self.assertEqual(ran.err, "")
        ran = self.assert_done(run("append", path, "--data", self.data))
        self.assertEqual(ran.out, "Appended 22 events at offsets 22 to 43.\n")

    def test_csv(self) -> None:
        ran = run("append", "-", "--data", self.data, "--format", "csv",
                  stdin=small_market().text())
        self.assertEqual(self.assert_done(ran).out,
                         "appended,first_offset,last_offset\n22,0,21\n")

    def test_standard_input(self) -> None:
        self.assertEqual(self.append(small_market()),
                         {"appended": 22, "first_offset": 0, "last_offset": 21})

    def test_nothing_touches_nothing(self) -> None:
        self.assertEqual(self.append(""),
                         {"appended": 0, "first_offset": None, "last_offset": None})
        empty = self.write("empty.jsonl", "\n\n")
        ran = self.assert_done(run("append", empty, "--data", self.data))
        self.assertEqual(ran.out, "No events appended.\n")
        self.assertFalse(self.data.exists())

    def test_of_a_file_with_a_bad_line_nothing_is_appended(self) -> None:
        good = small_market().text()
        for name, text, fragments in (
                ("range", good + '{"event_id": "x", "time_ms": -5, "payload_type": "ClockTicked", '
                                 '"payload": {}}\n', (":23: ", "time_ms", "-5")),
                ("field", good.replace('"time_ms"', '"time"', 1), (":1: ", "time")),
                ("truncated", good[:-20], (":22: ",)),
                ("type", good.replace('"chips": 16', '"chips": "16"', 1), (":6: ", "chips"))):
            with self.subTest(name):
                path = self.write("events.jsonl", text)
                ran = run("append", path, "--data", self.data, "--format", "json")
                self.assert_fails(ran, BAD_INPUT, str(path), *fragments)
                self.assertFalse(self.data.exists())
        self.append(small_market())
        path = self.write("events.jsonl", good[:-20])
        self.assert_fails(run("append", path, "--data", self.data), BAD_INPUT, f"{path}:22: ")
        self.assertEqual(self.replayed()["offset"], 21)

    def test_of_standard_input_what_came_before_a_bad_line_is_appended(self) -> None:
        text = small_market().text() + "{}\n" + small_market().text()
        ran = run("append", "-", "--data", self.data, "--format", "json", stdin=text)
        self.assertEqual(ran.status, BAD_INPUT)
        self.assertIn("stdin:23: ", ran.err)
        self.assertEqual(ran.json(), {"appended": 22, "first_offset": 0, "last_offset": 21})
        self.assertEqual(self.replayed()["offset"], 21)

    def test_events_from_a_pipe_are_appended_as_they_come(self) -> None:
        lines = small_market().text().splitlines(keepends=True)
        process = subprocess.Popen([BINARY, "append", "-", "--data", str(self.data)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        process.stdin.write(lines[0])
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if (self.data / "log").is_dir() and run("replay", "--data", self.data, "--format",
                                                    "json").out.startswith('{\n  "offset": 0'):
                break
            time.sleep(0.1)
        self.assertEqual(self.replayed()["offset"], 0)
        out, _ = process.communicate("".join(lines[1:]))
        self.assertEqual(process.returncode, DONE)
        self.assertEqual(out, "Appended 22 events at offsets 0 to 21.\n")

    def test_many_events_at_once(self) -> None:
        events = Events()
        for _ in range(20_000):
            events.add("ClockTicked")
        path = self.write("events.jsonl", events.text())
        ran = self.assert_done(run("append", path, "--data", self.data, "--format", "json"))
        self.assertEqual(ran.json(),
                         {"appended": 20_000, "first_offset": 0, "last_offset": 19_999})

    def test_repeated_ids_are_the_markets_business(self) -> None:
        events = small_market()
        again = dict(events.lines[0])
        other = {**events.lines[1], "payload": {**events.lines[1]["payload"], "pool": "other"}}
        self.append(events)
        text = json.dumps(again) + "\n" + json.dumps(other) + "\n"
        self.assertEqual(self.append(text)["appended"], 2)
        state = self.replayed()
        self.assertEqual(state["rejected"], [
            {"event_id": "e0", "offset": 22, "code": "duplicate"},
            {"event_id": "e1", "offset": 23, "code": "id_reused"}])
        self.assertNotIn("other", state["pools"])

    def test_a_log_replays_as_its_events_do(self) -> None:
        path = self.write("events.jsonl", small_market().text())
        self.append(small_market())
        lines = run("replay", "--events", path, "--format", "json").json()
        self.assertEqual(self.replayed(), lines)
        for options in (("--offset", "9"), ("--at", "2026-01-01T00:04:00Z"), ("--at", "0")):
            with self.subTest(options):
                self.assertEqual(
                    run("replay", "--data", self.data, "--format", "json", *options).json(),
                    run("replay", "--events", path, "--format", "json", *options).json())
        self.assert_fails(run("replay", "--data", self.data, "--offset", "22"), BAD_INPUT,
                          "no offset 22 yet: the last is 21")

    def test_two_at_once_lose_nothing(self) -> None:
        def send(name: str) -> None:
            events = Events()
            for number in range(500):
                events.add("ClockTicked", event_id=f"{name}-{number}")
            results.append(self.append(events))

        results: list[dict] = []
        threads = [threading.Thread(target=send, args=(name,)) for name in "abc"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([result["appended"] for result in results], [500, 500, 500])
        self.assertEqual(self.replayed()["offset"], 1499)

    def test_a_folder_that_cannot_be_written(self) -> None:
        file = self.write("file", "x")
        ran = run("append", "-", "--data", file, stdin=small_market().text())
        self.assert_fails(ran, BAD_INPUT, str(file))


class Run(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"

    def append(self, text: str) -> None:
        self.assert_done(run("append", "-", "--data", self.data, stdin=text))

    def balances(self) -> dict[str, int]:
        ran = self.assert_done(run("balance", "--data", self.data, "--all", "--format", "json"))
        return {item["account"]: item["balance_micros"] for item in ran.json()["balances"]}

    def test_once_applies_the_log_and_ends(self) -> None:
        self.append(small_market().text())
        ran = self.assert_done(run("run", "--once", "--data", self.data))
        self.assertEqual(ran.out, "")
        state = run("replay", "--data", self.data, "--format", "json").json()
        self.assertEqual(state["offset"], 21)  # no ticks were added
        balances = self.balances()
        for team, figures in state["teams"].items():
            self.assertEqual(balances[f"team:{team}"], figures["balance_micros"])
        for pool, figures in state["pools"].items():
            self.assertEqual(balances[f"purse:{pool}"], figures["purse_micros"])

    def test_in_pieces_is_as_in_one(self) -> None:
        lines = small_market().text().splitlines(keepends=True)
        for line in lines:
            self.append(line)
            self.assert_done(run("run", "--once", "--data", self.data))
        whole = self.dir / "whole"
        self.assert_done(run("append", "-", "--data", whole, stdin="".join(lines)))
        for batch in ("1", "7", "1000"):
            self.assert_done(run("run", "--once", "--data", whole, "--batch", batch))
        verified = [self.assert_done(run("replay", "--verify", "--data", folder, "--format",
                                         "json")).json() for folder in (self.data, whole)]
        self.assertEqual(verified[0], verified[1])
        self.assertEqual(verified[0]["verified"], True)
        self.assertEqual(verified[0]["events"], 22)

    def test_once_again_changes_nothing(self) -> None:
        self.append(small_market().text())
        self.assert_done(run("run", "--once", "--data", self.data))
        before = self.balances()
        self.assert_done(run("run", "--once", "--data", self.data))
        self.assertEqual(self.balances(), before)

    def test_takes_appends_and_answers_questions_while_it_runs(self) -> None:
        self.append(small_market().text())
        process = subprocess.Popen([BINARY, "run", "--data", str(self.data)],
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 60
        while not (self.data / "qmarket.sock").exists():
            self.assertLess(time.monotonic(), deadline, "it does not take appends")
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        more = Events()
        more.add("BudgetGranted", time_ms=int(time.time() * 1000), event_id="grant",
                 team="vision", amount_micros=5_000_000)
        self.append(more.text())
        while True:
            ran = run("transfers", "--data", self.data, "--kind", "grant", "--format", "json")
            if ran.status == DONE and ran.json()["transfers"]:
                break
            self.assertLess(time.monotonic(), deadline, f"the grant is not applied: {ran}")
            time.sleep(0.1)
        self.assertEqual(ran.json()["transfers"][0]["amount_micros"], 5_000_000)
        other = run("run", "--data", self.data)
        self.assert_fails(other, UNREACHABLE, str(self.data))
        process.terminate()
        self.assertEqual(process.wait(timeout=30), DONE)
        verified = self.assert_done(run("replay", "--verify", "--data", self.data))
        self.assertIn("every record, outcome, posting and balance is as recorded", verified.out)

    def test_of_an_empty_log(self) -> None:
        self.assert_done(run("run", "--once", "--data", self.data))
        ran = self.assert_done(run("balance", "--data", self.data, "--format", "json"))
        self.assertEqual(ran.json(), {"offset": None, "time_ms": None, "balances": []})


class Damage(ProgramTest):
    """Logs and stores that are not what they should be."""

    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        self.assert_done(run("append", "-", "--data", self.data, stdin=small_market().text()))
        self.assert_done(run("run", "--once", "--data", self.data))

    def test_another_log_under_the_same_store(self) -> None:
        (self.data / "log").rename(self.dir / "old-log")
        self.assert_done(run("append", "-", "--data", self.data, stdin=small_market().text()))
        self.assert_fails(run("run", "--once", "--data", self.data), BAD_INPUT, "log")
        ran = run("replay", "--verify", "--data", self.data)
        self.assert_fails(ran, 4, "the ledger was made from another log")
        for command in ("replay", "bids"):
            ran = run(command, "--data", self.data)
            self.assert_fails(ran, BAD_INPUT, str(self.data), "made from another log")
        self.assert_done(run("balance", "--data", self.data))  # it reads the ledger alone

    def test_a_damaged_ledger_is_no_reason_not_to_replay(self) -> None:
        whole = self.assert_done(run("replay", "--data", self.data)).out
        (self.data / "store" / "CURRENT").write_text("MANIFEST-999999\n")
        self.assert_fails(run("balance", "--data", self.data), BAD_INPUT)
        self.assertEqual(self.assert_done(run("replay", "--data", self.data)).out, whole)

    def test_a_log_cut_short(self) -> None:
        for file in (self.data / "log").iterdir():
            if file.suffix in (".log", ".sst") and file.stat().st_size:
                os.truncate(file, file.stat().st_size // 2)
        ran = run("run", "--once", "--data", self.data)
        self.assert_fails(ran, BAD_INPUT)
        self.assertGreater(len(ran.err), 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
