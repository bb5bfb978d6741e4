"""Events as JSON Lines: fields, defaults and ranges (the interface's tables under "Events")."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

NAME = re.compile(r"[A-Za-z0-9._@:/-]{1,128}\Z")
EVENT_ID = re.compile(r"[\x20-\x7e]{1,128}\Z")
MAX_TIME = 4_102_444_800_000
CREDITS = 10**15
MONTH_MS = 30 * 86_400_000
REQUIRED = object()


class BadLine(ValueError):
    """A line that is refused where it is read."""


@dataclass(frozen=True)
class Number:
    low: int
    high: int
    default: Any = REQUIRED


@dataclass(frozen=True)
class Name:
    default: Any = REQUIRED


@dataclass(frozen=True)
class Text:
    default: Any = ""


@dataclass(frozen=True)
class Flag:
    default: Any


CHIPS = 1_000_000
PAYLOADS: dict[str, dict[str, Any]] = {
    "PoolConfigured": {
        "pool": Name(),
        "market_weight_micros_per_hour": Number(0, 10**12, 0),
        "lend_idle": Flag(True),
    },
    "TeamConfigured": {
        "team": Name(),
        "pool": Name(),
        "income_micros_per_hour": Number(0, 10**12, 0),
        "income_leverage_percent": Number(0, 1_000_000, 0),
    },
    "BudgetGranted": {"team": Name(), "amount_micros": Number(-CREDITS, CREDITS), "memo": Text()},
    "CreditsTransferred": {
        "from_team": Name(),
        "to_team": Name(),
        "amount_micros": Number(1, CREDITS),
        "memo": Text(),
    },
    "SupplyChanged": {
        "resource": Name(),
        "owner": Name(""),
        "chips": Number(0, 4_000_000),
        "reason": Text(),
    },
    "BidPlaced": {
        "bid": Name(),
        "team": Name(),
        "resource": Name(),
        "chips": Number(1, CHIPS),
        "min_chips": Number(0, CHIPS, 0),
        "limit_price_micros": Number(-1, 10**12, -1),
        "priority": Number(-(2**31), 2**31 - 1, 0),
        "opportunistic": Flag(False),
        "standby": Flag(True),
    },
    "BidAmended": {
        "bid": Name(),
        "chips": Number(1, CHIPS, None),
        "min_chips": Number(1, CHIPS, None),
        "limit_price_micros": Number(-1, 10**12, None),
        "priority": Number(-(2**31), 2**31 - 1, None),
        "standby": Flag(None),
    },
    "BidWithdrawn": {"bid": Name(), "reason": Text()},
    "ChipsPreempted": {"bid": Name(), "chips": Number(1, CHIPS), "reason": Text()},
    "UsageReported": {
        "bid": Name(""),
        "team": Name(""),
        "resource": Name(""),
        "chips_in_use": Number(0, CHIPS),
        "from_ms": Number(0, MAX_TIME),
        "to_ms": Number(0, MAX_TIME),
    },
    "MarketConfigured": {
        "cycle_ms": Number(1_000, 3_600_000, 60_000),
        "settlement_ms": Number(10_000, 86_400_000, 300_000),
        "min_affordable_ms": Number(1, MONTH_MS, 7_200_000),
        "keep_affordable_ms": Number(1, MONTH_MS, 1_800_000),
        "entry_margin_percent": Number(0, 1_000, 25),
        "purse_hours": Number(1, 8_760, 168),
        "rules_version": Number(1, 1, 1),
    },
    "ClockTicked": {},
}
DEFAULT_SETTINGS = {name: rule.default for name, rule in PAYLOADS["MarketConfigured"].items()}


@dataclass(frozen=True)
class Event:
    """One event with every default filled in, so that equal content compares equal."""

    event_id: str
    time_ms: int
    actor: str
    source: str
    kind: str
    fields: dict[str, Any]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]


def _value(where: str, rule: Any, value: Any) -> Any:
    if isinstance(rule, Number):
        if type(value) is not int or not rule.low <= value <= rule.high:
            raise BadLine(f"{where}: expected an integer {rule.low} ... {rule.high}")
    elif isinstance(rule, Flag):
        if type(value) is not bool:
            raise BadLine(f"{where}: expected true or false")
    elif not isinstance(value, str):
        raise BadLine(f"{where}: expected a string")
    elif isinstance(rule, Name) and value != rule.default and not NAME.match(value):
        raise BadLine(f"{where}: not the form of a name")
    return value


def parse(line: str) -> Event:
    """Reads one line; raises BadLine where `append` would refuse it."""
    try:
        raw = json.loads(line)
    except ValueError as error:
        raise BadLine(f"not JSON: {error}") from error
    if not isinstance(raw, dict) or set(raw) - {
        "event_id", "time_ms", "actor", "source", "payload_type", "payload"
    }:  # fmt: skip
        raise BadLine("not an object with the fields of an event")
    kind, payload = raw.get("payload_type"), raw.get("payload")
    if kind not in PAYLOADS or not isinstance(payload, dict):
        raise BadLine("payload_type or payload missing or unknown")
    event_id = raw.get("event_id")
    if not isinstance(event_id, str) or not EVENT_ID.match(event_id):
        raise BadLine("event_id: expected 1 to 128 printable bytes")
    time_ms = _value("time_ms", Number(0, MAX_TIME), raw.get("time_ms"))
    rules = PAYLOADS[kind]
    if set(payload) - set(rules):
        raise BadLine(f"{kind}: unknown fields {sorted(set(payload) - set(rules))}")
    fields = {}
    for name, rule in rules.items():
        if name in payload:
            fields[name] = _value(f"{kind}.{name}", rule, payload[name])
        elif rule.default is REQUIRED:
            raise BadLine(f"{kind}.{name}: required")
        else:
            fields[name] = rule.default
    _together(kind, fields)
    actor = _value("actor", Text(), raw.get("actor", ""))
    source = _value("source", Text(), raw.get("source", ""))
    return Event(event_id, time_ms, actor, source, kind, fields)


def _together(kind: str, fields: dict[str, Any]) -> None:
    """Ranges that tie several fields of one event."""
    if kind == "BudgetGranted" and fields["amount_micros"] == 0:
        raise BadLine("amount_micros: expected not 0")
    if kind == "MarketConfigured":
        keep = fields["keep_affordable_ms"]
        if keep < 2 * (fields["settlement_ms"] + fields["cycle_ms"]):
            raise BadLine("keep_affordable_ms: below 2 * (settlement_ms + cycle_ms)")
        if fields["min_affordable_ms"] < keep:
            raise BadLine("min_affordable_ms: below keep_affordable_ms")
    if kind == "UsageReported":
        by_bid = fields["bid"] != ""
        by_team = fields["team"] != "" and fields["resource"] != ""
        neither = fields["team"] == "" and fields["resource"] == ""
        if not (by_bid and neither or by_team and not by_bid):
            raise BadLine("expected exactly one of bid, and team with resource")
        if fields["from_ms"] >= fields["to_ms"]:
            raise BadLine("from_ms: expected below to_ms")
