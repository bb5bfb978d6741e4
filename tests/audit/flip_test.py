"""Flips one random byte of a random file of a market, again and again. Each time `qmarket audit
verify` finds it and names the part of the market that it is in, or the byte is of no matter: then
every question has the answer that it had before. There is no third result.

    flip_test.py MAKE_LOG [--flips N] [--seed N]
"""

from __future__ import annotations

import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import program

QUESTIONS = [
    ["events", "--with-offset", "--format", "json"],
    ["outcomes", "--format", "json"],
    ["balance", "--all", "--format", "json"],
    ["transfers", "--format", "json"],
    ["prices", "--from", "1970-01-01", "--format", "json"],
    ["allocations", "--from", "1970-01-01", "--format", "json"],
    ["bids", "--state", "all", "--format", "json"],
    ["replay", "--format", "json"],
]
PARTS = {"log": "log", "store": "store", "checkpoints": "checkpoint"}


def make_market(make_log: str, folder: pathlib.Path) -> pathlib.Path:
    """Appended and applied in four parts, the last one appended alone: so there are several table
    files, a journal with records in log and store, and checkpoints."""
    words = [make_log, "unused", "--json", "--events", "4000", "--bids", "600", "--teams", "12",
             "--ticks", "720"]
    lines = subprocess.run(words, capture_output=True, check=True).stdout.splitlines(keepends=True)
    data = folder / "market"
    for part in range(4):
        events = b"".join(lines[part * 1000:(part + 1) * 1000])
        ran = program.run("append", "-", "--data", data, stdin=events)
        assert ran.status == program.DONE, ran.err
        if part == 3:
            break
        ran = program.run("run", "--once", "--checkpoint-events", "700", "--data", data)
        assert ran.status == program.DONE, ran.err
    return data


def answers(data: pathlib.Path) -> list[tuple[int, str]]:
    ran = [program.run(*question, "--data", data) for question in QUESTIONS]
    return [(each.status, each.out) for each in ran]


class Flips:
    def __init__(self, whole: pathlib.Path, copy: pathlib.Path, draw: random.Random) -> None:
        self.whole = whole
        self.copy = copy
        self.draw = draw
        self.files = sorted(path.relative_to(whole) for path in whole.rglob("*")
                            if path.is_file() and path.stat().st_size > 0)
        self.sizes = [(whole / path).stat().st_size for path in self.files]
        self.answers = answers(whole)
        assert all(status == program.DONE for status, _ in self.answers)
        self.found: collections.Counter[str] = collections.Counter()
        self.irrelevant: collections.Counter[str] = collections.Counter()

    def choose(self, number: int) -> tuple[pathlib.Path, int, int]:
        """Large files by their size, and every other time any file, so that small ones come too."""
        if number % 2 == 0:
            path = self.draw.choices(self.files, self.sizes)[0]
        else:
            path = self.draw.choice(self.files)
        return path, self.draw.randrange((self.whole / path).stat().st_size), \
            1 << self.draw.randrange(8)

    def flip(self, number: int) -> None:
        path, at, bit = self.choose(number)
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.whole, self.copy)
        content = bytearray((self.copy / path).read_bytes())
        content[at] ^= bit
        (self.copy / path).write_bytes(content)
        what = f"flip {number}: byte {at} of {path}, bit {bit:#x}"
        ran = program.run("audit", "verify", "--format", "json", "--data", self.copy)
        kind = re.sub(r"\d+", "N", path.name)
        if ran.status == program.VERIFICATION_FAILED:
            self.check_found(what, PARTS[path.parts[0]], path, ran)
            self.found[PARTS[path.parts[0]]] += 1
        elif ran.status == program.DONE:
            assert ran.json()["verified"], what
            self.check_irrelevant(what)
            self.irrelevant[f"{path.parts[0]}/{kind}"] += 1
        else:
            raise AssertionError(f"{what}: exit status {ran.status}\n{ran.err}")

    def check_found(self, what: str, part: str, path: pathlib.Path, ran: program.Ran) -> None:
        document = ran.json()
        assert not document["verified"], what
        assert not all(check["ok"] for check in document["checks"]), what
        places = [(finding["where"], finding["object"] + finding["what"])
                  for finding in document["findings"]]
        assert any(where == part and path.name in text for where, text in places), \
            f"{what}: {json.dumps(document['findings'], indent=1)}"
        assert all(where == part for where, _ in places), f"{what}: {places}"

    def check_irrelevant(self, what: str) -> None:
        for question, before, now in zip(QUESTIONS, self.answers, answers(self.copy)):
            assert before == now, f"{what}: not found, and `{' '.join(question)}` answers otherwise"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("make_log")
    parser.add_argument("--flips", type=int, default=40)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="qmarket-flips-") as name:
        folder = pathlib.Path(name)
        whole = make_market(options.make_log, folder)
        ran = program.run("audit", "verify", "--format", "json", "--data", whole)
        assert ran.status == program.DONE, ran.out + ran.err
        flips = Flips(whole, folder / "copy", random.Random(options.seed))
        for folder_name in PARTS:
            assert any(path.parts[0] == folder_name for path in flips.files), folder_name
        tables = [path for path in flips.files if path.suffix == ".sst"]
        assert len(tables) >= 4, flips.files
        for number in range(options.flips):
            flips.flip(number)
    print(f"{options.flips} flips: found {dict(sorted(flips.found.items()))}, "
          f"irrelevant {dict(sorted(flips.irrelevant.items()))}")


if __name__ == "__main__":
    main()
