"""A test with a market of its own on the cluster of QMARKET_KAFKA_BROKERS."""

from __future__ import annotations

import pathlib
import shutil
import tempfile
import unittest
import uuid
from typing import Any

import setting
from confluent_kafka.admin import AdminClient
from matchers import Market, Matcher

START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z
CYCLE_MS = 1_000


def event(event_id: str, kind: str, time_ms: int = START_MS, **payload: Any) -> dict[str, Any]:
    return {"event_id": event_id, "time_ms": time_ms, "payload_type": kind, "payload": payload}


def small_market() -> list[dict[str, Any]]:
    """Two teams and two resources; it clears every second."""
    return [
        event("c0", "MarketConfigured", cycle_ms=CYCLE_MS, settlement_ms=10_000,
              keep_affordable_ms=60_000, min_affordable_ms=120_000),
        event("c1", "PoolConfigured", pool="search", market_weight_micros_per_hour=10**8),
        event("c2", "TeamConfigured", team="rank", pool="search", income_micros_per_hour=10**8),
        event("c3", "TeamConfigured", team="see", pool="search", income_micros_per_hour=10**8),
        event("c4", "SupplyChanged", resource="h100", chips=16),
        event("c5", "SupplyChanged", resource="a100", chips=8),
        event("c6", "BudgetGranted", team="rank", amount_micros=10**12),
        event("c7", "BidPlaced", bid="rank-1", team="rank", resource="h100", chips=16, min_chips=1),
        event("c8", "BidPlaced", bid="see-1", team="see", resource="h100", chips=16, min_chips=1),
    ]


def usage(name: str, count: int) -> list[dict[str, Any]]:
    """Events that are late, and so lead to an outcome each."""
    return [event(f"{name}-{number}", "UsageReported", bid="rank-1", chips_in_use=number % 16,
                  from_ms=START_MS, to_ms=START_MS + 1_000) for number in range(count)]


class MarketTest(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="qmarket-kafka-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)
        self.family = f"test-{uuid.uuid4().hex[:12]}"  # how all names of markets of the test begin
        self.market = Market(setting.BROKERS, self.family)
        self.admin = AdminClient(setting.client(setting.BROKERS))
        self.addCleanup(self.remove_topics)

    def remove_topics(self) -> None:
        names = [name for name in self.admin.list_topics(timeout=30).topics if self.family in name]
        for removed in (self.admin.delete_topics(names) if names else {}).values():
            removed.result(60)

    def matcher(self, name: str, *options: object, market: Market | None = None) -> Matcher:
        matcher = Matcher(name, self.dir, market or self.market, *options)
        self.addCleanup(matcher.kill)
        return matcher
