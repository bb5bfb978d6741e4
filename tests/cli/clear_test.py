#!/usr/bin/env python3
"""`qmarket clear`."""

import copy
import json
import unittest

from program import BAD_INPUT, ProgramTest, run

SNAPSHOT = {
    "resource": "h100",
    "shared": 8,
    "pools": [{
        "pool": "search", "owned": 0,
        "teams": [
            {"team": "t1", "budget_micros_per_hour": 400,
             "bids": [{"bid": "a", "chips": 10, "min_chips": 1}]},
            {"team": "t2", "budget_micros_per_hour": 300, "bids": [{"bid": "b", "chips": 4}]},
        ],
    }],
}

RESULT = {
    "resource": "h100",
    "reference_price_micros": 60,
    "shared_supply": 8,
    "pools": [{
        "pool": "search", "price_micros": 60, "lent": 0,
        "teams": [
            {"team": "t1", "quota": 8, "spend_micros_per_hour": 300,
             "bids": [{"bid": "a", "chips": 8, "paid": 5, "reservation_price_micros": 320,
                       "filled_as": "unpaid"}]},
            {"team": "t2", "quota": 0, "spend_micros_per_hour": 0,
             "bids": [{"bid": "b", "chips": 0, "paid": 0, "reservation_price_micros": 60,
                       "filled_as": None}]},
        ],
    }],
}


def changed(path: tuple[object, ...], value: object) -> dict:
    """The snapshot with one value replaced."""
    snapshot = copy.deepcopy(SNAPSHOT)
    place = snapshot
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return snapshot


class Clear(ProgramTest):
    def test_prints_the_contracts_document(self) -> None:
        path = self.write("snapshot.json", SNAPSHOT)
        for ran in (run("clear", path, "--format", "json"), run("clear", path),
                    run("clear", "-", stdin=json.dumps(SNAPSHOT))):
            self.assertEqual(self.assert_done(ran).json(), RESULT)
            self.assertEqual(ran.err, "")

    def test_prints_a_table(self) -> None:
        path = self.write("snapshot.json", SNAPSHOT)
        lines = self.assert_done(run("clear", path, "--format", "table")).out.splitlines()
        self.assertEqual(lines[0], "h100: reference price 0.00006 cr/h, 8 chips shared")
        self.assertEqual(lines[2].split()[:5], ["pool", "team", "bid", "chips", "paid"])
        self.assertEqual(lines[3].split(), ["search", "t1", "a", "8", "5", "0.00006", "0.00032",
                                            "unpaid"])

    def test_prints_csv(self) -> None:
        path = self.write("snapshot.json", SNAPSHOT)
        lines = self.assert_done(run("clear", path, "--format", "csv")).out.splitlines()
        self.assertEqual(lines[0], "pool,team,bid,chips,paid,price_micros,"
                                   "reservation_price_micros,filled_as")
        self.assertEqual(lines[1:], ["search,t1,a,8,5,60,320,unpaid", "search,t2,b,0,0,60,60,"])

    def test_no_pools_and_no_supply(self) -> None:
        ran = run("clear", "-", stdin='{"resource": "h100", "shared": 0, "pools": []}')
        self.assertEqual(self.assert_done(ran).json(),
                         {"resource": "h100", "reference_price_micros": None, "shared_supply": 0,
                          "pools": []})

    def test_prices_of_many_chips_do_not_fit_in_64_bits_and_stay_exact(self) -> None:
        snapshot = changed(("pools", 0, "teams", 0),
                           {"team": "t1", "budget_micros_per_hour": 10**18,
                            "bids": [{"bid": "a", "chips": 1_000_000}]})
        snapshot["shared"] = 999_999
        snapshot["pools"][0]["teams"][1] = {
            "team": "t2", "budget_micros_per_hour": 10**18,
            "bids": [{"bid": "b", "chips": 999_999}]}
        ran = self.assert_done(run("clear", "-", stdin=json.dumps(snapshot)))
        self.assertEqual(ran.json()["pools"][0]["teams"][1]["quota"], 999_999)

    def test_names_path_value_and_expectation(self) -> None:
        bid = ("pools", 0, "teams", 1, "bids", 0)
        for path, value, message in (
                ((*bid, "chips"), 1_000_001,
                 "pools[0].teams[1].bids[0].chips is 1000001, expected an integer from 1 to 1000000"),
                ((*bid, "min_chips"), 5,
                 "pools[0].teams[1].bids[0].min_chips is 5, expected an integer from 1 to 4"),
                ((*bid, "bid"), "a", "pools[0].teams[1].bids[0].bid is \"a\", expected an id"),
                ((*bid, "chip"), 5, "pools[0].teams[1].bids[0].chip is an unknown field"),
                ((*bid, "chips"), 4.5, "pools[0].teams[1].bids[0].chips is 4.5"),
                (("shared",), "8", "shared is \"8\""),
                (("pools",), None, "pools is null, expected an array")):
            with self.subTest(message):
                file = self.write("bad.json", changed(path, value))
                self.assert_fails(run("clear", file), BAD_INPUT, f"{file}: {message}")

    def test_refuses_what_json_readers_often_let_pass(self) -> None:
        text = json.dumps(SNAPSHOT)
        for bad, message in (
                (text.replace('"shared": 8', '"shared": 8, "shared": 9'),
                 "shared is given twice"),
                (text.replace('"shared": 8', '"shared": 18446744073709551624'),
                 "shared is 18446744073709551624, expected an integer of at most 64 bits"),
                (text.replace('"shared": 8', '"shared": NaN'), "not JSON: line 1"),
                (text[:-10], "not JSON: line 1"),
                (text + "{}", "not JSON: line 1"),
                ("", "not JSON"),
                ("[" * 100_000, "nested too deeply")):
            with self.subTest(message):
                self.assert_fails(run("clear", "-", stdin=bad), BAD_INPUT, "stdin: ", message)

    def test_lines_end_at_the_first_bad_one(self) -> None:
        good = json.dumps(SNAPSHOT)
        lines = f"{good}\n\n{good}\n{{}}\n{good}\n"
        ran = run("clear", "--lines", "-", stdin=lines)
        self.assertEqual(ran.status, BAD_INPUT)
        self.assertIn("stdin:4: resource is missing", ran.err)
        self.assertEqual([json.loads(line) for line in ran.out.splitlines()], [RESULT, RESULT])

    def test_a_last_line_without_a_line_feed_counts(self) -> None:
        ran = self.assert_done(run("clear", "--lines", "-", stdin=json.dumps(SNAPSHOT)))
        self.assertEqual(json.loads(ran.out), RESULT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
