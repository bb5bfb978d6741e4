#!/usr/bin/env python3
"""Reads a JSONL event file and prints the `qmarket replay --events FILE --format json` document.

The `digest` is left out: the model keeps no bytes. A line that `append` would refuse ends the
run with exit status 1.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from math import gcd
from typing import Any

from events import BadLine, parse
from market import Market
from state import BidState

Json = dict[str, Any]


def bid_state(bid: BidState) -> str:
    if bid.ended:
        return "ended"
    if bid.paid > 0:
        return "running"
    return "unpaid" if bid.held > 0 else "waiting"


def rate_text(rate: tuple[int, int] | None) -> str | None:
    if rate is None:
        return None
    divisor = gcd(*rate)
    return f"{rate[0] // divisor}/{rate[1] // divisor}"


def quotas(market: Market, team: str) -> dict[str, int]:
    """What the team's bids hold, by resource; those of which it holds some."""
    held: dict[str, int] = {}
    for bid in market.bids.values():
        if bid.team == team and bid.held > 0:
            held[bid.resource] = held.get(bid.resource, 0) + bid.held
    return held


def wanted(market: Market, pool: str, resource: str) -> int:
    """The chips that the standing bids of the pool's teams ask for."""
    return sum(
        bid.chips
        for bid in market.bids.values()
        if not bid.ended and bid.resource == resource and market.teams[bid.team].pool == pool
    )


def report(market: Market) -> Json:
    """The document of the interface, "qmarket replay"."""
    resources = {}
    for name, owners in sorted(market.last.supply.items()):
        resources[name] = {
            "reference_price_micros": market.last.reference_price[name],
            "supply": sum(owners.values()),
            "allocated": sum(b.held for b in market.bids.values() if b.resource == name),
            "shared": owners.get("", 0),
            "pools": {
                pool.name: {
                    "price_micros": pool.prices.get(name),
                    "owned": owners.get(pool.name, 0),
                    "reference_price_micros": pool.x.get(name),
                    "lent": market.last.lent_by[name].get(pool.name, 0),
                    "wanted": wanted(market, pool.name, name),
                }
                for pool in market.pools.values()
            },
        }
    return {
        "offset": market.offset,
        "time_ms": market.now,
        "settings": market.settings,
        "teams": {
            team.name: {
                "balance_micros": market.balance(team),
                "charged_micros": team.charged,
                "minted_micros": team.minted,
                "uncollected_micros": team.uncollected,
                "pool": team.pool,
                "income_micros_per_hour": team.income,
                "burn_micros_per_hour": sum(market.burn(team).values()),
                "quotas": quotas(market, team.name),
            }
            for team in market.teams.values()
        },
        "pools": {
            pool.name: {
                "exchange_rate": rate_text(pool.rate),
                "purse_micros": market.purse(pool),
                "uncollected_micros": pool.uncollected,
                "market_weight_micros_per_hour": pool.weight,
            }
            for pool in market.pools.values()
        },
        "resources": resources,
        "bids": {
            bid.name: {
                "state": bid_state(bid),
                "chips": bid.held,
                "paid": bid.paid,
                "team": bid.team,
                "resource": bid.resource,
                "wanted": bid.chips,
                "min_chips": bid.min_chips,
                "limit_price_micros": bid.limit,
                "priority": bid.priority,
                "opportunistic": bid.opportunistic,
                "standby": bid.standby,
                "place": bid.order,
            }
            for bid in market.bids.values()
        },
        "rejected": market.rejected,
        "preempted": market.preempted,
    }


def replay_lines(lines: Iterable[str]) -> tuple[Json, Counter[str]]:
    """The document for a whole log, and the coverage counters."""
    market = Market()
    for number, line in enumerate(lines, start=1):
        try:
            event = parse(line)
        except BadLine as error:
            raise BadLine(f"line {number}: {error}") from error
        market.apply(event)
    return report(market), market.coverage


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="a JSON Lines file of events, or - for stdin")
    args = parser.parse_args()
    with sys.stdin if args.file == "-" else open(args.file, encoding="utf-8") as source:
        try:
            document, _ = replay_lines(source.read().splitlines())
        except BadLine as error:
            print(error, file=sys.stderr)
            return 1
    print(json.dumps(document, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
