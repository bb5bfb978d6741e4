"""The whole machine: events in, state and outcomes out (mechanism sections 2, 6 and 7).

Admission and what each event does are here; the tick (settlement and cycle) is in ticking.py, the
state in state.py. After every event the market asserts what must always hold.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from books import REFERENCE, Books
from events import DEFAULT_SETTINGS, Event
from parts import HOUR_MS
from state import BidState, LastCycle, PoolState, TeamState
from ticking import run_cycle, settle

INCOMES_OF_A_POOL = 10**12
BALANCES_OF_A_POOL = 10**18


class Market:
    """A market; feed it events with `apply`, in log order."""

    def __init__(self) -> None:
        self.offset: int | None = None
        self.now: int | None = None  # the last effective time
        self.settled_at: int | None = None  # the first event, then the last tick that settled
        self.settings: dict[str, int] = dict(DEFAULT_SETTINGS)
        self.stated_settings: dict[str, int] = dict(DEFAULT_SETTINGS)
        self.pools: dict[str, PoolState] = {}
        self.teams: dict[str, TeamState] = {}
        self.bids: dict[str, BidState] = {}
        self.supply: dict[str, dict[str, int]] = {}  # stated: resource -> owner -> chips
        self.last = LastCycle()
        self.books = Books()
        self.known: dict[str, Event] = {}
        self.rejected: list[dict[str, Any]] = []
        self.preempted: list[dict[str, Any]] = []
        self.coverage: Counter[str] = Counter()
        self.punctual = True  # a tick came at least every cycle_ms so far, settings unchanged
        self.last_tick: int | None = None

    # What is derived from the state.

    def teams_of(self, pool: str) -> list[TeamState]:
        return [team for team in self.teams.values() if team.pool == pool]

    def balance(self, team: TeamState) -> int:
        return self.books.balance(team.pool, f"team:{team.name}")

    def purse(self, pool: PoolState) -> int:
        return self.books.balance(REFERENCE, f"purse:{pool.name}")

    def burn(self, team: TeamState) -> dict[str, int]:
        """What the team's paid chips cost per hour, by resource, at the last cycle's prices."""
        cost: dict[str, int] = {}
        prices = self.pools[team.pool].prices
        for bid in self.bids.values():
            if bid.team == team.name and bid.paid > 0:
                cost[bid.resource] = cost.get(bid.resource, 0) + bid.paid * prices[bid.resource]
        return cost

    def can_give(self, team: TeamState, now: int) -> int:
        """What a team can give away or lose at that time (section 6)."""
        burn = self.burn(team)
        accrued = 0
        for resource in set(burn) | set(team.charges):
            exact = team.charges.get(resource, 0)
            exact += burn.get(resource, 0) * (now - self.now)
            accrued += -(-exact // HOUR_MS)
        ahead = -(-sum(burn.values()) * self.settings["cycle_ms"] // HOUR_MS)
        return max(0, self.balance(team) - 2 * (accrued + ahead))

    # Admission.

    def apply(self, event: Event) -> None:
        """One event: rejected, or applied at its effective time."""
        self.offset = 0 if self.offset is None else self.offset + 1
        now = event.time_ms if self.now is None else max(self.now, event.time_ms)
        code = self.rejection(event, now)
        self.known.setdefault(event.event_id, event)
        if code is not None:
            entry = {"event_id": event.event_id, "offset": self.offset, "code": code}
            self.rejected.append(entry)
            self.coverage["rejected_" + code] += 1
            if code == "out_of_range":
                self.coverage["out_of_range_" + event.kind] += 1
            return
        self.coverage["applied_" + event.kind] += 1
        self.coverage["late_events"] += event.time_ms < now
        self.accrue(now)
        getattr(self, "on_" + event.kind)(event)
        self.check()

    def rejection(self, event: Event, now: int) -> str | None:
        """The first rejection code that applies, in the interface's order."""
        first = self.known.get(event.event_id)
        if first is not None:
            return "duplicate" if first == event else "id_reused"
        named = event.fields
        if self.exceeds_pool_sums(event):
            return "out_of_range"
        for field in ("pool", "owner"):
            if event.kind != "PoolConfigured" and named.get(field):
                if named[field] not in self.pools:
                    return "unknown_pool"
        for field in ("team", "from_team", "to_team"):
            # The team of a TeamConfigured may be new.
            if event.kind != "TeamConfigured" and named.get(field):
                if named[field] not in self.teams:
                    return "unknown_team"
        bid = self.bids.get(named.get("bid", ""))
        if event.kind == "BidPlaced":
            if bid is not None:
                return "bid_exists"
        elif named.get("bid"):
            if bid is None:
                return "unknown_bid"
            if bid.ended and event.kind != "UsageReported":
                return "bid_ended"
        if event.kind == "BidPlaced" and named["min_chips"] > named["chips"]:
            return "min_exceeds_chips"
        if event.kind == "BidAmended" and named["min_chips"] is not None:
            chips = bid.chips if named["chips"] is None else named["chips"]
            if named["min_chips"] > chips:
                return "min_exceeds_chips"
        if event.kind == "TeamConfigured":
            team = self.teams.get(named["team"])
            if team is not None and team.pool != named["pool"]:
                return "pool_is_fixed"
        if event.kind == "CreditsTransferred":
            giver, taker = self.teams[named["from_team"]], self.teams[named["to_team"]]
            if giver is taker:
                return "same_team"
            if giver.pool != taker.pool:
                return "different_pools"
            if named["amount_micros"] > self.can_give(giver, now):
                return "insufficient_credits"
        if event.kind == "ChipsPreempted" and bid.held == 0:
            return "holds_no_chips"
        return None

    def exceeds_pool_sums(self, event: Event) -> bool:
        """The two ranges that look at a whole pool."""
        if event.kind == "TeamConfigured":
            others = sum(
                team.stated_income
                for team in self.teams_of(event["pool"])
                if team.name != event["team"]
            )
            return others + event["income_micros_per_hour"] > INCOMES_OF_A_POOL
        if event.kind == "BudgetGranted" and event["amount_micros"] > 0:
            team = self.teams.get(event["team"])
            if team is not None:
                total = sum(self.balance(other) for other in self.teams_of(team.pool))
                return total + event["amount_micros"] > BALANCES_OF_A_POOL
        return False

    def accrue(self, now: int) -> None:
        """Section 6, Accrual: exact, in micro-credit * ms per hour."""
        passed = 0 if self.now is None else now - self.now
        for team in self.teams.values():
            team.income_due += team.income * passed
            for resource, cost in self.burn(team).items():
                team.charges[resource] = team.charges.get(resource, 0) + cost * passed
        for pool in self.pools.values():
            pool.inflow_due += pool.weight * passed
        for bid in self.bids.values():
            if bid.paid > 0:
                pool = self.pools[self.teams[bid.team].pool]
                cost = bid.paid * pool.x[bid.resource] * passed
                pool.outflow[bid.resource] = pool.outflow.get(bid.resource, 0) + cost
        self.now = now
        if self.settled_at is None:
            self.settled_at = now

    # What each event does.

    def on_PoolConfigured(self, event: Event) -> None:
        pool = self.pools.setdefault(event["pool"], PoolState(event["pool"]))
        pool.stated_weight = event["market_weight_micros_per_hour"]
        pool.lend_idle = event["lend_idle"]

    def on_TeamConfigured(self, event: Event) -> None:
        team = self.teams.setdefault(event["team"], TeamState(event["team"], event["pool"]))
        team.stated_income = event["income_micros_per_hour"]
        team.leverage = event["income_leverage_percent"]

    def on_BudgetGranted(self, event: Event) -> None:
        team = self.teams[event["team"]]
        mint, wallet = f"mint:{team.pool}", f"team:{team.name}"
        amount = event["amount_micros"]
        if amount > 0:
            self.books.post(team.pool, mint, wallet, amount)
            team.minted += amount
        else:
            taken = min(-amount, self.can_give(team, self.now))
            self.coverage["claw_backs_cut"] += taken < -amount
            self.coverage["claw_backs"] += taken > 0
            self.books.post(team.pool, wallet, mint, taken)
            team.minted -= taken

    def on_CreditsTransferred(self, event: Event) -> None:
        pool = self.teams[event["from_team"]].pool
        source, target = f"team:{event['from_team']}", f"team:{event['to_team']}"
        self.books.post(pool, source, target, event["amount_micros"])

    def on_SupplyChanged(self, event: Event) -> None:
        self.supply.setdefault(event["resource"], {})[event["owner"]] = event["chips"]

    def on_BidPlaced(self, event: Event) -> None:
        limit = event["limit_price_micros"]
        self.bids[event["bid"]] = BidState(
            name=event["bid"],
            team=event["team"],
            resource=event["resource"],
            chips=event["chips"],
            min_chips=event["min_chips"] or event["chips"],
            limit=None if limit == -1 else limit,
            priority=event["priority"],
            opportunistic=event["opportunistic"],
            standby=event["standby"],
            order=self.offset,
        )

    def on_BidAmended(self, event: Event) -> None:
        bid = self.bids[event["bid"]]
        before = bid.chips
        chips = before if event["chips"] is None else event["chips"]
        if event["min_chips"] is not None:
            bid.min_chips = event["min_chips"]
        elif bid.min_chips == before:
            bid.min_chips = chips
        else:
            bid.min_chips = min(bid.min_chips, chips)
        bid.chips = chips
        if chips > before:
            bid.order = self.offset
        if event["limit_price_micros"] is not None:
            limit = event["limit_price_micros"]
            bid.limit = None if limit == -1 else limit
        if event["priority"] is not None:
            bid.priority = event["priority"]
        if event["standby"] is not None:
            bid.standby = event["standby"]
        self.coverage["amend_moves_to_the_end"] += chips > before
        self.coverage["amend_releases"] += bid.held > chips
        self.coverage["amend_min_above_held"] += 0 < bid.held < bid.min_chips
        bid.release(max(0, bid.held - chips))

    def on_BidWithdrawn(self, event: Event) -> None:
        bid = self.bids[event["bid"]]
        bid.release(bid.held)
        bid.ended = True

    def on_ChipsPreempted(self, event: Event) -> None:
        bid = self.bids[event["bid"]]
        bid.release(min(bid.held, event["chips"]))
        if bid.held < bid.min_chips:
            self.coverage["fleet_preempts_the_rest"] += bid.held > 0
            bid.release(bid.held)
        if bid.held == 0:
            self.coverage["preempted_by_fleet"] += 1
            entry = {"bid": bid.name, "offset": self.offset, "reason": event["reason"]}
            self.preempted.append(entry)

    def on_UsageReported(self, event: Event) -> None:
        """Kept for reports; changes no state of the market."""

    def on_MarketConfigured(self, event: Event) -> None:
        self.stated_settings = dict(event.fields)

    def on_ClockTicked(self, event: Event) -> None:
        if self.last_tick is not None and self.now - self.last_tick > self.settings["cycle_ms"]:
            self.punctual = False
        self.last_tick = self.now
        boundary = self.now // self.settings["settlement_ms"] * self.settings["settlement_ms"]
        if boundary > self.settled_at:
            settle(self)
            self.settled_at = self.now
        if self.stated_settings != self.settings:
            self.coverage["settings_changes"] += 1
            self.punctual = self.punctual and self.last.offset is None
        self.settings = self.stated_settings
        for pool in self.pools.values():
            pool.weight = pool.stated_weight
        for team in self.teams.values():
            team.income = team.stated_income
        run_cycle(self)

    # What must always hold.

    def check(self) -> None:
        self.books.check()
        for resource, owners in self.last.supply.items():
            held = sum(bid.held for bid in self.bids.values() if bid.resource == resource)
            assert held <= sum(owners.values()), f"more {resource} given out than there is"
        for bid in self.bids.values():
            assert 0 <= bid.paid <= bid.held <= bid.chips
            assert 1 <= bid.min_chips <= bid.chips
            assert not (bid.ended and bid.held), "an ended bid holds chips"
            assert not (bid.opportunistic and bid.paid), "an opportunistic bid pays"
            assert bid.held == 0 or bid.resource in self.last.supply
        for team in self.teams.values():
            if self.punctual:
                assert team.uncollected == 0, "uncollected though every tick was in time"
        for name in self.pools:
            minted = -self.books.balance(name, f"mint:{name}")
            assert minted == sum(team.minted for team in self.teams_of(name))
            assert sum(team.charged for team in self.teams_of(name)) == sum(
                balance
                for account, balance in self.books.balances[name].items()
                if account.startswith("spent:")
            )
