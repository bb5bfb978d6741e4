#!/usr/bin/env python3
"""Appends a bid to a market's events and prints its offset.

    place_bid.py --bid train --team ranking --resource h100 --chips 8 --limit-price-micros 2500000

Whether the market can take the bid is said by the outcomes of that offset.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import uuid
from collections.abc import Callable

import flatbuffers
import market
from confluent_kafka import KafkaError, KafkaException, Message, Producer

market.find_generated_modules()

from qmarket.fbs import BidPlaced, Event  # noqa: E402  (just found)
from qmarket.fbs.Payload import Payload  # noqa: E402

WAIT_SECONDS = 30


def number(least: int, most: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"-?[0-9]{1,19}", text) or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected {least} to {most}, found '{text}'")
        return int(text)

    return parse


def matching(pattern: str, form: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise argparse.ArgumentTypeError(f"expected {form}, found '{text}'")
        return text

    return parse


NAME = matching(r"[A-Za-z0-9._@:/-]{1,128}", "1 to 128 characters of A-Za-z0-9._@:/-")


def read_arguments() -> argparse.Namespace:
    parser = market.arguments("Appends a bid to the events of a market; prints its offset.")
    bid = parser.add_argument_group("the bid")
    bid.add_argument("--bid", type=NAME, required=True, help="its id, used once and for all")
    bid.add_argument("--team", type=NAME, required=True)
    bid.add_argument("--resource", type=NAME, required=True)
    bid.add_argument("--chips", type=number(1, 1_000_000), required=True)
    bid.add_argument("--min-chips", type=number(0, 1_000_000), default=0, metavar="CHIPS",
                     help="run with no fewer; 0, the default: all of them")
    bid.add_argument("--limit-price-micros", type=number(-1, 10**12), default=-1, metavar="MICROS",
                     help="the most for a chip and an hour; -1, the default: no limit")
    bid.add_argument("--priority", type=number(-(2**31), 2**31 - 1), default=0)
    bid.add_argument("--opportunistic", action="store_true",
                     help="take only chips that cost nothing")
    bid.add_argument("--standby", action=argparse.BooleanOptionalAction, default=True,
                     help="whether it waits where the team cannot afford it")
    event = parser.add_argument_group("the event")
    event.add_argument("--event-id", default=str(uuid.uuid4()),
                       type=matching(r"[ -~]{1,128}", "1 to 128 printable characters"),
                       help="to repeat an append safely, repeat its id")
    event.add_argument("--time-ms", type=number(0, 4_102_444_800_000), metavar="MS",
                       default=time.time_ns() // 1_000_000, help="since 1970, UTC; default: now")
    event.add_argument("--actor", default="", help="who, for the audit")
    event.add_argument("--source", default="examples/place_bid", help="which system, for the audit")
    arguments = parser.parse_args()
    if arguments.min_chips > arguments.chips:
        parser.error(f"--min-chips {arguments.min_chips} is more than --chips {arguments.chips}")
    return arguments


def encode(arguments: argparse.Namespace) -> bytes:
    """The event record: a FlatBuffer with the file identifier QMEV."""
    builder = flatbuffers.Builder(512)
    # Texts come first: no table may be open while they are made.
    bid, team, resource, event_id = (
        builder.CreateString(text)
        for text in (arguments.bid, arguments.team, arguments.resource, arguments.event_id)
    )
    actor = builder.CreateString(arguments.actor) if arguments.actor else None
    source = builder.CreateString(arguments.source) if arguments.source else None

    BidPlaced.Start(builder)
    BidPlaced.AddBid(builder, bid)
    BidPlaced.AddTeam(builder, team)
    BidPlaced.AddResource(builder, resource)
    BidPlaced.AddChips(builder, arguments.chips)
    BidPlaced.AddMinChips(builder, arguments.min_chips)
    BidPlaced.AddLimitPriceMicros(builder, arguments.limit_price_micros)
    BidPlaced.AddPriority(builder, arguments.priority)
    BidPlaced.AddOpportunistic(builder, arguments.opportunistic)
    BidPlaced.AddStandby(builder, arguments.standby)
    payload = BidPlaced.End(builder)

    Event.Start(builder)
    Event.AddEventId(builder, event_id)
    Event.AddTimeMs(builder, arguments.time_ms)
    if actor is not None:
        Event.AddActor(builder, actor)
    if source is not None:
        Event.AddSource(builder, source)
    Event.AddPayloadType(builder, Payload.BidPlaced)
    Event.AddPayload(builder, payload)
    builder.Finish(Event.End(builder), b"QMEV")
    return bytes(builder.Output())


def append(arguments: argparse.Namespace, record: bytes) -> int:
    """The record's offset, once it is on all replicas that it needs."""
    topic = market.topic_of(arguments, "events")
    delivered: list[tuple[KafkaError | None, Message]] = []
    producer = Producer(market.client_options(arguments) | {
        "acks": "all",
        "enable.idempotence": True,
        "message.timeout.ms": WAIT_SECONDS * 1000,
    })
    market.require_topic(producer, topic)
    producer.produce(
        topic,
        record,
        key=arguments.bid,
        headers=market.event_headers(arguments.market, arguments.event_id, arguments.source,
                                     "BidPlaced", arguments.time_ms),
        on_delivery=lambda error, message: delivered.append((error, message)),
    )
    producer.flush(WAIT_SECONDS + 5)
    if not delivered:
        market.fail(market.UNREACHABLE, f"no answer; event {arguments.event_id} may be appended")
    error, message = delivered[0]
    if error is not None:
        market.fail(market.UNREACHABLE, f"{topic}: {error.str()}")
    offset = message.offset()
    assert offset is not None
    return offset


def main() -> int:
    arguments = read_arguments()
    try:
        print(append(arguments, encode(arguments)))
    except (KafkaException, UnicodeEncodeError) as error:
        market.fail(market.BAD_DATA, str(error))
    return market.DONE


if __name__ == "__main__":
    sys.exit(main())
