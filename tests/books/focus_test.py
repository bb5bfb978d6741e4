#!/usr/bin/env python3
"""The export in the columns of FOCUS: its validator, the ledger, and chips counted anew."""

from __future__ import annotations

import csv
import json
import pathlib
import re
import site
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from datetime import datetime, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))

import python_env

if __name__ == "__main__":
    python_env.enter()

from books import BINARY, Json, export, run_tool
from market import awkward_market, make
from program import BAD_INPUT, USAGE, ProgramTest, run, small_market

MS_PER_HOUR = 3_600_000

# The validator's rules for 1.0 have these columns under the names of a draft.
VALIDATOR_COLUMNS = ["ChargeType", "InvoiceIssuer", "Provider", "Publisher", "ResourceID"]

COLUMNS_1_0 = """
    AvailabilityZone BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd
    BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargeFrequency ChargePeriodEnd
    ChargePeriodStart CommitmentDiscountCategory CommitmentDiscountId CommitmentDiscountName
    CommitmentDiscountStatus CommitmentDiscountType ConsumedQuantity ConsumedUnit ContractedCost
    ContractedUnitPrice EffectiveCost InvoiceIssuerName ListCost ListUnitPrice PricingCategory
    PricingQuantity PricingUnit ProviderName PublisherName RegionId RegionName ResourceId
    ResourceName ResourceType ServiceCategory ServiceName SkuId SkuPriceId SubAccountId
    SubAccountName Tags""".split()
COLUMNS_1_2 = """
    PricingCurrency PricingCurrencyContractedUnitPrice PricingCurrencyEffectiveCost
    PricingCurrencyListUnitPrice""".split()

Row = dict[str, str]


def read(file: pathlib.Path) -> list[Row]:
    with file.open(newline="") as opened:
        return list(csv.DictReader(opened))


def write(file: pathlib.Path, rows: list[Row]) -> pathlib.Path:
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file


