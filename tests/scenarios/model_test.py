#!/usr/bin/env python3
"""Asks the slow model and `qmarket replay` for the end of every scenario: they must agree.

Environment: QMARKET_SCENARIOS (the runner), QMARKET_BINARY (the program). Scenarios with events that
JSON Lines cannot say are left out, and named.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "model"))

from replay_cli import replay_lines  # noqa: E402

NOT_AS_EVENTS = 3
FEWEST_COMPARED = 60


def differences(model, replay, path=""):
    """Where the model's document and the program's differ; the program may say more."""
    if isinstance(model, dict) and isinstance(replay, dict):
        for key, value in model.items():
            if key not in replay:
                yield f"{path}/{key}: not in the program's document"
            else:
                yield from differences(value, replay[key], f"{path}/{key}")
    elif isinstance(model, list) and isinstance(replay, list) and len(model) == len(replay):
        for index, (one, other) in enumerate(zip(model, replay)):
            yield from differences(one, other, f"{path}/{index}")
    elif model != replay:
        yield f"{path}: the model has {model!r}, the program {replay!r}"


def replay(binary, events):
    run = subprocess.run(
        [binary, "replay", "--events", "-", "--format", "json"],
        input=events, capture_output=True, text=True, check=True,
    )
    return json.loads(run.stdout)


def main():
    runner, binary = os.environ["QMARKET_SCENARIOS"], os.environ["QMARKET_BINARY"]
    compared, left_out, failed = 0, [], 0
    for scenario in sorted(FOLDER.glob("*/*.scenario")):
        name = scenario.relative_to(FOLDER).as_posix()
        run = subprocess.run(
            [runner, "--as-events", str(scenario)], capture_output=True, text=True, check=False
        )
        if run.returncode == NOT_AS_EVENTS:
            left_out.append(name)
            continue
        run.check_returncode()
        model, _ = replay_lines(run.stdout.splitlines())
        compared += 1
        for difference in differences(model, replay(binary, run.stdout)):
            print(f"{name}: {difference}")
            failed += 1
    print(f"{compared} scenarios compared; JSON Lines cannot say {len(left_out)}: {left_out}")
    if compared < FEWEST_COMPARED:
        print(f"expected at least {FEWEST_COMPARED} to compare")
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
