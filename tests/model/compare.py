#!/usr/bin/env python3
"""Compares the `qmarket` binary with the slow model on generated inputs.

compare.py clear --qmarket PATH --count N --seed S      snapshots through `clear --lines -`
compare.py replay --qmarket PATH --count N --seed S     logs through `replay --events FILE`
compare.py divisible --qmarket PATH --count N --seed S  `clear` against the paper's divisible market

What the model prints must be in the binary's output. At the first differences: the seed, the
index, each differing field with both values, and a shrunk input in a file; exit status 1. The
summary at the end says how often each rule of the mechanism was met.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import binary
from clear_cli import clear_snapshot
from coverage import CLEARING, MARKET, Reached
from diffing import differences
from divisible import check_claims, divisible_snapshot
from generate import random_snapshot
from generate_log import random_log
from replay_cli import replay_lines
from shrink import shrink_list, shrink_snapshot

CHUNK = 50
MAX_SHOWN = 12
MAX_REPORTS = 3


@dataclass(frozen=True)
class Kind:
    """How one of the three comparisons makes, checks, shrinks and writes its inputs."""

    generate: Callable[[int, int], Any]
    find: Callable[[str, Any, Any], list[str]]  # binary, input, its output -> differences
    model: Callable[[Any], tuple[Any, Counter[str]]]
    shrink: Callable[[Any, Callable[[Any], bool]], Any]
    write: Callable[[Any], str]
    suffix: str
    expected: list[str]
    chunk: int = CHUNK


@dataclass
class Outcome:
    """What a worker found for one input."""

    index: int
    found: list[str] = field(default_factory=list)
    coverage: Counter[str] = field(default_factory=Counter)
    model_failed: bool = False


def judge_clear(qmarket: str, snapshot: Any, expected: Any) -> list[str]:
    try:
        return differences(expected, binary.clear_lines(qmarket, [snapshot])[0])
    except binary.Failed as error:
        return [f"qmarket: {error}"]


def judge_replay(qmarket: str, lines: Any, expected: Any) -> list[str]:
    try:
        return differences(expected, binary.replay(qmarket, lines))
    except binary.Failed as error:
        return [f"qmarket: {error}"]


def judge_divisible(qmarket: str, snapshot: Any, _: Any) -> list[str]:
    try:
        return check_claims(snapshot, binary.clear_lines(qmarket, [snapshot])[0])
    except binary.Failed as error:
        return [f"qmarket: {error}"]


def no_model(_: Any) -> tuple[Any, Counter[str]]:
    """The divisible comparison holds the binary against claims, not against the model."""
    return None, Counter()


def as_json(snapshot: Any) -> str:
    return json.dumps(snapshot, indent=1) + "\n"


def as_lines(lines: Any) -> str:
    return "".join(line + "\n" for line in lines)


KINDS = {
    "clear": Kind(
        random_snapshot, judge_clear, clear_snapshot, shrink_snapshot, as_json, "json", CLEARING
    ),
    "replay": Kind(
        random_log, judge_replay, replay_lines, shrink_list, as_lines, "jsonl", MARKET, chunk=4
    ),
    "divisible": Kind(
        divisible_snapshot, judge_divisible, no_model, shrink_snapshot, as_json, "json", []
    ),
}


def judge_chunk(work: tuple[str, str, int, list[int]]) -> list[Outcome]:
    """Runs model and binary on the inputs of some indices."""
    what, qmarket, seed, indices = work
    kind = KINDS[what]
    outcomes = []
    inputs, expected = {}, {}
    for index in indices:
        outcome = Outcome(index)
        outcomes.append(outcome)
        inputs[index] = kind.generate(seed, index)
        try:
            expected[index], outcome.coverage = kind.model(inputs[index])
        except Exception:  # An assertion of the model that fails is a finding too.
            outcome.model_failed = True
            outcome.found = ["the model itself failed: " + traceback.format_exc(limit=-2)]
    sound = [outcome for outcome in outcomes if not outcome.model_failed]
    if what != "replay":
        try:
            together = binary.clear_lines(qmarket, [inputs[o.index] for o in sound])
        except binary.Failed:
            together = None  # One by one, to see which.
        if together is not None:
            for outcome, output in zip(sound, together):
                snapshot = inputs[outcome.index]
                if what == "clear":
                    outcome.found = differences(expected[outcome.index], output)
                else:
                    outcome.found = check_claims(snapshot, output)
                    positive = (output["reference_price_micros"] or 0) > 0
                    outcome.coverage["reference_positive"] += positive
            return outcomes
    for outcome in sound:
        index = outcome.index
        outcome.found = kind.find(qmarket, inputs[index], expected[index])
    return outcomes


def shrunk(kind: Kind, qmarket: str, start: Any, crashed: bool) -> Any:
    """A smaller input that differs in the same way: by a crash, or by a value."""

    def differs(candidate: Any) -> bool:
        found = kind.find(qmarket, candidate, kind.model(candidate)[0])
        return bool(found) and found[0].startswith("qmarket:") == crashed

    return kind.shrink(start, differs)


def report(what: str, qmarket: str, seed: int, outcome: Outcome, folder: Path) -> None:
    kind = KINDS[what]
    print(f"\n{what}: seed {seed}, index {outcome.index} differs (expected: model, got: binary)")
    for line in outcome.found[:MAX_SHOWN]:
        print(f"  {line}")
    if len(outcome.found) > MAX_SHOWN:
        print(f"  ... and {len(outcome.found) - MAX_SHOWN} more")
    start = kind.generate(seed, outcome.index)
    path = folder / f"{what}-{seed}-{outcome.index}.{kind.suffix}"
    path.write_text(kind.write(start), encoding="utf-8")
    print(f"  input: {path}")
    if outcome.model_failed:
        return
    small = shrunk(kind, qmarket, start, outcome.found[0].startswith("qmarket:"))
    path = folder / f"{what}-{seed}-{outcome.index}-small.{kind.suffix}"
    path.write_text(kind.write(small), encoding="utf-8")
    print(f"  shrunk: {path}")
    for line in kind.find(qmarket, small, kind.model(small)[0])[:MAX_SHOWN]:
        print(f"    {line}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=list(KINDS))
    parser.add_argument("--qmarket", required=True, help="the binary")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path(tempfile.gettempdir()) / "qmarket-compare")
    args = parser.parse_args()
    if not os.access(args.qmarket, os.X_OK):
        parser.error(f"--qmarket: {args.qmarket} is not there, or cannot be run")
    args.out.mkdir(parents=True, exist_ok=True)
    kind = KINDS[args.what]
    work = [
        (args.what, args.qmarket, args.seed, list(range(i, min(i + kind.chunk, args.count))))
        for i in range(0, args.count, kind.chunk)
    ]
    reached = Reached()
    compared = equal = reports = 0
    with multiprocessing.Pool(args.jobs) as pool:
        for outcomes in pool.imap(judge_chunk, work):
            for outcome in outcomes:
                compared += 1
                equal += not outcome.found
                reached.add(outcome.coverage)
                if outcome.found and reports < MAX_REPORTS:
                    reports += 1
                    report(args.what, args.qmarket, args.seed, outcome, args.out)
    print(f"\n{args.what}, seed {args.seed}: {compared} compared, {equal} equal")
    print("\n".join(reached.lines(kind.expected)))
    return 0 if compared and compared == equal else 1


if __name__ == "__main__":
    sys.exit(main())
