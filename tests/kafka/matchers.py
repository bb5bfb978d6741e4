"""Runs the program: commands to their end, and matchers that live on."""

from __future__ import annotations

import json
import pathlib
import signal
import subprocess
from dataclasses import dataclass
from typing import Any

import setting
from waiting import wait_until


@dataclass
class Ran:
    status: int
    out: str
    err: str

    def done(self) -> "Ran":
        if self.status != setting.DONE:
            raise AssertionError(f"exit status {self.status}: {self.err}")
        return self

    def json(self) -> Any:
        return json.loads(self.done().out)


@dataclass
class Market:
    """Where a market is."""

    brokers: str
    name: str

    def topic(self, what: str) -> str:
        return f"qmarket.{self.name}.{what}"

    def run(self, command: str, *arguments: object, data: pathlib.Path | None = None,
            stdin: str = "", seconds: float = 900) -> Ran:
        """A command on the market; with `data`, one that has a store."""
        words = [command, *arguments, "--brokers", self.brokers, "--market", self.name]
        if command != "topics":
            words += ["--log", "kafka"]
        if data is not None:
            words += ["--data", data]
        done = subprocess.run([str(setting.BINARY), *map(str, words)], input=stdin, text=True,
                              capture_output=True, timeout=seconds, check=False)
        return Ran(done.returncode, done.stdout, done.stderr)

    def create(self, *options: str) -> None:
        self.run("topics", "create", *options).done()

    def append(self, lines: list[dict[str, Any]]) -> Any:
        text = "".join(json.dumps(line) + "\n" for line in lines)
        return self.run("append", "-", "--format", "json", stdin=text).json()


class Matcher:
    """`qmarket run --log kafka`, started any number of times. Each run has a log of its own."""

    def __init__(self, name: str, folder: pathlib.Path, market: Market, *options: object,
                 data: pathlib.Path | None = None) -> None:
        self.name = name
        self.data = data or folder / f"data-{name}"
        self.options = [str(option) for option in options]
        self._folder = folder
        self._market = market
        self._runs = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log_path(self) -> pathlib.Path:
        return self._folder / f"{self.name}.{self._runs}.log"

    def log(self) -> str:
        return self.log_path.read_text("utf-8", errors="replace")

    def start(self) -> "Matcher":
        self._runs += 1
        words = [str(setting.BINARY), "run", "--log", "kafka", "--brokers", self._market.brokers,
                 "--data", str(self.data)]
        if "--market" not in self.options:
            words += ["--market", self._market.name]
        with self.log_path.open("wb") as log:
            self._process = subprocess.Popen([*words, *self.options], stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log)
        return self

    def ended(self) -> int | None:
        """The exit status, once it has ended."""
        return None if self._process is None else self._process.poll()

    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def pause(self) -> None:
        self.send(signal.SIGSTOP)

    def resume(self) -> None:
        self.send(signal.SIGCONT)

    def terminate(self) -> None:
        self.send(signal.SIGTERM)

    def kill(self) -> None:
        process = self._process  # another thread may start the next one
        if process is not None:
            process.kill()
            process.wait()

    def stop(self, seconds: float = 120) -> int:
        """Has it end cleanly; gives the exit status."""
        self.send(signal.SIGTERM)
        return self.wait(seconds)

    def wait(self, seconds: float) -> int:
        assert self._process is not None
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError(f"{self.name} does not end within {seconds:.0f} s") from None

    def wait_for(self, text: str, seconds: float = 120) -> float:
        """Waits until this run has said so."""
        def said() -> bool:
            if text in self.log():
                return True
            if not self.running() and text not in self.log():
                raise AssertionError(f"{self.name} has ended with {self.ended()}: {self.log()}")
            return False
        return wait_until(said, seconds, f"{self.name} says {text!r}; see {self.log_path}")

    def gives(self, market: Market) -> bool | None:
        """Whether the group gives it the market, as it said last; none where it said nothing."""
        said = [line for line in self.log().splitlines() if "the group gives this matcher" in line]
        return market.name in said[-1].replace(",", "").split() if said else None

    def owns(self, market: Market) -> bool:
        """Whether it publishes, as it said last."""
        given = self.log().split("the group gives this matcher")[-1]
        return bool(self.gives(market)) and f"market {market.name}: owns the market" in given


def owner_and_standby(market: Market, matchers: list[Matcher], seconds: float = 300
                      ) -> tuple[Matcher, Matcher]:
    """Two matchers of one group, once it has made up its mind: it may move the market when the
    second one joins."""
    def settled() -> bool:
        return sorted(str(matcher.gives(market)) for matcher in matchers) == ["False", "True"] and \
            any(matcher.owns(market) for matcher in matchers)
    wait_until(settled, seconds, f"one of the group owns {market.name}")
    first, second = matchers
    return (first, second) if first.owns(market) else (second, first)
