#!/usr/bin/env python3
"""Kills the owner of a large market, and measures how long until its standby publishes.

    takeover_test.py MAKE_LOG [--events N] [--limit SECONDS]

Prints the time from the kill to the first outcome of a tick and of an event that was appended right
after the kill. Exit status 1 where it is longer than the limit.
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

import setting
from confluent_kafka.admin import AdminClient
from market_test import event
from matchers import Market, Matcher, owner_and_standby
from published import check_exactly_once
from records import outcome_of
from topics import consumer_at, end_of
from waiting import wait_until


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("make_log", type=pathlib.Path)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--limit", type=float, default=10)
    parser.add_argument("--check", action="store_true", help="hold all outcomes against a fresh run")
    return parser.parse_args()


def fill(market: Market, make_log: pathlib.Path, events: int) -> None:
    words = [make_log, "--json", "--events", events, "--bids", events // 10]
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE) as made:
        done = subprocess.run(
            [str(setting.BINARY), "append", "-", "--log", "kafka", "--brokers", market.brokers,
             "--market", market.name], stdin=made.stdout, stderr=subprocess.PIPE, text=True,
            stdout=subprocess.DEVNULL, check=False)
    if done.returncode or made.returncode:
        raise RuntimeError(f"cannot fill the market: {done.stderr}")


def first_outcome(market: Market, start: int, caused_from: int, seconds: float) -> str:
    """Waits for the first committed outcome of an input from `caused_from` on, reading on from
    `start`, and names it."""
    consumer = consumer_at(market.brokers, market.topic("outcomes"), start)
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            message = consumer.poll(0.2)
            if message is not None and message.error() is None:
                outcome = outcome_of(message.value() or b"")
                if outcome["offset"] >= caused_from:
                    return f"{outcome['payload_type']} of offset {outcome['offset']}"
    finally:
        consumer.close()
    raise TimeoutError(f"no outcome within {seconds} s")


def start_both(market: Market, folder: pathlib.Path) -> tuple[Matcher, Matcher]:
    """An owner, and a standby that has caught up."""
    matchers = [Matcher(name, folder, market, "--group", market.name) for name in ("a", "b")]
    start = time.monotonic()
    log_end = end_of(market.brokers, market.topic("events"))
    for matcher in matchers:
        matcher.start()

    def follows(matcher: Matcher) -> bool:
        """Whether it has taken all of the log: its store says so."""
        ran = market.run("outcomes", "--from-offset", log_end, "--format", "json",
                         data=matcher.data)
        return ran.status == setting.DONE and ran.out != ""
    # The market ticks, so there are outcomes beyond the log as it was.
    for matcher in matchers:
        wait_until(lambda: follows(matcher), 900, f"{matcher.name} has caught up")
    print(f"both have applied all of it in {time.monotonic() - start:.1f} s", flush=True)
    return owner_and_standby(market, matchers)


def measure(market: Market, folder: pathlib.Path, options: argparse.Namespace) -> float:
    start = time.monotonic()
    market.create()
    fill(market, options.make_log, options.events)
    print(f"{options.events} events appended in {time.monotonic() - start:.1f} s", flush=True)
    market.append([event("every-second", "MarketConfigured", cycle_ms=1_000)])
    owner, standby = start_both(market, folder)
    try:
        log_end = end_of(market.brokers, market.topic("events"))
        start = end_of(market.brokers, market.topic("outcomes"))
        first_outcome(market, start, log_end, 300)  # the owner has published all there was
        owner.kill()
        killed = time.monotonic()
        # Of what comes from here on the owner has seen nothing.
        log_end = end_of(market.brokers, market.topic("events"))
        market.append([event("after", "BudgetGranted", team="team-1", amount_micros=1)])
        found = first_outcome(market, start, log_end, max(options.limit * 6, 60))
        took = time.monotonic() - killed
        print(f"killed; {took:.2f} s later the standby published a {found}", flush=True)
        if options.check:
            standby.stop()
            count, digest = check_exactly_once(market, folder / "fresh", standby.data, owner.data)
            print(f"{count} outcomes, each once; digest {digest}")
        return took
    finally:
        owner.kill()
        standby.kill()


def main() -> int:
    options = parse()
    market = Market(setting.BROKERS, f"takeover-{uuid.uuid4().hex[:12]}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="qmarket-takeover-"))
    try:
        took = measure(market, folder, options)
    finally:
        topics = [market.topic(what) for what in ("events", "outcomes")]
        AdminClient(setting.client(market.brokers)).delete_topics(topics)
        shutil.rmtree(folder, ignore_errors=True)
    if took >= options.limit:
        print(f"that is longer than {options.limit} s", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
