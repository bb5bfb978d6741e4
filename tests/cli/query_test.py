#!/usr/bin/env python3
"""The queries: balance, prices, allocations, bids, transfers."""

import csv
import io
import json
import shutil
import unittest

from program import BAD_INPUT, START_MS, ProgramTest, run, small_market

MINUTE_MS = 60_000


class Queries(ProgramTest):
    """All on one market, made once."""

    data = None

    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        self.events = small_market()
        self.events.add("BudgetGranted", team="vision", amount_micros=7_000_000, memo="prize")
        self.events.add("CreditsTransferred", from_team="vision", to_team="ranking",
                        amount_micros=1_000_000)
        self.events.add("BidWithdrawn", bid="rank-1", reason="finished")
        self.events.add("ClockTicked", time_ms=START_MS + 12 * MINUTE_MS)
        self.assert_done(run("append", "-", "--data", self.data, stdin=self.events.text()))
        self.assert_done(run("run", "--once", "--data", self.data))
        self.last = len(self.events.lines) - 1

    def ask(self, *arguments: object) -> dict:
        ran = self.assert_done(run(*arguments, "--data", self.data, "--format", "json"))
        self.assertRegex(ran.err, r"\A(qmarket: rebuilt from .*\n)?\Z")
        return ran.json()

    def state(self, *options: object) -> dict:
        return self.ask("replay", *options)

    def test_balances_are_those_of_the_replay_at_every_offset(self) -> None:
        for offset in range(self.last + 1):
            with self.subTest(offset):
                answer = self.ask("balance", "--offset", offset)
                self.assertEqual(answer["offset"], offset)
                state = self.state("--offset", offset)
                self.assertEqual(answer["time_ms"], state["time_ms"])
                balances = {item["account"]: item["balance_micros"]
                            for item in answer["balances"]}
                for team, figures in state["teams"].items():
                    self.assertEqual(balances[f"team:{team}"], figures["balance_micros"])
                for pool, figures in state["pools"].items():
                    self.assertEqual(balances[f"purse:{pool}"], figures["purse_micros"])

    def test_balance_of_one(self) -> None:
        for name in ("vision", "team:vision"):
            balances = self.ask("balance", name)["balances"]
            self.assertEqual(len(balances), 1)
            self.assertEqual(balances[0]["account"], "team:vision")
            self.assertEqual(balances[0]["currency"], "search")
        ads = self.ask("balance", "--pool", "ads")["balances"]
        self.assertEqual([item["account"] for item in ads], ["purse:ads", "team:bidding"])

    def test_balances_of_a_pool_are_those_in_its_currency_and_its_purse(self) -> None:
        for pool in ("ads", "search"):
            for options in ((), ("--all",), ("--from", 0), ("--all", "--from", 0)):
                with self.subTest(pool, options=options):
                    everything = self.ask("balance", *options)["balances"]
                    self.assertEqual(self.ask("balance", "--pool", pool, *options)["balances"],
                                     [item for item in everything if item["currency"] == pool
                                      or item["account"] == f"purse:{pool}"])
        accounts = {item["account"]
                    for item in self.ask("balance", "--pool", "ads", "--all")["balances"]}
        self.assertLessEqual({"mint:ads", "purse:ads", "team:bidding"}, accounts)

    def test_all_accounts_of_a_currency_add_up_to_zero(self) -> None:
        sums: dict[str, int] = {}
        for item in self.ask("balance", "--all")["balances"]:
            sums[item["currency"]] = sums.get(item["currency"], 0) + item["balance_micros"]
        self.assertEqual(sums, {"search": 0, "ads": 0, "(reference)": 0})

    def test_balance_at_a_time_is_that_at_its_offset(self) -> None:
        at = self.ask("balance", "--at", START_MS + 5 * MINUTE_MS)
        self.assertEqual(at, self.ask("balance", "--at", "2026-01-01T00:05:00Z"))
        self.assertEqual(at, self.ask("balance", "--offset", at["offset"]))
        before = self.ask("balance", "--at", "2020-01-01")
        self.assertEqual((before["offset"], before["time_ms"]), (None, None))
        self.assertEqual({item["balance_micros"] for item in before["balances"]}, {0})

    def test_balance_history(self) -> None:
        points = self.ask("balance", "vision", "--from", START_MS)["balances"]
        self.assertEqual(points[-1]["balance_micros"],
                         self.ask("balance", "vision")["balances"][0]["balance_micros"])
        self.assertEqual(sorted(point["offset"] for point in points),
                         [point["offset"] for point in points])
        part = self.ask("balance", "vision", "--from", START_MS + 6 * MINUTE_MS, "--to",
                        START_MS + 11 * MINUTE_MS)["balances"]
        self.assertEqual(part, [point for point in points
                                if START_MS + 6 * MINUTE_MS <= point["time_ms"]
                                <= START_MS + 11 * MINUTE_MS])
        self.assertGreater(len(part), 0)
        for point in points:
            self.assertEqual(
                self.ask("balance", "vision", "--offset", point["offset"])["balances"][0]
                ["balance_micros"], point["balance_micros"])

    def test_balance_history_says_what_each_change_was_for(self) -> None:
        events = {offset: line for offset, line in enumerate(self.events.lines)}
        transfers = self.ask("transfers")["transfers"]
        for account in ("team:vision", "purse:search", "mint:search"):
            balance = 0
            points = self.ask("balance", account, "--from", 0)["balances"]
            self.assertGreater(len(points), 0)
            for point in points:
                postings = [item for item in transfers if item["offset"] == point["offset"]
                            and account in (item["from"], item["to"])]
                change = sum(item["amount_micros"] * (1 if item["to"] == account else -1)
                             for item in postings)
                balance += change
                self.assertEqual((point["change_micros"], point["balance_micros"]),
                                 (change, balance))
                self.assertEqual(point["kinds"],
                                 " ".join(dict.fromkeys(item["kind"] for item in postings)))
                event = events[point["offset"]]
                self.assertEqual((point["event_id"], point["event"]),
                                 (event["event_id"], event["payload_type"]))
        kinds = {(item["kinds"], item["event"])
                 for item in self.ask("balance", "vision", "--from", 0)["balances"]}
        self.assertLessEqual({("grant", "BudgetGranted"), ("transfer", "CreditsTransferred"),
                              ("income charge", "ClockTicked")}, kinds)

    def test_balance_history_of_all_accounts_is_by_offset_and_complete(self) -> None:
        points = self.ask("balance", "--all", "--from", 0)["balances"]
        self.assertEqual([(point["offset"], point["account"]) for point in points],
                         sorted((point["offset"], point["account"]) for point in points))
        last = {point["account"]: point["balance_micros"] for point in points}
        for item in self.ask("balance", "--all")["balances"]:
            self.assertEqual(last.get(item["account"], 0), item["balance_micros"])
        sums: dict[tuple[int, str], int] = {}
        for point in points:
            key = (point["offset"], point["currency"])
            sums[key] = sums.get(key, 0) + point["change_micros"]
        self.assertEqual(set(sums.values()), {0})

    def test_balance_history_without_the_log(self) -> None:
        full = self.ask("balance", "vision", "--from", 0)["balances"]
        away = ("--log", "kafka", "--brokers", "127.0.0.1:1", "--timeout", 1)
        shutil.rmtree(self.data / "log")
        for options in ((), away):
            with self.subTest(options):
                ran = self.assert_done(run("balance", "vision", "--from", 0, "--data", self.data,
                                           "--format", "json", *options))
                self.assertEqual(ran.err.count("without the events that made the changes"), 1)
                self.assertEqual(ran.json()["balances"],
                                 [{**point, "event": None, "event_id": None} for point in full])

    def test_prices_are_those_of_the_replay(self) -> None:
        for options in ((), ("--at", START_MS + 3 * MINUTE_MS)):
            with self.subTest(options):
                prices = self.ask("prices", *options)["prices"]
                resources = self.state(*options)["resources"]
                self.assertEqual({item["resource"] for item in prices}, {"a100", "h100"})
                for item in prices:
                    resource = resources[item["resource"]]
                    self.assertEqual(item["reference_price_micros"],
                                     resource["reference_price_micros"])
                    self.assertEqual(item["price_micros"],
                                     resource["pools"][item["pool"]]["price_micros"])
                    self.assertEqual(item["supply"], resource["supply"])

    def test_prices_before_the_first_cycle(self) -> None:
        self.assertEqual(self.ask("prices", "--at", START_MS)["prices"], [])
        ran = self.assert_done(run("prices", "--data", self.data, "--at", START_MS))
        self.assertIn("No prices yet.", ran.out)

    def test_price_history_has_changes_alone_unless_asked(self) -> None:
        every = self.ask("prices", "h100", "--pool", "search", "--from", START_MS, "--all")
        self.assertEqual([item["time_ms"] for item in every["prices"]],
                         [START_MS + minute * MINUTE_MS for minute in range(1, 13)])
        changes = self.ask("prices", "h100", "--pool", "search", "--from", START_MS)["prices"]
        self.assertEqual(changes[0], every["prices"][0])
        for last, item in zip(changes, changes[1:]):
            self.assertNotEqual((last["price_micros"], last["reference_price_micros"]),
                                (item["price_micros"], item["reference_price_micros"]))
        both = self.ask("prices", "--pool", "search", "--from", START_MS, "--all")["prices"]
        self.assertEqual([item for item in both if item["resource"] == "h100"], every["prices"])

    def test_price_history_begins_with_the_prices_in_force(self) -> None:
        key = ("resource", "pool", "price_micros", "reference_price_micros", "supply")
        for at in (5 * MINUTE_MS, 5 * MINUTE_MS + 30_000, 60 * MINUTE_MS):
            with self.subTest(at):
                now = self.ask("prices", "--at", START_MS + at)["prices"]
                self.assertGreater(len(now), 0)
                history = self.ask("prices", "--from", START_MS + at)["prices"]
                self.assertEqual([{name: item[name] for name in key}
                                  for item in history[:len(now)]],
                                 [{name: item[name] for name in key} for item in now])
                self.assertEqual([item["time_ms"] for item in history[:len(now)]],
                                 [item["cycle_time_ms"] for item in now])
        self.assertEqual(self.ask("prices", "--from", START_MS - 1, "--to", START_MS)["prices"], [])

    def test_price_history_says_when_a_price_ends(self) -> None:
        more = self.events
        number = len(more.lines)
        start = START_MS + 12 * MINUTE_MS
        more.add("BidWithdrawn", bid="auction-2", reason="finished", time_ms=start + 1)
        more.add("SupplyChanged", resource="a100", owner="ads", chips=0)
        more.add("ClockTicked", time_ms=start + MINUTE_MS)
        more.add("ClockTicked", time_ms=start + 2 * MINUTE_MS)
        more.add("SupplyChanged", resource="a100", owner="ads", chips=2)
        more.add("ClockTicked", time_ms=start + 3 * MINUTE_MS)
        text = "".join(json.dumps(line) + "\n" for line in more.lines[number:])
        self.assert_done(run("append", "-", "--data", self.data, stdin=text))
        self.assert_done(run("run", "--once", "--data", self.data))
        items = self.ask("prices", "a100", "--pool", "ads", "--from", start)["prices"]
        self.assertEqual([(item["time_ms"] - start, item["price_micros"], item["supply"])
                          for item in items],
                         [(0, 0, 8), (MINUTE_MS, None, 0), (3 * MINUTE_MS, 0, 2)])
        self.assertEqual([item["resource"] for item in
                          self.ask("prices", "--at", start + MINUTE_MS)["prices"]], ["h100"] * 2)

    def test_allocations_are_those_of_the_replay(self) -> None:
        teams = {line["payload"]["bid"]: (line["payload"]["team"], line["payload"]["resource"])
                 for line in self.events.lines if line["payload_type"] == "BidPlaced"}
        for offset in range(self.last + 1):
            with self.subTest(offset):
                expected: dict[tuple[str, str], int] = {}
                for bid, figures in self.state("--offset", offset)["bids"].items():
                    if figures["chips"]:
                        expected[teams[bid]] = expected.get(teams[bid], 0) + figures["chips"]
                actual = {(item["team"], item["resource"]): item["chips"]
                          for item in self.ask("allocations", "--offset", offset)["allocations"]}
                self.assertEqual(actual, expected)

    def test_allocations_are_filtered(self) -> None:
        for option, value, key in (("--team", "bidding", "team"), ("--pool", "ads", "pool"),
                                   ("--resource", "a100", "resource")):
            items = self.ask("allocations", option, value, "--all")["allocations"]
            self.assertGreater(len(items), 0)
            self.assertEqual({item[key] for item in items}, {value})

    def test_allocation_history(self) -> None:
        items = self.ask("allocations", "--team", "bidding", "--resource", "a100", "--from",
                         START_MS)["allocations"]
        self.assertEqual([(item["time_ms"], item["chips"]) for item in items],
                         [(START_MS + MINUTE_MS, 4)])

    def test_allocation_history_begins_with_the_quotas_in_force(self) -> None:
        for at in (MINUTE_MS, 5 * MINUTE_MS, 60 * MINUTE_MS):
            with self.subTest(at):
                quotas = {}
                history = self.ask("allocations", "--from", START_MS + at)["allocations"]
                before = [item for item in history if item["time_ms"] <= START_MS + at]
                self.assertEqual(history[:len(before)], before)
                for item in before:
                    quotas[item["team"], item["resource"]] = (item["chips"], item["time_ms"])
                now = self.ask("allocations", "--at", START_MS + at)["allocations"]
                self.assertEqual(quotas, {(item["team"], item["resource"]):
                                          (item["chips"], item["since_ms"]) for item in now})
                self.assertGreater(len(now), 0)

    def test_bids(self) -> None:
        bids = {item["bid"]: item for item in self.ask("bids")["bids"]}
        state = self.state()["bids"]
        self.assertEqual(set(bids), {"see-1", "auction-1", "auction-2"})
        for name, item in bids.items():
            self.assertEqual({key: state[name][key] for key in state[name] if key != "place"},
                             {key: item[key] for key in item if key not in ("bid", "pool")})
        self.assertEqual(bids["see-1"]["wanted"], 8)
        self.assertEqual(bids["see-1"]["min_chips"], 1)
        self.assertEqual(bids["see-1"]["limit_price_micros"], None)
        self.assertIs(bids["see-1"]["standby"], True)
        self.assertIs(bids["see-1"]["opportunistic"], False)
        self.assertEqual(len(self.ask("bids", "--state", "all")["bids"]), 4)
        ended = self.ask("bids", "--state", "ended")["bids"]
        self.assertEqual([item["bid"] for item in ended], ["rank-1"])
        self.assertEqual(self.ask("bids", "rank-1")["bids"], ended)
        self.assertEqual({item["bid"] for item in self.ask("bids", "--pool", "ads")["bids"]},
                         {"auction-1", "auction-2"})

    def test_bid_history(self) -> None:
        items = self.ask("bids", "auction-2", "--from", START_MS)["bids"]
        self.assertEqual([(item["change"], item["chips"], item["paid"], item["lost"])
                          for item in items], [("filled", 4, 4, None)])
        everything = self.ask("bids", "--from", START_MS)["bids"]
        self.assertEqual([item for item in everything if item["bid"] == "auction-2"], items)

    def test_bid_history_says_what_was_lost(self) -> None:
        start = len(self.events.lines)
        held = {item["bid"]: item["chips"] for item in self.ask("bids")["bids"]}["see-1"]
        self.assertGreater(held, 3)
        self.events.add("ChipsPreempted", bid="see-1", chips=3, reason="repair")
        self.events.add("ChipsPreempted", bid="see-1", chips=held - 3, reason="repair")
        text = "".join(json.dumps(line) + "\n" for line in self.events.lines[start:])
        self.assert_done(run("append", "-", "--data", self.data, stdin=text))
        self.assert_done(run("run", "--once", "--data", self.data))
        items = [item for item in self.ask("bids", "see-1", "--from", START_MS)["bids"]
                 if item["offset"] >= start]
        figures = {(item["offset"] - start, item["change"]):
                   (item["chips"], item["lost"], item["reason"]) for item in items}
        self.assertEqual(figures, {(0, "filled"): (held - 3, None, None),
                                   (0, "preempted"): (held - 3, 3, "repair"),
                                   (1, "filled"): (0, None, None),
                                   (1, "preempted"): (0, held - 3, "repair")})
        # What a bid gives up is no loss.
        given = self.ask("bids", "rank-1", "--from", START_MS)["bids"][-1]
        self.assertEqual((given["change"], given["chips"], given["lost"]), ("filled", 0, None))

    def test_transfers_explain_every_balance(self) -> None:
        balances: dict[str, int] = {}
        for item in self.ask("transfers")["transfers"]:
            for account, sign in ((item["from"], -1), (item["to"], 1)):
                balances[account] = balances.get(account, 0) + sign * item["amount_micros"]
        for item in self.ask("balance", "--all")["balances"]:
            self.assertEqual(balances.get(item["account"], 0), item["balance_micros"])

    def test_transfers_are_filtered(self) -> None:
        grants = self.ask("transfers", "--kind", "grant")["transfers"]
        self.assertEqual([(item["from"], item["to"], item["amount_micros"], item["currency"])
                          for item in grants],
                         [("mint:search", "team:vision", 7_000_000, "search")])
        transfers = self.ask("transfers", "--kind", "transfer", "--team", "ranking")["transfers"]
        self.assertEqual([item["amount_micros"] for item in transfers], [1_000_000])
        self.assertEqual(self.ask("transfers", "--to", START_MS)["transfers"], [])
        ads = self.ask("transfers", "--pool", "ads")["transfers"]
        self.assertEqual({item["currency"] for item in ads}, {"ads"})

    def test_csv_has_the_records_of_the_json(self) -> None:
        for command in ("balance", "prices", "allocations", "bids", "transfers"):
            with self.subTest(command):
                ran = self.assert_done(run(command, "--data", self.data, "--format", "csv"))
                rows = list(csv.DictReader(io.StringIO(ran.out)))
                answer = self.ask(command)
                items = answer[next(key for key in answer if key not in ("offset", "time_ms"))]
                words = {None: "", True: "true", False: "false"}
                self.assertEqual(rows, [{key: words[value] if value is None or
                                         isinstance(value, bool) else str(value)
                                         for key, value in item.items()} for item in items])
                self.assertGreater(len(rows), 0)

    def test_tables_are_for_people(self) -> None:
        ran = self.assert_done(run("balance", "vision", "--data", self.data))
        lines = ran.out.splitlines()
        self.assertEqual(lines[0], f"After offset {self.last}, 2026-01-01T00:12:00Z")
        self.assertEqual(lines[2].split(), ["account", "currency", "balance", "cr"])
        micros = self.ask("balance", "vision")["balances"][0]["balance_micros"]
        self.assertEqual(float(lines[3].split()[2].replace(",", "")), micros / 1e6)

    def test_unknown_names(self) -> None:
        for arguments, message in (
                (("balance", "visoin"), "no team visoin; did you mean vision?"),
                (("balance", "purse:serach"), "no account purse:serach; did you mean"),
                (("balance", "search"), "no team search: search is a pool; see --pool search, or "
                                        "its purse, purse:search"),
                (("balance", "--pool", "serch"), "no pool serch; did you mean search?"),
                (("prices", "h200"), "no resource h200; did you mean h100?"),
                (("prices", "h200", "--from", "0"), "no resource h200"),
                (("allocations", "--team", "x-ray-lab"), "no team x-ray-lab; there are bidding"),
                (("allocations", "--resource", "tpu-v5"), "no resource tpu-v5; there are a100"),
                (("bids", "--team", "Rankin"), "no team Rankin; did you mean ranking?"),
                (("bids", "rank-2"), "no bid rank-2; did you mean rank-1"),
                (("transfers", "--team", "nobody-at-all"), "no team nobody-at-all")):
            with self.subTest(" ".join(arguments)):
                self.assert_fails(run(*arguments, "--data", self.data), BAD_INPUT, message)

    def test_an_offset_that_is_not_applied_yet(self) -> None:
        for command in ("balance", "prices", "allocations", "bids", "transfers"):
            ran = run(command, "--data", self.data, "--offset", 1000)
            self.assert_fails(ran, BAD_INPUT, "offset 1000 is not applied yet",
                              f"the last one is {self.last}")


class NoMarket(ProgramTest):
    def test_says_what_to_do_next(self) -> None:
        for folder in (self.dir / "missing", self.dir):
            for command in ("balance", "prices", "allocations", "bids", "transfers", "replay"):
                with self.subTest(command):
                    ran = run(command, "--data", folder)
                    self.assert_fails(ran, BAD_INPUT, str(folder), "no market here yet",
                                      "qmarket demo", "qmarket run --once")
        self.assertEqual(list(self.dir.iterdir()), [])  # asking makes nothing

    def test_an_empty_market_answers(self) -> None:
        self.assert_done(run("run", "--once", "--data", self.dir))
        for command in ("balance", "prices", "allocations", "bids", "transfers"):
            with self.subTest(command):
                ran = self.assert_done(run(command, "--data", self.dir))
                self.assertRegex(ran.out, r"^No [\w ]+\.\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)