def validate(file: pathlib.Path) -> str:
    """What the validator says; its exit status is 0 whatever it finds."""
    # It looks for its list of currencies where it is installed, beside the current folder.
    done = subprocess.run([sys.executable, "-m", "focus_validator.main", "--data-file", file,
                           "--validate-version", "1.0"],
                          cwd=site.getsitepackages()[0], capture_output=True, text=True,
                          timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Focus(ProgramTest):
    folder: tempfile.TemporaryDirectory[str]
    data: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="qmarket-books-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.data = pathlib.Path(cls.folder.name) / "data"
        make(awkward_market(), cls.data)

    def rows(self, *options: object) -> list[Row]:
        out = self.dir / f"focus-{len(list(self.dir.iterdir()))}"
        return read(export(self.data, "focus", out, *options))

    def test_columns(self) -> None:
        names = list(self.rows()[0])
        ours = [name for name in names if not name.startswith("x_")]
        self.assertEqual(ours, sorted(COLUMNS_1_0 + COLUMNS_1_2))
        self.assertEqual(names[len(ours):], sorted(names[len(ours):]))

    def test_the_validator_accepts_it(self) -> None:
        for options in ((), ("--rate", "1.25", "--billing-currency", "EUR"), ("--rate", "1"),
                        ("--to", self.rows()[0]["ChargePeriodEnd"])):
            with self.subTest(options):
                out = self.dir / f"valid-{len(list(self.dir.iterdir()))}"
                said = validate(export(self.data, "focus", out, "--validator-columns", *options))
                self.assertIn("Validation succeeded", said)
                self.assertNotIn("failed", said)

    def test_the_validators_columns_say_the_same(self) -> None:
        same = {"ChargeType": "ChargeCategory", "InvoiceIssuer": "InvoiceIssuerName",
                "Provider": "ProviderName", "Publisher": "PublisherName",
                "ResourceID": "ResourceId"}
        for row in self.rows("--validator-columns"):
            self.assertEqual([row[name] for name in same], [row[name] for name in same.values()])

    def test_under_the_names_of_1_0_it_misses_its_draft_names_alone(self) -> None:
        said = validate(write(self.dir / "names.csv", self.rows()))
        failed = set(re.findall(r"^(\w+) failed:", said, re.MULTILINE))
        self.assertEqual(failed, {f"{name}_Required" for name in VALIDATOR_COLUMNS
                                  if name != "ChargeType"} | {"SkuPriceId_Nullable"})

    def test_the_validator_refuses_a_spoiled_one(self) -> None:
        rows = self.rows("--validator-columns")

        def refused(name: str, change: Callable[[Row], Row]) -> None:
            spoiled = [change(rows[0]), *rows[1:]]
            if spoiled[0].keys() != rows[0].keys():
                spoiled = [change(row) for row in rows]
            said = validate(write(self.dir / f"{name}.csv", spoiled))
            self.assertEqual(re.findall(r"^(\w+) failed:", said, re.MULTILINE), [name])
            self.assertIn("Validation failed", said)

        refused("BilledCost_IsDecimal", lambda row: row | {"BilledCost": "much"})
        refused("BillingCurrency_IsCurrencyCode", lambda row: row | {"BillingCurrency": "CRD"})
        refused("ChargePeriodStart_IsDateTime", lambda row: row | {"ChargePeriodStart": "today"})
        refused("ServiceName_Required",
                lambda row: {key: row[key] for key in row if key != "ServiceName"})

    def test_costs_are_the_charges_of_the_ledger(self) -> None:
        rates = {"search": "1.5", "a:b": "0.000000001"}
        rows = self.rows("--rate", "1.25", *[option for pool, rate in rates.items()
                                             for option in ("--rate", f"{pool}={rate}")])
        charges: dict[tuple[str, str, str], int] = {}
        for item in run("transfers", "--kind", "charge", "--data", self.data, "--format",
                        "json").json()["transfers"]:
            resource = item["to"].removeprefix(f"spent:{item['currency']}:")
            key = str(item["offset"]), item["from"].removeprefix("team:"), resource
            charges[key] = item["amount_micros"]
        self.assertGreater(len(charges), 100)
        for row in rows:
            micros = charges.pop((row["x_Offset"], row["SubAccountId"], row["SkuId"]), 0)
            credits = Decimal(micros).scaleb(-6)
            rate = Decimal(rates.get(row["BillingAccountId"], "1.25"))
            self.assertEqual(Decimal(row["PricingCurrencyEffectiveCost"]), credits)
            for column in ("BilledCost", "EffectiveCost"):
                self.assertEqual(Decimal(row[column]), credits * rate)
            # What a team could not pay is in these two; the test below counts it.
            self.assertEqual(row["ListCost"], row["ContractedCost"])
            self.assertGreaterEqual(Decimal(row["ListCost"]), credits * rate)
        self.assertEqual(charges, {})

    def outcomes(self) -> list[Json]:
        done = run_tool(BINARY, "outcomes", "--data", self.data, "--format", "json")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_chips_times_prices_are_the_charges(self) -> None:
        """Counts chips and prices anew, from the outcomes, and holds both against the rows."""
        rows = {(int(row["x_Offset"]), row["SubAccountId"], row["SkuId"]): row
                for row in self.rows()}
        pools = {row["SubAccountId"]: row["BillingAccountId"] for row in rows.values()}
        bids: dict[str, tuple[tuple[str, str], int, int]] = {}
        prices: dict[tuple[str, str], int] = {}
        used: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
        due: dict[tuple[str, str], Fraction] = defaultdict(Fraction)
        now = 0
        compared = 0

        by_offset: dict[int, list[Json]] = defaultdict(list)
        for outcome in self.outcomes():
            by_offset[outcome["offset"]].append(outcome)
        for offset, outcomes in by_offset.items():
            times = [outcome["payload"]["time_ms"] for outcome in outcomes
                     if "time_ms" in outcome["payload"]]
            passed, now = max(times, default=now) - now, max(times, default=now)
            for key, chips, paid in bids.values():
                used[key][0] += chips * passed
                used[key][1] += paid * passed
                if paid:
                    due[key] += Fraction(paid * prices[key] * passed, MS_PER_HOUR)
            kinds = {outcome["payload"].get("kind") for outcome in outcomes
                     if outcome["payload_type"] == "CreditsPosted"}
            if kinds & {"income", "weight"}:
                for key, (held, paid, _) in used.items():
                    row = rows.pop((offset, *key), None)
                    self.assertEqual(row is not None, held > 0, (offset, key))
                    if row is None:
                        continue
                    self.assertEqual([int(row["x_ChipMilliseconds"]),
                                      int(row["x_PaidChipMilliseconds"])], [held, paid])
                    collected = int(due[key])
                    due[key] -= collected
                    self.assertEqual(Decimal(row["ListCost"]), Decimal(collected).scaleb(-6))
                    self.assert_quantities(row)
                    compared += 1
                used.clear()
            for outcome in outcomes:
                payload = outcome["payload"]
                if outcome["payload_type"] == "BidFilled":
                    bids[payload["bid"]] = ((payload["team"], payload["resource"]),
                                            payload.get("chips", 0), payload.get("paid", 0))
                elif outcome["payload_type"] == "MarketCleared":
                    for team, pool in pools.items():
                        for cleared in payload.get("pools", []):
                            if cleared["pool"] == pool:
                                prices[team, payload["resource"]] = \
                                    cleared.get("price_micros") or 0
        self.assertEqual(rows, {})
        self.assertGreater(compared, 100)

    def assert_quantities(self, row: Row) -> None:
        """Cut after 12 and 18 decimals, and otherwise exact."""
        held, paid = (Fraction(int(row[name]), MS_PER_HOUR)
                      for name in ("x_ChipMilliseconds", "x_PaidChipMilliseconds"))
        for exact, column in ((held, "ConsumedQuantity"), (paid, "PricingQuantity")):
            self.assertLess(exact - Fraction(row[column]), Fraction(1, 10**12))
            self.assertGreaterEqual(exact, Fraction(row[column]))
        if paid:
            price = Fraction(row["ListCost"]) / paid
            self.assertLess(price - Fraction(row["ListUnitPrice"]), Fraction(1, 10**18))
            self.assertGreaterEqual(price, Fraction(row["ListUnitPrice"]))

    def test_periods_meet(self) -> None:
        ends: dict[str, str] = {}
        for row in self.rows():
            self.assertLess(row["ChargePeriodStart"], row["ChargePeriodEnd"])
            self.assertEqual([row["BillingPeriodStart"], row["BillingPeriodEnd"]],
                             ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"])
            ends[row["x_ChargePeriodEndMs"]] = row["x_ChargePeriodStartMs"]
        starts = sorted(ends.values())
        self.assertEqual(starts[1:], sorted(ends)[:-1])

    def test_periods_side_by_side_have_each_row_once(self) -> None:
        everything = self.rows()
        ends = ("2026-01-01", "2026-01-01T00:20:00Z", "2026-01-02", "2026-01-03", "2026-01-04")
        for option in ("--until", "--to"):
            parts = [self.rows("--from", start, option, end) for start, end in zip(ends, ends[1:])]
            self.assertEqual([row for part in parts for row in part], everything)
            self.assertEqual(parts[1][-1]["ChargePeriodEnd"], "2026-01-02T00:00:00Z")
            self.assertTrue(all(parts), [len(part) for part in parts])
        self.assertEqual(self.rows("--from", ends[2]), parts[2] + parts[3])

    def test_a_day_of_costs_is_that_of_the_books_a_millisecond_later(self) -> None:
        """As docs/audit-export.md has it."""
        costs: dict[str, Decimal] = defaultdict(Decimal)
        for row in self.rows("--from", "2026-01-01T00:20:00Z", "--until", "2026-01-02"):
            costs[row["BillingAccountId"]] += Decimal(row["PricingCurrencyEffectiveCost"])

        def spent(*options: object) -> dict[str, Decimal]:
            out = self.dir / f"books-{len(list(self.dir.iterdir()))}"
            sums: dict[str, Decimal] = defaultdict(Decimal)
            for row in read(export(self.data, "csv", out, *options)):
                if row["kind"] == "charge" and row["account"].startswith("spent:"):
                    sums[row["currency"]] += Decimal(row["amount_micros"]).scaleb(-6)
            return sums

        paid = {pool: cost for pool, cost in costs.items() if cost}
        self.assertGreater(len(paid), 1)
        self.assertEqual(spent("--from", "2026-01-01T00:20:00.001Z", "--to", "2026-01-02"), paid)
        self.assertNotEqual(spent("--from", "2026-01-01T00:20:00Z", "--until", "2026-01-02"), paid)

    def test_a_month_is_a_billing_period(self) -> None:
        events = small_market()
        for month in (1, 2, 3):
            midnight = int(datetime(2026, month + 1, 1, tzinfo=timezone.utc).timestamp() * 1000)
            # In March the settlement comes late.
            for time_ms in (-60_000, 30_000 if month == 3 else 0, 7 * 60_000):
                events.add("ClockTicked", time_ms=midnight + time_ms)
        data = self.dir / "months"
        make(events, data)

        def rows(*options: object) -> list[Row]:
            return read(export(data, "focus", self.dir / f"m{len(list(self.dir.iterdir()))}",
                               *options))

        months = [f"2026-{month:02}-01" for month in range(1, 6)]
        parts = [rows("--from", start, "--until", end) for start, end in zip(months, months[1:])]
        self.assertEqual([row for part in parts for row in part], rows())
        for start, end, part in zip(months, months[1:], parts):
            self.assertEqual({(row["BillingPeriodStart"], row["BillingPeriodEnd"])
                              for row in part}, {(f"{start}T00:00:00Z", f"{end}T00:00:00Z")})
        self.assertEqual([part[-1]["ChargePeriodEnd"] for part in parts[:3]],
                         ["2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-31T23:59:00Z"])
        self.assertEqual({row["ChargePeriodStart"] for row in parts[3]
                          if row["ChargePeriodEnd"] == "2026-04-01T00:00:30Z"},
                         {"2026-03-31T23:59:00Z"})

    def test_parts_of_it(self) -> None:
        everything = self.rows()
        self.assertEqual(self.rows("--team", "vision"),
                         [row for row in everything if row["SubAccountId"] == "vision"])
        self.assertEqual(self.rows("--pool", "a:b"),
                         [row for row in everything if row["BillingAccountId"] == "a:b"])
        self.assertEqual(self.rows("--from", "2026-01-01T00:06:00Z", "--to", "2026-01-01T00:15:00Z"),
                         [row for row in everything if row["ChargePeriodEnd"] in
                          ("2026-01-01T00:10:00Z", "2026-01-01T00:15:00Z")])
        region = {row["RegionId"] for row in everything if row["SkuId"] == "h100@us-east"}
        self.assertEqual(region, {"us-east"})

    def test_bad_rates(self) -> None:
        def fails(status: int, fragment: str, *options: object) -> None:
            self.assert_fails(run("audit", "export", "--as", "focus", "--data", self.data,
                                  *options), status, fragment)

        for rate in ("-1", "1e3", "free", "1,5", "search=", "=2", "0.1234567891"):
            fails(USAGE, "is no rate", f"--rate={rate}")
        fails(USAGE, "given twice for pool search", "--rate", "search=1", "--rate", "search=2")
        fails(USAGE, "given twice for all pools", "--rate", "1", "--rate", "2")
        fails(BAD_INPUT, "--rate: no pool serach; did you mean search?", "--rate", "serach=1",
              "--rate", "1")
        fails(USAGE, "has no rate", "--rate", "search=1")
        self.assert_done(run("audit", "export", "--as", "focus", "--data", self.data, "--rate",
                             "search=1", "--pool", "search"))
        for currency in ("usd", "EURO", "U$D"):
            fails(USAGE, "is no currency", "--billing-currency", currency)


if __name__ == "__main__":
    unittest.main()
