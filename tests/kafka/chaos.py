#!/usr/bin/env python3
"""Kills, pauses and restarts brokers and matchers at random while events are appended; at the end
all outcomes must be there, each once, as an undisturbed run makes them.

    chaos.py [--faults N] [--events N] [--seed N] [--keep DIR]

It starts a cluster of three nodes, and two matchers of one group. The same seed gives the same
events and faults; when they meet differs. Logs of matchers and brokers stay where it fails.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable

import setting
from cluster import Cluster
from faults import BrokerFaults, MatcherFaults, Tally
from market_events import MarketEvents
from matchers import Market, Matcher
from published import check_exactly_once
from records import event_id_of, outcome_of
from topics import end_of, produce, read_all
from waiting import wait_until

PIECE = 2_000
# What a matcher says that ends by itself because another one may own its market.
ZOMBIE = ("another matcher has taken it over", "another one may have taken over",
          "another one is fencing")


class Chaos:
    def __init__(self, options: argparse.Namespace, folder: pathlib.Path) -> None:
        self.options = options
        self.folder = folder
        self.tally = Tally()
        self.cluster = Cluster(folder / "kafka", nodes=3)
        self.failures: list[str] = []
        self.stop = threading.Event()
        self.again = 0  # pieces that were appended again
        self.ended: list[str] = []  # how matchers ended by themselves

    def run(self) -> None:
        self.cluster.up()
        self.market = Market(self.cluster.brokers, "chaos")
        self.market.create("--replication", "3")
        self.events = MarketEvents(self.options.seed)
        self.append(self.events.setup(now_ms()))
        self.matchers = [Matcher(name, self.folder, self.market, "--group", "chaos", "--market",
                                 "chaos") for name in ("matcher-a", "matcher-b")]
        self.tally.say(f"{self.cluster.nodes} brokers are up")
        for matcher in self.matchers:
            matcher.start()
        self.supervisor = self.thread(self.supervise)
        try:
            self.disturb()
            self.settle()
        finally:
            self.stop.set()
            self.supervisor.join()
            for matcher in self.matchers:
                matcher.kill()
        self.check()

    def disturb(self) -> None:
        """Faults and events, each in a thread of its own, until all of them are done."""
        of_brokers = self.options.faults * 2 // 5
        brokers = BrokerFaults(self.cluster, self.options.seed, self.tally)
        matchers = MatcherFaults(self.matchers, self.market.brokers,
                                 self.market.topic("outcomes"), self.options.seed, self.tally)
        threads = [
            self.thread(lambda: self.repeat(brokers.one, of_brokers)),
            self.thread(lambda: self.repeat(matchers.one, self.options.faults - of_brokers)),
            self.thread(self.produce),
        ]
        for thread in threads:
            thread.join()
        if self.failures:
            raise AssertionError("\n".join(self.failures))

    def thread(self, work: Callable[[], None]) -> threading.Thread:
        def guarded() -> None:
            try:
                work()
            except Exception:
                self.failures.append(traceback.format_exc())
                self.stop.set()
        thread = threading.Thread(target=guarded)
        thread.start()
        return thread

    def repeat(self, fault: Callable[[], None], count: int) -> None:
        for _ in range(count):
            if self.stop.is_set():
                return
            fault()

    def supervise(self) -> None:
        """Starts again what has ended; a matcher may end by itself only where it says why."""
        while not self.stop.is_set():
            for matcher in self.matchers:
                status = matcher.ended()
                if status is None:
                    continue
                # Negative: by a signal, a fault of ours. 0: it was told to.
                if status > 0:
                    said = matcher.log().splitlines()[-1:]
                    why = said[0] if said else "nothing"
                    self.ended.append(f"{matcher.name}: {status}: {why}")
                    self.tally.say(f"{matcher.name} has ended with {status}: {why}")
                    if status != setting.UNREACHABLE and not any(word in why for word in ZOMBIE):
                        raise AssertionError(f"see {matcher.log_path}: {why}")
                elif -status not in (0, signal.SIGKILL, signal.SIGTERM):
                    raise AssertionError(f"{matcher.name} died of signal {-status}; see "
                                         f"{matcher.log_path}")
                matcher.start()
            self.stop.wait(0.1)

    def append(self, lines: list[dict]) -> None:
        """Appends a piece, again and again where the brokers are away."""
        text = "".join(json.dumps(line) + "\n" for line in lines)
        while not self.stop.is_set():
            ran = self.market.run("append", "-", stdin=text)
            if ran.status == setting.DONE:
                return
            if ran.status != setting.UNREACHABLE:
                raise AssertionError(f"append ended with {ran.status}: {ran.err}")
            self.again += 1
            self.tally.say(f"a piece is appended again: {ran.err.strip().splitlines()[-1]}")

    def produce(self) -> None:
        """The pieces are spread over the faults."""
        pieces = -(-self.options.events // PIECE)
        for piece in range(pieces):
            due = self.options.faults * piece // pieces
            while self.tally.total() < due and not self.stop.is_set():
                time.sleep(0.05)
            left = min(PIECE, self.options.events - piece * PIECE)
            self.append(self.events.piece(left, now_ms()))
            if piece % 5 == 0 and not self.stop.is_set():
                produce(self.market.brokers, self.market.topic("events"), self.events.poison(),
                        None)
        self.tally.say(f"{self.options.events} events are appended")

    def settle(self) -> None:
        """No more faults: all is published, then both matchers are told to end."""
        self.cluster.wait_in_sync()
        log_end = end_of(self.market.brokers, self.market.topic("events"))
        self.tally.say("no more faults")
        seconds = wait_until(lambda: self.published(log_end), 300, "all outcomes are published")
        self.tally.say(f"the matchers have caught up in {seconds:.1f} s")
        self.stop.set()
        self.supervisor.join()
        if self.failures:
            raise AssertionError("\n".join(self.failures))
        for matcher in self.matchers:
            if matcher.running():
                status = matcher.stop()
                if status != setting.DONE:
                    raise AssertionError(f"{matcher.name} stopped with {status}")

    def published(self, offset: int) -> bool:
        """Whether an outcome of an event from there on is published: ticks see to it."""
        topic = self.market.topic("outcomes")
        end = end_of(self.market.brokers, topic)
        for record in read_all(self.market.brokers, topic, max(end - 50, 0)):
            if outcome_of(record.value or b"")["offset"] >= offset:
                return True
        return False

    def check(self) -> None:
        start = time.monotonic()
        ids = {event_id_of(record.value)
               for record in read_all(self.market.brokers, self.market.topic("events"))}
        missing = self.events.ids - ids
        if missing:
            raise AssertionError(f"{len(missing)} events are not in the log: {sorted(missing)[:5]}")
        count, digest = check_exactly_once(self.market, self.folder / "fresh",
                                           *(matcher.data for matcher in self.matchers))
        self.tally.say(f"{len(self.events.ids)} events, all in the log; {count} outcomes, each "
                       f"once, as an undisturbed run has them; digest {digest}")
        self.tally.say(f"checked in {time.monotonic() - start:.1f} s")

    def summary(self) -> None:
        faults = ", ".join(f"{count} {kind}s" for kind, count in sorted(self.tally.counts.items()))
        print(f"{self.tally.total()} faults ({faults}) in {time.monotonic() - self.tally.start:.0f}"
              f" s; {self.again} pieces appended again; {len(self.ended)} matchers ended by "
              "themselves", flush=True)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faults", type=int, default=50)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--keep", type=pathlib.Path, help="keep all data in this folder")
    return parser.parse_args()


def main() -> int:
    options = parse()
    print(f"seed {options.seed}", flush=True)
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="qmarket-chaos-"))
    folder.mkdir(parents=True, exist_ok=True)
    chaos = Chaos(options, folder.resolve())
    passed = False
    try:
        chaos.run()
        passed = True
    except Exception:
        traceback.print_exc()
        print(f"FAILED. Logs and data: {folder}. Again: tests/kafka/chaos.py --faults "
              f"{options.faults} --events {options.events} --seed {options.seed}", file=sys.stderr)
    finally:
        chaos.summary()
        (chaos.cluster.down if passed else chaos.cluster.halt)()
        if passed and options.keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
