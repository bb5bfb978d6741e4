#!/usr/bin/env python3
"""Runs the model against the worked cases of the specification and prints each mismatch.

The cases are looked for in QMARKET_SPEC_DIR/examples (default: ../shared/spec relative to the
repository root). What an example's output names must match; more in the model's is fine.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from clear_cli import clear_snapshot
from replay_cli import replay_lines

ROOT = Path(__file__).resolve().parents[2]


def differences(expected: Any, actual: Any, path: str = "") -> list[str]:
    """Where `actual` does not have what `expected` has."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        found = []
        for key, value in expected.items():
            if key in actual:
                found += differences(value, actual[key], f"{path}.{key}")
            else:
                found.append(f"{path}.{key}: expected {value!r}, missing")
        return found
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return [f"{path}: expected {len(expected)} entries, got {len(actual)}: {actual!r}"]
        found = []
        for i, (left, right) in enumerate(zip(expected, actual)):
            found += differences(left, right, f"{path}[{i}]")
        return found
    if type(expected) is not type(actual) or expected != actual:
        return [f"{path}: expected {expected!r}, got {actual!r}"]
    return []


def main() -> int:
    spec = Path(os.environ.get("QMARKET_SPEC_DIR", ROOT.parent / "shared" / "spec"))
    examples = spec / "examples"
    if not examples.is_dir():
        print(f"skipped: no examples at {examples} (set QMARKET_SPEC_DIR)")
        return 0
    checked = failed = 0
    for path in sorted(examples.glob("*/*.json")):
        case = json.loads(path.read_text(encoding="utf-8"))
        if path.parent.name == "clear":
            actual = clear_snapshot(case["input"])[0]
        else:
            lines = path.with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
            actual = replay_lines(lines)[0]
        found = differences(case["output"], actual)
        checked += 1
        failed += bool(found)
        for line in found:
            print(f"{path.parent.name}/{path.name}{line}")
    print(f"{checked} examples checked, {failed} differ")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
