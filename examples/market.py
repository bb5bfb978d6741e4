"""What the examples share: the generated modules, a market's topics and headers, errors."""

from __future__ import annotations

import argparse
import pathlib
import sys
from datetime import datetime, timedelta, timezone
from typing import Any, NoReturn
from urllib.parse import quote

try:
    import confluent_kafka
    import flatbuffers  # noqa: F401  (the generated modules need it)
except ImportError as error:
    sys.exit(f"{sys.argv[0]}: {error}: run pip install confluent-kafka flatbuffers")

# Exit statuses, those of qmarket.
DONE, BAD_DATA, USAGE, UNREACHABLE = range(4)

REACH_SECONDS = 10


def find_generated_modules() -> None:
    """Makes `import qmarket.fbs` work: from PYTHONPATH, else an installation, else a build."""
    here = pathlib.Path(__file__).resolve().parent
    builds = sorted(here.parent.glob("build/*/generated/python/events"))
    builds.sort(key=lambda folder: "/release/" not in folder.as_posix())
    sys.path += [str(here.parent / "python"), *map(str, builds)]
    try:
        import qmarket.fbs  # noqa: F401
    except ImportError:
        fail(USAGE, "the generated modules are missing: build qmarket, or set PYTHONPATH to"
                    " share/qmarket/python of an installation")


def fail(status: int, message: str) -> NoReturn:
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(status)


def arguments(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--brokers", default="127.0.0.1:19092", metavar="HOST:PORT,...",
                        help="default: %(default)s, what tools/kafka starts")
    parser.add_argument("--market", default="main", metavar="NAME", help="default: %(default)s")
    parser.add_argument("--topic-prefix", default="qmarket", metavar="TEXT",
                        help="how the names of the topics begin; default: %(default)s")
    return parser


def client_options(parsed: argparse.Namespace) -> dict[str, Any]:
    return {
        "bootstrap.servers": parsed.brokers,
        "log_level": 0,  # calls that fail say why; else a line each time that no broker answers
        "error_cb": lambda error: None,
    }


def topic_of(parsed: argparse.Namespace, kind: str) -> str:
    """Of kind "events" or "outcomes"."""
    return f"{parsed.topic_prefix}.{parsed.market}.{kind}"


def require_topic(client: confluent_kafka.Consumer | confluent_kafka.Producer, topic: str) -> None:
    """Ends the program unless the brokers answer and have the topic."""
    try:
        known = client.list_topics(topic, timeout=REACH_SECONDS).topics[topic]
    except confluent_kafka.KafkaException as error:
        fail(UNREACHABLE, f"no broker answers: {error.args[0].str()}")
    if known.error is not None:
        fail(BAD_DATA, f"{topic}: {known.error.str()}; is it the market's name? A market is made"
                       " with qmarket topics create")


def time_text(time_ms: int) -> str:
    """RFC 3339 with milliseconds, in UTC."""
    time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=time_ms)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def event_headers(
    market: str, event_id: str, source: str, kind: str, time_ms: int
) -> list[tuple[str, str | bytes]]:
    """The CloudEvents headers of an event (docs/asyncapi.yaml)."""
    path = f"/qmarket/{market}" + ("/" + quote(source, safe="-._~/:@") if source else "")
    return [
        ("ce_specversion", "1.0"),
        ("ce_id", event_id),
        ("ce_source", path),
        ("ce_type", f"qmarket.event.{kind}"),
        ("ce_time", time_text(time_ms)),
        ("content-type", "application/vnd.qmarket.event+flatbuffers"),
    ]
