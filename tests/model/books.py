"""Double entry: one currency per pool and the reference currency (mechanism section 6)."""

from __future__ import annotations

from collections import defaultdict

REFERENCE = ""  # the reference currency; pools have names


class Books:
    """Balances by currency and account; an account may go below zero only as a source or sink."""

    def __init__(self) -> None:
        self.balances: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))

    def post(self, currency: str, source: str, target: str, amount: int) -> None:
        assert amount >= 0
        self.balances[currency][source] -= amount
        self.balances[currency][target] += amount

    def balance(self, currency: str, account: str) -> int:
        return self.balances[currency][account]

    def check(self) -> None:
        """Each currency adds up to zero; wallets, purses and sinks never go below it."""
        for currency, accounts in self.balances.items():
            assert sum(accounts.values()) == 0, f"currency {currency!r} does not add up"
            for account, balance in accounts.items():
                if account.split(":")[0] in ("team", "purse", "spent", "sold"):
                    assert balance >= 0, f"{account} of {currency!r} is at {balance}"
