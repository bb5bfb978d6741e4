"""Waits for conditions, with a deadline: never for so long and hope."""

from __future__ import annotations

import time
from collections.abc import Callable


def wait_until(holds: Callable[[], bool], seconds: float, what: str) -> float:
    """Waits until it holds, and says how long that took. Errors: TimeoutError, naming `what`."""
    start = time.monotonic()
    while not holds():
        if time.monotonic() - start > seconds:
            raise TimeoutError(f"not within {seconds:.0f} s: {what}")
        time.sleep(0.05)
    return time.monotonic() - start
