"""Makes outcome records with the generated modules, as the matcher would publish them."""

from __future__ import annotations

import flatbuffers
from qmarket.fbs import EventRejected, MarketCleared, Outcome, PoolCleared
from qmarket.fbs.OutcomePayload import OutcomePayload
from qmarket.fbs.RejectionCode import RejectionCode


def finish(builder: flatbuffers.Builder, kind: int, payload: int) -> bytes:
    Outcome.Start(builder)
    Outcome.AddOffset(builder, 5)
    Outcome.AddIndex(builder, 0)
    Outcome.AddPayloadType(builder, kind)
    Outcome.AddPayload(builder, payload)
    builder.Finish(Outcome.End(builder), b"QMOC")
    return bytes(builder.Output())


def pool_cleared(
    builder: flatbuffers.Builder, pool: str, price_micros: int | None, allocated: int
) -> int:
    name = builder.CreateString(pool)
    PoolCleared.Start(builder)
    PoolCleared.AddPool(builder, name)
    if price_micros is not None:
        PoolCleared.AddPriceMicros(builder, price_micros)
    PoolCleared.AddAllocated(builder, allocated)
    return PoolCleared.End(builder)


def cleared(
    resource: str, time_ms: int, price_micros: int | None, allocated: int, supply: int,
    pools: dict[str, int | None] | None = None,
) -> bytes:
    """A MarketCleared; `pools` has the pools' local prices, and each pool all of `allocated`."""
    builder = flatbuffers.Builder(512)
    name = builder.CreateString(resource)
    tables = [pool_cleared(builder, p, m, allocated) for p, m in (pools or {}).items()]
    MarketCleared.StartPoolsVector(builder, len(tables))
    for table in reversed(tables):
        builder.PrependUOffsetTRelative(table)
    vector = builder.EndVector()
    MarketCleared.Start(builder)
    MarketCleared.AddResource(builder, name)
    MarketCleared.AddCycle(builder, 1)
    MarketCleared.AddTimeMs(builder, time_ms)
    if price_micros is not None:
        MarketCleared.AddReferencePriceMicros(builder, price_micros)
    MarketCleared.AddSupply(builder, supply)
    MarketCleared.AddAllocated(builder, allocated)
    MarketCleared.AddPools(builder, vector)
    return finish(builder, OutcomePayload.MarketCleared, MarketCleared.End(builder))


def rejected(event_id: str) -> bytes:
    builder = flatbuffers.Builder(128)
    texts = builder.CreateString(event_id), builder.CreateString("no such team")
    EventRejected.Start(builder)
    EventRejected.AddEventId(builder, texts[0])
    EventRejected.AddCode(builder, RejectionCode.unknown_team)
    EventRejected.AddMessage(builder, texts[1])
    return finish(builder, OutcomePayload.EventRejected, EventRejected.End(builder))
