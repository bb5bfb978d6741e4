"""Reads records of the topics with the generated modules alone, into the form that JSON has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import setting  # noqa: F401  (makes the generated modules importable)
from qmarket.fbs.BidFilled import BidFilled
from qmarket.fbs.BidPreempted import BidPreempted
from qmarket.fbs.CreditsPosted import CreditsPosted
from qmarket.fbs.Event import Event
from qmarket.fbs.EventLate import EventLate
from qmarket.fbs.EventRejected import EventRejected
from qmarket.fbs.MarketCleared import MarketCleared
from qmarket.fbs.Outcome import Outcome
from qmarket.fbs.OutcomePayload import OutcomePayload
from qmarket.fbs.PostingKind import PostingKind
from qmarket.fbs.QuotaChanged import QuotaChanged
from qmarket.fbs.RejectionCode import RejectionCode

Json = dict[str, Any]

TABLES = {kind: table for kind, table in (
    (OutcomePayload.MarketCleared, MarketCleared), (OutcomePayload.QuotaChanged, QuotaChanged),
    (OutcomePayload.BidFilled, BidFilled), (OutcomePayload.BidPreempted, BidPreempted),
    (OutcomePayload.CreditsPosted, CreditsPosted), (OutcomePayload.EventRejected, EventRejected),
    (OutcomePayload.EventLate, EventLate))}

FIELDS = {
    "MarketCleared": "resource cycle time_ms reference_price_micros supply shared_supply allocated",
    "QuotaChanged": "team resource chips cycle time_ms valid_until_ms",
    "BidFilled": "bid team resource chips paid time_ms",
    "BidPreempted": "bid team resource lost chips reason time_ms",
    "CreditsPosted": "kind currency from to amount_micros uncollected_micros time_ms",
    "EventRejected": "event_id offset code message",
    "EventLate": "event_id claimed_ms effective_ms",
    "PoolCleared":
        "pool price_micros reference_price_micros owned lent paid allocated",
}


def names_of(enum: type) -> dict[int, str]:
    return {value: name for name, value in vars(enum).items() if isinstance(value, int)}


ENUMS = {"kind": names_of(PostingKind), "code": names_of(RejectionCode)}
Getter = Callable[[Any], Any]


def getters_of(table: type, fields: str) -> list[tuple[str, Getter]]:
    def method(name: str) -> Getter:
        words = "".join(word.capitalize() for word in name.split("_"))
        return getattr(table, words if hasattr(table, words) else words + "_")
    return [(name, method(name)) for name in fields.split()]


def fields_of(table: Any, getters: list[tuple[str, Getter]]) -> Json:
    found: Json = {}
    for name, get in getters:
        value = get(table)
        if value.__class__ is bytes:
            value = value.decode()
        elif name in ENUMS:
            value = ENUMS[name][value]
        if value is not None:
            found[name] = value
    return found


GETTERS = {table.__name__: getters_of(table, FIELDS[table.__name__]) for table in TABLES.values()}
POOL_GETTERS: list[tuple[str, Getter]] = []


def pools_of(cleared: MarketCleared) -> list[Json]:
    pools = [cleared.Pools(i) for i in range(cleared.PoolsLength())]
    if pools and not POOL_GETTERS:
        POOL_GETTERS.extend(getters_of(type(pools[0]), FIELDS["PoolCleared"]))
    return [fields_of(pool, POOL_GETTERS) for pool in pools]


def outcome_of(record: bytes) -> Json:
    """An outcome, as `qmarket outcomes --format json` prints it."""
    if not Outcome.OutcomeBufferHasIdentifier(record, 0):
        raise ValueError(f"no outcome: {record[:40]!r}")
    outcome = Outcome.GetRootAs(record, 0)
    table = TABLES[outcome.PayloadType()]()
    union = outcome.Payload()
    table.Init(union.Bytes, union.Pos)
    name = type(table).__name__
    payload = fields_of(table, GETTERS[name])
    if name == "MarketCleared":
        payload["pools"] = pools_of(table)
    return {"offset": outcome.Offset(), "index": outcome.Index(), "payload_type": name,
            "payload": payload}


def event_id_of(record: bytes | None) -> str | None:
    """The id of an event; none where the bytes are no event."""
    if not record or len(record) < 8 or not Event.EventBufferHasIdentifier(record, 0):
        return None
    try:
        found = Event.GetRootAs(record, 0).EventId()
        return found.decode() if found is not None else None
    except Exception:  # whatever bytes that only look like an event lead to
        return None
