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

from clear_cli import clear_snapshot
from diffing import differences
from replay_cli import replay_lines

ROOT = Path(__file__).resolve().parents[2]


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
