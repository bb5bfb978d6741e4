"""What the tests of this folder need. Importing it skips the test where something is missing.

    QMARKET_KAFKA_BROKERS     a cluster for markets of the tests' own; some tests also start one
    QMARKET_BINARY            the program (default build/release/qmarket)
    QMARKET_PYTHON_MODULES    modules of the schemas (default: those beside the program)
"""

from __future__ import annotations

import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import python_env  # noqa: E402  (needs the path above)

ROOT = python_env.SOURCE_DIR
BROKERS = os.environ.get("QMARKET_KAFKA_BROKERS", "")
BINARY = pathlib.Path(os.environ.get("QMARKET_BINARY", ROOT / "build/release/qmarket")).resolve()
MODULES = pathlib.Path(os.environ.get(
    "QMARKET_PYTHON_MODULES", BINARY.parent / "generated/python/events"))

DONE, BAD_DATA, USAGE, UNREACHABLE, VERIFICATION_FAILED = range(5)


def skip(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(0)


if not BROKERS:
    skip("QMARKET_KAFKA_BROKERS is empty: set it to the address of a Kafka cluster")
if shutil.which("java") is None:
    skip("java is missing: run tools/install-deps --tests")
if not (MODULES / "qmarket/fbs/Outcome.py").exists():
    skip(f"{MODULES} has no modules of the schemas: build all targets")
python_env.enter()
sys.path.insert(0, str(MODULES))


def client(brokers: str, **properties: object) -> dict[str, object]:
    """A client's properties; what it says of brokers that are away is no news here."""
    return {"bootstrap.servers": brokers, "log_level": 2} | {
        name.replace("_", "."): value for name, value in properties.items()}
