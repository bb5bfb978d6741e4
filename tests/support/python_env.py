"""Runs a test in build/python, the environment that tools/test-packages makes."""

from __future__ import annotations

import os
import pathlib
import sys

SOURCE_DIR = pathlib.Path(os.environ.get("QMARKET_SOURCE_DIR", ".")).resolve()
PYTHON = SOURCE_DIR / "build/python/bin/python"


def enter() -> None:
    """Starts the calling script anew with that environment's Python; skips it if there is none."""
    if pathlib.Path(sys.prefix) == PYTHON.parents[1]:
        return
    if not PYTHON.exists():
        print(f"skipped: {PYTHON} is missing: run tools/test-packages")
        sys.exit(0)
    os.execv(PYTHON, [str(PYTHON), "-B", *sys.argv])
