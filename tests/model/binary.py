"""Runs the `qmarket` binary, or anything that speaks like it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SECONDS = 300


class Failed(Exception):
    """The binary did not do what it was asked; the message says how."""


def run(command: list[str], text: str = "") -> str:
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise Failed(f"no answer after {SECONDS} s") from error
    except OSError as error:
        raise Failed(f"cannot be run: {error}") from error
    if done.returncode != 0:
        raise Failed(f"exit status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def load(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError as error:
        raise Failed(f"output is not JSON: {error}: {text[:200]!r}") from error


def clear_lines(qmarket: str, snapshots: list[Json]) -> list[Json]:
    """`qmarket clear --lines -`: one compact snapshot a line in, one result a line out."""
    text = "".join(json.dumps(s, separators=(",", ":")) + "\n" for s in snapshots)
    lines = run([qmarket, "clear", "--lines", "-"], text).splitlines()
    if len(lines) != len(snapshots):
        raise Failed(f"{len(snapshots)} snapshots in, {len(lines)} results out")
    return [load(line) for line in lines]


def replay(qmarket: str, lines: list[str]) -> Json:
    """`qmarket replay --events FILE --format json`."""
    with tempfile.TemporaryDirectory(prefix="qmarket-compare-") as folder:
        path = Path(folder) / "events.jsonl"
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return load(run([qmarket, "replay", "--events", str(path), "--format", "json"]))
