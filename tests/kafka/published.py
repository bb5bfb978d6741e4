"""Holds what was published against what an undisturbed run of the same log finds."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
from collections.abc import Iterator
from itertools import zip_longest

import setting
from matchers import Market
from records import Json, outcome_of
from topics import end_of, read_all

STOPPED = re.compile(r"stopped at offset (\d+), digest ([0-9a-f]{64})")


def stored(market: Market, data: pathlib.Path) -> Iterator[Json]:
    """The outcomes that a store has, in order."""
    words = [setting.BINARY, "outcomes", "--data", data, "--market", market.name, "--format",
             "json"]
    with subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
    if process.returncode != setting.DONE:
        raise AssertionError(f"outcomes ended with {process.returncode}")


def published(market: Market) -> Iterator[Json]:
    for record in read_all(market.brokers, market.topic("outcomes")):
        yield outcome_of(record.value or b"")


def compare(found: Iterator[Json], expected: Iterator[Json]) -> int:
    """How many outcomes both have: the same, each once, in order. AssertionError at the first
    that differs."""
    count = 0
    last = (-1, -1)
    for left, right in zip_longest(found, expected):
        if left != right:
            raise AssertionError(f"after {count} outcomes, the last at {last}: published {left}, "
                                 f"an undisturbed run has {right}")
        place = (left["offset"], left["index"])
        if place <= last:
            raise AssertionError(f"outcome {place} comes after {last}")
        last = place
        count += 1
    return count


def run_once(market: Market, data: pathlib.Path, *options: str) -> tuple[int, str]:
    """Brings a store up to the end of the log; gives the next offset and the digest."""
    ran = market.run("run", "--once", *options, data=data).done()
    match = STOPPED.search(ran.err)
    if match is None:
        raise AssertionError(f"no digest in: {ran.err}")
    return int(match[1]), match[2]


def check_exactly_once(market: Market, fresh: pathlib.Path,
                       *stores: pathlib.Path) -> tuple[int, str]:
    """The stores are brought to the end of the log. Then a fresh one is made, which publishes
    nothing, has the same digest, and the outcomes that are in the topic. Gives their number and
    the digest."""
    digests = [run_once(market, data) for data in stores]
    end = end_of(market.brokers, market.topic("outcomes"))
    expected = run_once(market, fresh)
    if end_of(market.brokers, market.topic("outcomes")) != end:
        raise AssertionError("a fresh store published again")
    for data, digest in zip(stores, digests):
        if digest != expected:
            raise AssertionError(f"{data} has {digest}, a fresh store {expected}")
    return compare(published(market), stored(market, fresh)), expected[1]
