"""What a comparison should have met, so that a rule never reached is seen in the summary."""

from __future__ import annotations

from collections import Counter

CLEARING = [
    "reference_positive",
    "reference_zero",
    "reference_null",
    "pool_price_null",
    "pool_price_blended",
    "pool_price_zero_under_p",
    "own_chips_only_price",
    "local_price_null_by_size",
    "lending",
    "set_aside_bids",
    "margin_ties",
    "price_test_refusals",
    "large_gangs_tried",
    "large_gangs_filled",
    "large_gangs_filled_running",
    "displaced_units",
    "displaced_of_other_pools",
    "left_alone",
    "elastic_part_fills",
    "unpaid_fills",
    "part_unpaid_fills",
    "set_aside_unpaid_fills",
    "opportunistic_fills",
    "unpaid_from_lenders",
]
REJECTIONS = [
    "duplicate",
    "id_reused",
    "out_of_range",
    "unknown_pool",
    "unknown_team",
    "unknown_bid",
    "bid_exists",
    "bid_ended",
    "min_exceeds_chips",
    "pool_is_fixed",
    "same_team",
    "different_pools",
    "insufficient_credits",
    "holds_no_chips",
]
EVENTS = [
    "PoolConfigured",
    "TeamConfigured",
    "BudgetGranted",
    "CreditsTransferred",
    "SupplyChanged",
    "BidPlaced",
    "BidAmended",
    "BidWithdrawn",
    "ChipsPreempted",
    "UsageReported",
    "MarketConfigured",
    "ClockTicked",
]
MARKET = (
    CLEARING
    + [
        "local_price_null_by_rate",
        "budget_give_ups",
        "pools_without_rate",
        "preempted_reclaimed (did not pay)",
        "preempted_limit",
        "preempted_over_budget",
        "preempted_supply_lost",
        "preempted_reclaimed (fewer lent)",
        "preempted_outbid",
        "preempted_by_fleet",
        "fleet_preempts_the_rest",
        "shrunk",
        "paid_to_unpaid",
        "settlements",
        "uncollected_of_teams",
        "uncollected_of_pools",
        "purse_lapses",
        "purse_above_its_limit",
        "settings_changes",
        "claw_backs",
        "claw_backs_cut",
        "amend_moves_to_the_end",
        "amend_releases",
        "amend_min_above_held",
        "late_events",
        "out_of_range_TeamConfigured",
        "out_of_range_BudgetGranted",
    ]
    + ["applied_" + kind for kind in EVENTS]
    + ["rejected_" + code for code in REJECTIONS]
)


class Reached:
    """Counts, by rule, how often it was met and in how many inputs."""

    def __init__(self) -> None:
        self.times: Counter[str] = Counter()
        self.inputs: Counter[str] = Counter()

    def add(self, counts: Counter[str]) -> None:
        self.times.update(counts)
        self.inputs.update(name for name, count in counts.items() if count > 0)

    def lines(self, expected: list[str]) -> list[str]:
        out = [f"  {'rule':36} {'inputs':>8} {'times':>9}"]
        for name in expected + sorted(set(self.times) - set(expected)):
            flag = "" if self.times[name] or name not in expected else "   NEVER REACHED"
            out.append(f"  {name:36} {self.inputs[name]:8} {self.times[name]:9}{flag}")
        return out
