#!/usr/bin/env python3
"""Reads a snapshot as `qmarket clear` does and prints what that command prints.

clear_cli.py FILE|-           one snapshot in, one JSON document out
clear_cli.py --lines FILE|-   one snapshot a line in, one compact JSON result a line out
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from typing import Any

from clearing import clear
from parts import Bid, Pool, Team

Json = dict[str, Any]


def read_bid(raw: Json, resource: str, place: int) -> Bid:
    chips, held = raw["chips"], raw.get("held", 0)
    limit = raw.get("limit_price_micros", -1)
    return Bid(
        name=raw["bid"],
        resource=resource,
        chips=chips,
        min_chips=raw.get("min_chips", chips),
        limit=None if limit == -1 else limit,
        priority=raw.get("priority", 0),
        order=raw.get("order", place),
        held=held,
        paid=raw.get("paid", held),
        opportunistic=raw.get("opportunistic", False),
        standby=raw.get("standby", True),
    )


def read_pools(snapshot: Json) -> list[Pool]:
    """The pools of a snapshot; exchange rates are 1 (interface, `qmarket clear`)."""
    resource = snapshot["resource"]
    place = 0
    pools = []
    for raw_pool in snapshot["pools"]:
        teams = []
        for raw_team in raw_pool["teams"]:
            bids = []
            for raw_bid in raw_team["bids"]:
                bids.append(read_bid(raw_bid, resource, place))
                place += 1
            budget = raw_team["budget_micros_per_hour"]
            keep = raw_team.get("keep_budget_micros_per_hour", budget)
            teams.append(Team(raw_team["team"], budget, keep, bids))
        plan = {resource: raw_pool.get("plan_price_micros")}
        lends = raw_pool.get("lend_idle", True)
        pools.append(Pool(raw_pool["pool"], (1, 1), lends, plan, teams))
    return pools


def clear_snapshot(snapshot: Json) -> tuple[Json, Counter[str]]:
    """The output document, and the coverage counters."""
    resource = snapshot["resource"]
    pools = read_pools(snapshot)
    owned = {raw["pool"]: raw["owned"] for raw in snapshot["pools"]}
    margin = snapshot.get("entry_margin_percent", 25)
    result = clear(pools, {resource: snapshot["shared"]}, {resource: owned}, margin)[resource]
    out_pools = []
    for pool in pools:
        price = result.price[pool.name]
        out_pools.append(
            {
                "pool": pool.name,
                "price_micros": price,
                "lent": result.lent[pool.name],
                "teams": [write_team(team, price) for team in pool.teams],
            }
        )
    document = {
        "resource": resource,
        "reference_price_micros": result.reference_price,
        "shared_supply": result.shared_supply,
        "pools": out_pools,
    }
    return document, result.coverage


def write_team(team: Team, price: int | None) -> Json:
    return {
        "team": team.name,
        "quota": sum(bid.chips_after for bid in team.bids),
        "spend_micros_per_hour": sum(bid.paid_after for bid in team.bids) * (price or 0),
        "bids": [
            {
                "bid": bid.name,
                "chips": bid.chips_after,
                "paid": bid.paid_after,
                "reservation_price_micros": bid.units[0].rho if bid.units else None,
                "filled_as": bid.filled_as,
            }
            for bid in team.bids
        ],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lines", action="store_true", help="one snapshot a line")
    parser.add_argument("file", help="a file, or - for stdin")
    args = parser.parse_args()
    with sys.stdin if args.file == "-" else open(args.file, encoding="utf-8") as source:
        if not args.lines:
            print(json.dumps(clear_snapshot(json.load(source))[0], indent=1))
            return 0
        for line in source:
            if line.strip():
                print(json.dumps(clear_snapshot(json.loads(line))[0], separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
