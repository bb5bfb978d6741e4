#!/usr/bin/env python3
"""Prints prices as the market makes them: a line for each time that a resource is cleared.

    prices.py --brokers 127.0.0.1:19092 --market main --from-beginning

The price is in reference credits for a chip and an hour; --json has the pools' prices too.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import sys
from typing import Any

import market
from confluent_kafka import OFFSET_BEGINNING, OFFSET_END, Consumer, TopicPartition

market.find_generated_modules()

from qmarket.fbs.MarketCleared import MarketCleared  # noqa: E402  (just found)
from qmarket.fbs.Outcome import Outcome  # noqa: E402
from qmarket.fbs.OutcomePayload import OutcomePayload  # noqa: E402


def positive(text: str) -> int:
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found '{text}'")
    return int(text)


def read_arguments() -> argparse.Namespace:
    parser = market.arguments("Prints the prices of a market as they are made.")
    parser.add_argument("--from-beginning", action="store_true",
                        help="start with the first price there is, not the next one")
    parser.add_argument("--count", type=positive, metavar="N", help="end after so many")
    parser.add_argument("--json", action="store_true", help="a JSON object on each line")
    return parser.parse_args()


def cleared_in(value: bytes) -> MarketCleared | None:
    """The clearing that an outcome record is about, if it is about one."""
    if len(value) < 8 or not Outcome.OutcomeBufferHasIdentifier(value, 0):
        raise ValueError("no outcome record: it has another file identifier than QMOC")
    outcome = Outcome.GetRootAs(value)
    if outcome.PayloadType() != OutcomePayload.MarketCleared:
        return None
    cleared = MarketCleared()
    cleared.Init(outcome.Payload().Bytes, outcome.Payload().Pos)
    return cleared


def as_json(cleared: MarketCleared) -> dict[str, Any]:
    pools = [cleared.Pools(index) for index in range(cleared.PoolsLength())]
    return {
        "time": market.time_text(cleared.TimeMs()),
        "resource": cleared.Resource().decode(),
        "cycle": cleared.Cycle(),
        "reference_price_micros": cleared.ReferencePriceMicros(),
        "allocated": cleared.Allocated(),
        "supply": cleared.Supply(),
        "pools": {
            pool.Pool().decode(): {
                "price_micros": pool.PriceMicros(), "allocated": pool.Allocated()
            }
            for pool in pools
        },
    }


def price_text(micros: int | None) -> str:
    if micros is None:
        return "no price"
    decimals = f"{micros % 1_000_000:06}".rstrip("0")
    return f"{micros // 1_000_000}.{decimals:0<2} credits/h"


def as_line(cleared: MarketCleared) -> str:
    price = price_text(cleared.ReferencePriceMicros())
    return (f"{market.time_text(cleared.TimeMs())}  {cleared.Resource().decode():<12}"
            f"{price:>20}  {cleared.Allocated()} of {cleared.Supply()} chips")


def main() -> int:
    arguments = read_arguments()
    topic = market.topic_of(arguments, "outcomes")
    consumer = Consumer(market.client_options(arguments) | {
        "group.id": "qmarket-prices-example",  # must be there; nothing is stored under it
        "enable.auto.commit": False,
        "isolation.level": "read_committed",
    })
    try:
        market.require_topic(consumer, topic)
        start = OFFSET_BEGINNING if arguments.from_beginning else OFFSET_END
        consumer.assign([TopicPartition(topic, 0, start)])
        printed = 0
        while printed != arguments.count:
            message = consumer.poll(1.0)
            if message is None:
                continue
            if message.error():
                market.fail(market.UNREACHABLE, message.error().str())
            try:
                cleared = cleared_in(message.value() or b"")
                if cleared is None:
                    continue
                text = json.dumps(as_json(cleared)) if arguments.json else as_line(cleared)
            except (ValueError, TypeError, AttributeError, struct.error) as error:
                market.fail(market.BAD_DATA, f"{topic}, offset {message.offset()}: {error}")
            print(text, flush=True)
            printed += 1
    finally:
        consumer.close()
    return market.DONE


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:  # as of `prices.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
