"""What the tests of exported books share: running the accounting programs, and reading balances."""

from __future__ import annotations

import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from typing import Callable
from urllib.parse import unquote

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from program import BINARY, Json  # noqa: E402

PROGRAMS = ("hledger", "ledger", "bean-check", "bean-query")
TOOLS = ("hledger", "ledger", "beancount")
REFERENCE = "(reference)"  # the currency, as the program names it
LONG_S = 3000

# By account and currency, in micro-credits. Without those that are 0.
Balances = dict[tuple[str, str], int]


def skip_without_programs() -> None:
    """Ends the calling script where a program is missing."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} missing: run tools/install-deps --tests")
        sys.exit(0)


def run_tool(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(argument) for argument in arguments], capture_output=True, text=True,
                          timeout=LONG_S, check=False)


def export(data: pathlib.Path, form: str, out: pathlib.Path, *options: object) -> pathlib.Path:
    """Exports into the folder `out`; returns the file to begin with."""
    done = run_tool(BINARY, "audit", "export", "--data", data, "--as", form, "--out", out, *options)
    assert done.returncode == 0, done.stderr
    return pathlib.Path(re.fullmatch(r".*; begin with (.*)\n", done.stdout).group(1))


def check(form: str, book: pathlib.Path) -> subprocess.CompletedProcess[str]:
    """The program's own judgement, at its strictest."""
    if form == "hledger":
        return run_tool("hledger", "-f", book, "check", "--strict", "ordereddates")
    if form == "ledger":
        return run_tool("ledger", "--args-only", "-f", book, "--strict", "--pedantic", "source")
    return run_tool("bean-check", "--no-cache", book)


def complaint(form: str, book: pathlib.Path) -> str:
    """Empty where the program accepts the book without a word."""
    done = check(form, book)
    said = (done.stdout + done.stderr).strip()
    return said if said or done.returncode == 0 else f"exit status {done.returncode}"


def micros(amount: str) -> int:
    scaled = Decimal(amount).scaleb(6)
    assert scaled == int(scaled), amount
    return int(scaled)


def add_amounts(balances: Balances, account: str, amounts: str) -> None:
    """From `1.000000 search, -2.000000 "a.b"`."""
    for amount, quoted, plain in re.findall(r'(-?[0-9.]+) (?:"([^"]*)"|([^",]+))', amounts):
        commodity = quoted or plain
        currency = REFERENCE if commodity == "reference credits" else commodity
        balances[unquote(account.replace("~", ":")), currency] = micros(amount)


def hledger_balances(book: pathlib.Path) -> Balances:
    done = run_tool("hledger", "-f", book, "balance", "--flat", "--no-total", "-O", "csv")
    assert done.returncode == 0, done.stderr
    balances: Balances = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        add_amounts(balances, row["account"], row["balance"])
    return balances


def ledger_balances(book: pathlib.Path) -> Balances:
    done = run_tool("ledger", "--args-only", "-f", book, "balance", "--flat", "--no-total",
                    "--balance-format", "%(account)\t%(amount)\n")
    assert done.returncode == 0, done.stderr
    balances: Balances = {}
    for line in done.stdout.splitlines():
        account, amounts = line.split("\t")
        add_amounts(balances, account, amounts)
    return balances


def beancount_balances(book: pathlib.Path) -> Balances:
    """By the names that are kept beside the accounts and commodities."""
    question = ("select account, getitem(open_meta(account), 'name') as name, "
                "getitem(currency_meta(currency), 'name') as pool, sum(number) as total "
                "group by account, name, pool")
    done = run_tool("bean-query", "--no-errors", "--format", "csv", "--numberify", book, question)
    assert done.returncode == 0, done.stderr
    balances: Balances = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        row = {key: value.strip() for key, value in row.items()}
        currency = REFERENCE if row["pool"] == "reference credits" else row["pool"]
        if row["total"] and Decimal(row["total"]) != 0:
            balances[row["name"] or "equity:opening", currency] = micros(row["total"])
    return balances


BALANCES: dict[str, Callable[[pathlib.Path], Balances]] = {
    "hledger": hledger_balances,
    "ledger": ledger_balances,
    "beancount": beancount_balances,
}


def market_balances(data: pathlib.Path, *options: object) -> Balances:
    done = run_tool(BINARY, "balance", "--all", "--data", data, "--format", "json", *options)
    assert done.returncode == 0, done.stderr
    answer: Json = json.loads(done.stdout)
    return {(item["account"], item["currency"]): item["balance_micros"]
            for item in answer["balances"] if item["balance_micros"] != 0}
