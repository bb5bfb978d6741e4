#!/usr/bin/env python3
"""The matcher on Kafka against a bare librdkafka program on the same broker, in one run.

    tests/kafka_bench/run.py [--brokers HOST:PORT] [--events N] [--repeat N] [--seconds N]

Throughput: `qmarket run --once` consumes a topic of events, applies them, makes them durable and
publishes their outcomes; the bare program consumes the same topic and publishes the same outcomes,
with no market and no store. They take turns; the ratio of each pair is printed, and the median.

Latency: events at a tenth of that throughput, and the time until a reader of committed records has
the outcome of each.

Build before: cmake --build --preset release --target kafka_bench
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import python_env  # noqa: E402  (needs the path above)

python_env.enter()

from confluent_kafka.admin import AdminClient, NewTopic  # noqa: E402

BUILD = python_env.SOURCE_DIR / "build/release"
QMARKET = BUILD / "qmarket"
SETTING = {"max.message.bytes": "17825792", "retention.ms": "-1", "retention.bytes": "-1",
           "message.timestamp.type": "LogAppendTime", "cleanup.policy": "delete"}
LATENCY_MARKET = """\
{"event_id":"1","time_ms":0,"payload_type":"PoolConfigured","payload":{"pool":"pool"}}
{"event_id":"2","time_ms":0,"payload_type":"TeamConfigured","payload":{"team":"team","pool":"pool"}}
"""


def run(*command: object, text: str | None = None) -> str:
    done = subprocess.run([str(word) for word in command], input=text, capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr}")
    return done.stdout


class Bench:
    def __init__(self, brokers: str, folder: pathlib.Path) -> None:
        self.brokers = brokers
        self.folder = folder
        self.market = f"bench-{uuid.uuid4().hex[:8]}"
        self.events = f"qmarket.{self.market}.events"
        self.outcomes = f"qmarket.{self.market}.outcomes"
        self.admin = AdminClient({"bootstrap.servers": brokers})

    def on_kafka(self, command: str, *arguments: object, text: str | None = None) -> str:
        return run(QMARKET, command, *arguments, "--log", "kafka", "--brokers", self.brokers,
                   "--market", self.market, text=text)

    def make_market(self) -> None:
        run(QMARKET, "topics", "create", "--brokers", self.brokers, "--market", self.market)

    def make_anew(self, topic: str) -> None:
        for operation in self.admin.delete_topics([topic]).values():
            try:
                operation.result()
            except Exception:  # noqa: BLE001  (it was not there)
                pass
        while topic in self.admin.list_topics(timeout=30).topics:
            time.sleep(0.1)
        self.admin.create_topics([NewTopic(topic, 1, config=SETTING)])[topic].result()
        while topic not in self.admin.list_topics(timeout=30).topics:
            time.sleep(0.1)

    def market_seconds(self, number: int) -> float:
        start = time.monotonic()
        self.on_kafka("run", "--once", "--data", self.folder / f"data-{number}")
        return time.monotonic() - start

    def bare_seconds(self) -> tuple[float, int]:
        target = f"{self.outcomes}.bare"
        self.make_anew(target)
        seconds, records = run(BUILD / "tests/kafka_bench/kafka_bare", self.brokers, self.events,
                               self.outcomes, target).split()
        return float(seconds), int(records)


def throughput(bench: Bench, events: int, repeat: int) -> float:
    """Events a second, the median."""
    print(f"throughput: {events:,} events", flush=True)
    log = bench.folder / "log"
    run(BUILD / "tests/workload/make_log", "--events", events, log)
    lines = run(QMARKET, "events", "--data", log, "--format", "json")
    bench.make_market()
    bench.on_kafka("append", "-", text=lines)
    ratios, rates = [], []
    for number in range(repeat):
        if number > 0:
            bench.make_anew(bench.outcomes)
        market = bench.market_seconds(number)
        bare, records = bench.bare_seconds()
        ratios.append(bare / market)
        rates.append(events / market)
        print(f"  qmarket {events / market:9,.0f} events/s   bare {events / bare:9,.0f} events/s  "
              f" ratio {bare / market:.2f}   ({records:,} outcomes)", flush=True)
    print(f"  ratio, median of {repeat}: {statistics.median(ratios):.2f}", flush=True)
    return statistics.median(rates)


def latency(bench: Bench, rate: float, seconds: int) -> None:
    count = int(rate * seconds)
    print(f"latency: {count:,} events, {rate:,.0f} a second", flush=True)
    bench.make_market()
    bench.on_kafka("append", "-", text=LATENCY_MARKET)
    matcher = subprocess.Popen(
        [str(QMARKET), "run", "--log", "kafka", "--brokers", bench.brokers, "--market",
         bench.market, "--data", str(bench.folder / "latency")],
        stderr=subprocess.PIPE, text=True,
    )
    assert matcher.stderr is not None
    while "owns the market" not in (line := matcher.stderr.readline()):
        if not line:
            sys.exit("qmarket run ended")
    found = run(BUILD / "tests/kafka_bench/kafka_latency", bench.brokers, bench.events,
                bench.outcomes, count, rate).split()
    matcher.terminate()
    matcher.communicate()
    print(f"  from the append to the outcome: p50 {found[1]} ms, p99 {found[2]} ms, "
          f"longest {found[3]} ms", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--brokers", default=os.environ.get("QMARKET_KAFKA_BROKERS") or
                        "127.0.0.1:19092", help="default: %(default)s")
    parser.add_argument("--events", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--repeat", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--seconds", type=int, default=20, help="of the latency; %(default)s")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="qmarket-bench-") as folder:
        rate = throughput(Bench(arguments.brokers, pathlib.Path(folder)), arguments.events,
                          arguments.repeat)
        latency(Bench(arguments.brokers, pathlib.Path(folder)), rate / 10, arguments.seconds)


if __name__ == "__main__":
    main()
