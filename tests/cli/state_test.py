#!/usr/bin/env python3
"""The questions about a whole state: teams, pools, supply; and all that `replay` prints of it."""

import csv
import io
import unittest
from fractions import Fraction

from program import BAD_INPUT, START_MS, USAGE, ProgramTest, run, small_market

MINUTE_MS = 60_000
HOUR_MS = 3_600_000
COMMANDS = ("teams", "pools", "supply")


class States(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        self.events = small_market()
        start = START_MS + 11 * MINUTE_MS
        self.events.add("BudgetGranted", team="vision", amount_micros=7_000_000, memo="prize",
                        time_ms=start + 1)
        self.events.add("BidPlaced", bid="see-2", team="vision", resource="h100", chips=12,
                        min_chips=4, limit_price_micros=9_000_000, priority=-3, standby=False)
        self.events.add("BidPlaced", bid="spare", team="ranking", resource="a100", chips=3,
                        opportunistic=True)
        self.events.add("BidPlaced", bid="vast", team="bidding", resource="h100", chips=99)
        self.events.add("TeamConfigured", team="vision", pool="search",
                        income_micros_per_hour=30_000_000, income_leverage_percent=400)
        self.events.add("MarketConfigured", entry_margin_percent=10)
        self.events.add("ClockTicked", time_ms=start + MINUTE_MS)
        self.events.add("TeamConfigured", team="vision", pool="search",
                        income_micros_per_hour=1)  # not in force before the next tick
        self.assert_done(run("append", "-", "--data", self.data, stdin=self.events.text()))
        self.assert_done(run("run", "--once", "--data", self.data))
        self.last = len(self.events.lines) - 1

    def ask(self, *arguments: object) -> dict:
        return self.assert_done(run(*arguments, "--data", self.data, "--format", "json")).json()

    def moments(self) -> list[tuple[object, ...]]:
        return [(), ("--offset", self.last - 3), ("--at", START_MS + 5 * MINUTE_MS)]

    def test_teams_are_those_of_the_state(self) -> None:
        for moment in self.moments():
            with self.subTest(moment):
                answer = self.ask("teams", *moment)
                state = self.ask("replay", *moment)
                self.assertEqual((answer["offset"], answer["time_ms"]),
                                 (state["offset"], state["time_ms"]))
                self.assertEqual([item["team"] for item in answer["teams"]],
                                 sorted(state["teams"]))
                for item in answer["teams"]:
                    team = state["teams"][item["team"]]
                    self.assertEqual({key: item[key] for key in item if key in team},
                                     {key: team[key] for key in team if key in item})
                    bids = [bid for bid in state["bids"].values() if bid["team"] == item["team"]]
                    self.assertEqual(item["chips"], sum(bid["chips"] for bid in bids))
                    self.assertEqual(item["paid"], sum(bid["paid"] for bid in bids))
                    burn = sum(bid["paid"] * (state["resources"][bid["resource"]]["pools"]
                                              [item["pool"]]["price_micros"] or 0) for bid in bids)
                    self.assertEqual(item["burn_micros_per_hour"], burn)
                    drain = burn - item["income_micros_per_hour"]
                    self.assertEqual(item["lasts_ms"], item["balance_micros"] * HOUR_MS // drain
                                     if drain > 0 else None)

    def test_a_team(self) -> None:
        team = self.ask("teams", "--team", "vision")["teams"]
        self.assertEqual(len(team), 1)
        vision = team[0]
        self.assertEqual((vision["pool"], vision["income_micros_per_hour"],
                          vision["income_leverage_percent"]), ("search", 30_000_000, 400))
        balance = self.ask("balance", "vision")["balances"][0]["balance_micros"]
        self.assertEqual(vision["balance_micros"], balance)
        self.assertEqual(vision["minted_micros"] - vision["charged_micros"], balance)
        for cap, hours in (("enter_cap", 2), ("keep_cap", Fraction(1, 2))):
            self.assertEqual(vision[f"{cap}_micros_per_hour"],
                             min(30_000_000 + balance // hours, 4 * 30_000_000))
        self.assertEqual({item["team"] for item in self.ask("teams", "--pool", "ads")["teams"]},
                         {"bidding"})

    def test_a_balance_lasts_as_long_as_it_is_spent_faster_than_earned(self) -> None:
        lasts = [item["lasts_ms"] for offset in range(self.last + 1)
                 for item in self.ask("teams", "--offset", offset)["teams"]]
        self.assertTrue(any(lasts))
        self.assertIn(None, lasts)

    def test_pools_are_sums_over_their_teams(self) -> None:
        for moment in self.moments():
            with self.subTest(moment):
                pools = self.ask("pools", *moment)["pools"]
                teams = self.ask("teams", *moment)["teams"]
                state = self.ask("replay", *moment)
                self.assertEqual([item["pool"] for item in pools], ["ads", "search"])
                for item in pools:
                    own = [team for team in teams if team["pool"] == item["pool"]]
                    self.assertEqual(item["teams"], len(own))
                    for key, of_team in (("incomes_micros_per_hour", "income_micros_per_hour"),
                                         ("balances_micros", "balance_micros"),
                                         ("chips", "chips"), ("paid", "paid")):
                        self.assertEqual(item[key], sum(team[of_team] for team in own))
                    pool = state["pools"][item["pool"]]
                    for key in ("exchange_rate", "purse_micros", "uncollected_micros",
                                "market_weight_micros_per_hour", "lend_idle"):
                        self.assertEqual(item[key], pool[key])
                    decimal = Fraction(item["exchange_rate_decimal"])
                    exact = Fraction(item["exchange_rate"])
                    self.assertLessEqual(decimal, exact)
                    self.assertLess(exact - decimal, exact / 10**8)

    def test_shares_of_pools(self) -> None:
        pools = {item["pool"]: item for item in self.ask("pools")["pools"]}
        self.assertEqual([pools[pool]["weight_share_ppm"] for pool in ("search", "ads")],
                         [666_666, 333_333])
        prices = self.ask("replay")["resources"]
        spends = {"search": 0, "ads": 0}
        teams = {team["team"]: team["pool"] for team in self.ask("teams")["teams"]}
        for bid in self.ask("replay")["bids"].values():
            pool = teams[bid["team"]]
            price = prices[bid["resource"]]["pools"][pool]["reference_price_micros"]
            spends[pool] += bid["paid"] * price
        for pool, spend in spends.items():
            self.assertEqual(pools[pool]["spend_micros_per_hour"], spend)
            self.assertEqual(pools[pool]["spend_share_ppm"],
                             spend * 1_000_000 // sum(spends.values()))
        self.assertGreater(sum(spends.values()), 0)

    def test_before_the_first_cycle_there_are_no_shares_and_rates(self) -> None:
        for item in self.ask("pools", "--offset", 5)["pools"]:
            self.assertEqual((item["market_weight_micros_per_hour"], item["weight_share_ppm"],
                              item["exchange_rate"], item["exchange_rate_decimal"],
                              item["spend_share_ppm"]), (0, None, None, None, None))

    def test_supply(self) -> None:
        for moment in self.moments():
            with self.subTest(moment):
                items = self.ask("supply", *moment)["supply"]
                state = self.ask("replay", *moment)
                self.assertEqual({item["resource"] for item in items}, set(state["resources"]))
                for resource, figures in state["resources"].items():
                    rows = {item["owner"]: item for item in items if item["resource"] == resource}
                    whole = rows.pop("(all)")
                    self.assertEqual(whole["chips"], figures["supply"])
                    self.assertEqual(whole["allocated"], figures["allocated"])
                    self.assertEqual(whole["idle"], whole["chips"] - whole["allocated"])
                    self.assertEqual(whole["chips"], sum(row["chips"] for row in rows.values()))
                    self.assertEqual(rows.pop("(shared)")["chips"], figures["shared"])
                    for key in ("lent", "allocated", "paid", "wanted"):
                        self.assertEqual(whole[key], sum(row[key] for row in rows.values()))
                    for pool, row in rows.items():
                        self.assertEqual((row["chips"], row["lent"], row["wanted"]),
                                         tuple(figures["pools"][pool][key]
                                               for key in ("owned", "lent", "wanted")))

    def test_supply_of_a_resource_and_a_pool(self) -> None:
        rows = self.ask("supply", "--resource", "a100")["supply"]
        self.assertEqual([(row["resource"], row["owner"], row["chips"], row["lent"], row["idle"])
                          for row in rows],
                         [("a100", "(all)", 8, 4, 1), ("a100", "(shared)", 0, None, None),
                          ("a100", "ads", 8, 4, None), ("a100", "search", 0, 0, None)])
        self.assertEqual({row["owner"] for row in self.ask("supply", "--pool", "ads")["supply"]},
                         {"ads"})

    def test_the_state_is_the_whole_market(self) -> None:
        state = self.ask("replay")
        self.assertEqual(state["cycles"], 12)
        self.assertEqual(state["settings"], {
            "cycle_ms": 60_000, "settlement_ms": 300_000, "min_affordable_ms": 7_200_000,
            "keep_affordable_ms": 1_800_000, "entry_margin_percent": 10, "purse_hours": 168,
            "rules_version": 1})
        quotas = {(item["team"], item["resource"]): item["chips"]
                  for item in self.ask("allocations")["allocations"]}
        self.assertEqual({(name, resource): chips for name, team in state["teams"].items()
                          for resource, chips in team["quotas"].items()}, quotas)
        bids = {item["bid"]: item for item in self.ask("bids", "--state", "all")["bids"]}
        self.assertEqual(set(bids), set(state["bids"]))
        for name, bid in state["bids"].items():
            self.assertEqual({key: value for key, value in bid.items() if key != "place"},
                             {key: value for key, value in bids[name].items()
                              if key not in ("bid", "pool")})
            self.assertEqual(self.events.lines[bid["place"]]["payload"]["bid"], name)
        self.assertEqual([state["bids"][bid]["set_aside"] for bid in ("see-2", "vast")],
                         [False, True])
        for name in ("ads", "search"):
            self.assertIs(state["pools"][name]["lend_idle"], True)
        weights = {name: pool["market_weight_micros_per_hour"]
                   for name, pool in state["pools"].items()}
        self.assertEqual(weights, {"search": 100_000_000, "ads": 50_000_000})

    def test_csv_has_the_values_of_the_json(self) -> None:
        def text(value: object) -> str:
            words = {None: "", True: "true", False: "false"}
            return words[value] if value is None or isinstance(value, bool) else str(value)

        for command in COMMANDS:
            with self.subTest(command):
                ran = self.assert_done(run(command, "--data", self.data, "--format", "csv"))
                rows = list(csv.DictReader(io.StringIO(ran.out)))
                self.assertEqual(rows, [{key: text(value) for key, value in item.items()}
                                        for item in self.ask(command)[command]])
                self.assertGreater(len(rows), 0)
        ran = self.assert_done(run("replay", "--data", self.data, "--format", "csv"))
        rows = {(row["part"], row["name"], row["field"]): row["value"]
                for row in csv.DictReader(io.StringIO(ran.out))}
        state = self.ask("replay")
        expected = {("state", "", key): state[key] for key in ("offset", "time_ms", "digest",
                                                               "cycles")}
        expected.update({("settings", "", key): value
                         for key, value in state["settings"].items()})
        for part, below in (("teams", "quotas"), ("pools", None), ("resources", "pools"),
                            ("bids", None)):
            for name, figures in state[part].items():
                for key, value in figures.items():
                    if key != below:
                        expected[part, name, key] = value
                        continue
                    for inner, item in value.items():
                        if isinstance(item, dict):
                            expected.update({(part, name, f"{key}.{inner}.{field}"): leaf
                                             for field, leaf in item.items()})
                        else:
                            expected[part, name, f"{key}.{inner}"] = item
        self.assertEqual({key: value for key, value in rows.items()
                          if key[0] not in ("rejected", "preempted")},
                         {key: text(value) for key, value in expected.items()})

    def test_tables_are_for_people(self) -> None:
        for command, titles in (("teams", "team pool income cr/h"), ("pools", "pool weight cr/h"),
                                ("supply", "resource owner chips lent")):
            ran = self.assert_done(run(command, "--data", self.data))
            lines = ran.out.splitlines()
            self.assertEqual(lines[0], f"After offset {self.last}, 2026-01-01T00:12:01Z")
            self.assertTrue(" ".join(lines[2].split()).startswith(titles), lines[2])
        pools = self.assert_done(run("pools", "--data", self.data)).out
        self.assertRegex(pools, r"search +100(\.0+)? +66\.6 ")

    def test_wrong_names_and_options(self) -> None:
        for arguments, status, message in (
                (("teams", "--team", "visoin"), BAD_INPUT, "no team visoin; did you mean vision?"),
                (("pools", "--pool", "serch"), BAD_INPUT, "no pool serch; did you mean search?"),
                (("supply", "--resource", "h200"), BAD_INPUT, "no resource h200; did you mean"),
                (("teams", "--offset", "1000"), BAD_INPUT, "offset 1000 is not applied yet"),
                (("teams", "--at", "noon"), USAGE, "--at"),
                (("pools", "--from", "0"), USAGE, "--from"),
                (("supply", "--offset", "3", "--at", "0"), USAGE, "--offset")):
            with self.subTest(" ".join(arguments)):
                self.assert_fails(run(*arguments, "--data", self.data), status, message)

    def test_at_a_time_before_all(self) -> None:
        for command in COMMANDS:
            self.assertEqual(self.ask(command, "--at", 0),
                             {"offset": None, "time_ms": None, command: []})


class NoMarket(ProgramTest):
    def test_says_what_to_do_next(self) -> None:
        for command in COMMANDS:
            ran = run(command, "--data", self.dir / "missing")
            self.assert_fails(ran, BAD_INPUT, "no market here yet", "qmarket demo")

    def test_an_empty_market_answers(self) -> None:
        self.assert_done(run("run", "--once", "--data", self.dir))
        for command in COMMANDS:
            ran = self.assert_done(run(command, "--data", self.dir))
            self.assertRegex(ran.out, r"^No [\w ]+\.\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
