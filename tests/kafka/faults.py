"""Seeded faults of brokers and matchers: kills, pauses, restarts."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable

from cluster import Cluster
from matchers import Matcher
from topics import end_of
from waiting import wait_until


class Tally:
    """Counts and prints faults. Thread-safe."""

    def __init__(self) -> None:
        self.start = time.monotonic()
        self.counts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def say(self, line: str) -> None:
        with self._lock:
            print(f"{time.monotonic() - self.start:7.1f} s  {line}", flush=True)

    def fault(self, kind: str, what: str) -> None:
        with self._lock:
            self.counts[kind] += 1
        self.say(f"{kind} {what}")

    def total(self) -> int:
        return sum(self.counts.values())


class BrokerFaults:
    """One broker is away at most: the next fault waits until all replicas are in sync."""

    def __init__(self, cluster: Cluster, seed: int, tally: Tally) -> None:
        self._cluster = cluster
        self._random = random.Random(f"{seed} brokers")
        self._tally = tally

    def one(self) -> None:
        node = 1 + self._random.randrange(self._cluster.nodes)
        seconds = self._random.uniform(0.2, 9)
        kind = self._random.choice(("kill", "kill", "pause", "pause", "restart"))
        if kind == "pause":
            self._tally.fault("pause", f"broker {node} for {seconds:.1f} s")
            self._cluster.pause(node)
            time.sleep(seconds)
            self._cluster.resume(node)
        else:
            self._tally.fault(kind, f"broker {node}")
            (self._cluster.kill if kind == "kill" else self._cluster.stop)(node)
            self._cluster.start(node)
        self._cluster.wait_in_sync()


class MatcherFaults:
    """Of one matcher, or all at once. After most of them something must be published before the
    next one; some hit while the last one's work goes on."""

    def __init__(self, matchers: list[Matcher], brokers: str, topic: str, seed: int,
                 tally: Tally) -> None:
        self._matchers = matchers
        self._end = lambda: end_of(brokers, topic)
        self._random = random.Random(f"{seed} matchers")
        self._tally = tally

    def one(self) -> None:
        draw = self._random
        hit = list(self._matchers) if draw.randrange(5) == 0 else [draw.choice(self._matchers)]
        kind = draw.choice(("kill", "kill", "pause", "pause", "restart"))
        seconds = draw.uniform(0.2, 12)
        waits = draw.randrange(4) > 0
        names = " and ".join(matcher.name for matcher in hit)
        if kind == "pause":
            self._tally.fault("pause", f"{names} for {seconds:.1f} s")
            self._all(hit, Matcher.pause)
            time.sleep(seconds)
            self._all(hit, Matcher.resume)
        else:
            self._tally.fault(kind, names)
            self._all(hit, Matcher.kill if kind == "kill" else Matcher.terminate)
        # Who has ended is started again by the supervisor.
        if waits:
            self._published_more()
        else:
            time.sleep(draw.uniform(0, 3))

    @staticmethod
    def _all(matchers: list[Matcher], act: Callable[[Matcher], None]) -> None:
        for matcher in matchers:
            if matcher.running():
                act(matcher)

    def _published_more(self) -> None:
        end = self._end()
        wait_until(lambda: self._end() > end, 180, "something is published after a fault")
