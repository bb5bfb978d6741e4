"""docs/asyncapi.yaml is valid, says what events/*.fbs say, and what the program accepts."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any, Iterator

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import python_env  # noqa: E402  (needs the path above)

python_env.enter()

import yaml  # noqa: E402  (is in the environment alone)

import fbs  # noqa: E402

ROOT = python_env.SOURCE_DIR
DOCUMENT = ROOT / "docs/asyncapi.yaml"
SCHEMAS = ROOT / "docs/asyncapi-schemas.yaml"
PACKAGES = ROOT / "build/asyncapi"
BINARY = pathlib.Path(os.environ.get("QMARKET_BINARY", ROOT / "build/release/qmarket"))

Json = dict[str, Any]

document: Json = yaml.safe_load(DOCUMENT.read_text(encoding="utf-8"))
schemas: Json = yaml.safe_load(SCHEMAS.read_text(encoding="utf-8"))
wire = fbs.read(ROOT / "events/events.fbs", ROOT / "events/outcomes.fbs")
EVENTS, OUTCOMES = wire.unions["Payload"], wire.unions["OutcomePayload"]


def resolved(schema: Json) -> Json:
    """The schema that a reference refers to."""
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


class DocumentTest(unittest.TestCase):
    maxDiff = None

    def test_the_parser_of_asyncapi_finds_nothing_wrong(self) -> None:
        if not shutil.which("node") or not (PACKAGES / "node_modules").is_dir():
            self.skipTest("node or build/asyncapi is missing: run tools/test-packages")
        run = self.validate(DOCUMENT)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn(f"{len(EVENTS) + len(OUTCOMES) + 1} messages, 0 problems", run.stdout)

    def test_the_parser_would_find_what_is_wrong(self) -> None:
        if not shutil.which("node") or not (PACKAGES / "node_modules").is_dir():
            self.skipTest("node or build/asyncapi is missing: run tools/test-packages")
        with tempfile.TemporaryDirectory(prefix="qmarket-asyncapi-") as folder:
            for path in (DOCUMENT, SCHEMAS):
                text = path.read_text(encoding="utf-8").replace("boolean", "bolean")
                (pathlib.Path(folder) / path.name).write_text(text, encoding="utf-8")
            run = self.validate(pathlib.Path(folder) / DOCUMENT.name)
            self.assertEqual(run.returncode, 1, run.stdout + run.stderr)

    def validate(self, path: pathlib.Path) -> subprocess.CompletedProcess[str]:
        command = ["node", str(HERE / "validate.mjs"), str(path), str(PACKAGES)]
        return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)

    def test_every_type_is_a_message_of_its_topic(self) -> None:
        channels, messages = document["channels"], document["components"]["messages"]
        self.assertEqual(list(channels["events"]["messages"]), EVENTS)
        self.assertEqual(list(channels["outcomes"]["messages"]), OUTCOMES)
        self.assertEqual(list(messages), [*EVENTS, *OUTCOMES, "OutcomeJson"])
        for group, trait, names in (("event", "Event", EVENTS), ("outcome", "Outcome", OUTCOMES)):
            for name in names:
                with self.subTest(message=name):
                    message = messages[name]
                    ref = {"$ref": f"#/components/messages/{name}"}
                    self.assertEqual(channels[group + "s"]["messages"][name], ref)
                    self.assertEqual(
                        message["traits"], [{"$ref": f"#/components/messageTraits/{trait}"}]
                    )
                    ce_type = {"const": f"qmarket.{group}.{name}"}
                    self.assertEqual(message["headers"]["properties"]["ce_type"], ce_type)
                    base, own = message["payload"]["allOf"]
                    self.assertEqual(base["$ref"], f"./asyncapi-schemas.yaml#/{trait}")
                    self.assertEqual(
                        own["properties"],
                        {
                            "payload_type": {"const": name},
                            "payload": {"$ref": f"./asyncapi-schemas.yaml#/{name}"},
                        },
                    )
        mirrored = [one["$ref"] for one in messages["OutcomeJson"]["payload"]["oneOf"]]
        self.assertEqual(mirrored, [f"#/components/messages/{n}/payload" for n in OUTCOMES])

    def test_every_table_and_enum_is_as_in_the_schema(self) -> None:
        for name, values in wire.enums.items():
            self.assertEqual(schemas[name], {"type": "string", "enum": values})
        for name, fields in wire.tables.items():
            expected = list(fields)
            if "payload" in expected:
                expected.insert(expected.index("payload"), "payload_type")
            with self.subTest(table=name):
                self.assertEqual(list(schemas[name]["properties"]), expected)
                self.assertEqual(schemas[name]["type"], "object")
                self.assertEqual(set(schemas[name].get("required", [])), required(name))
            for key, field in fields.items():
                with self.subTest(table=name, field=key):
                    self.check_field(name, key, field)

    def check_field(self, table: str, key: str, field: fbs.Field) -> None:
        stated = schemas[table]["properties"][key]
        schema = resolved(stated)
        if field.type in fbs.INTEGERS:
            least, most = fbs.INTEGERS[field.type]
            self.assertEqual(schema["type"], "integer")
            self.assertGreaterEqual(schema.get("minimum", least), least)
            self.assertLessEqual(schema.get("maximum", most), most)
        elif field.type in wire.enums:
            self.assertEqual(stated, {"$ref": f"#/{field.type}"})
        elif field.type.startswith("["):
            self.assertEqual(stated, {"type": "array", "items": {"$ref": f"#/{field.type[1:-1]}"}})
        else:
            types = {"string": "string", "bool": "boolean", "Payload": "object",
                     "OutcomePayload": "object"}
            self.assertEqual(schema["type"], types[field.type])
        if table in EVENTS and field.default != "null":
            default = None if field.default is None else json.loads(field.default)
            self.assertEqual(schema.get("default"), default)


def required(table: str) -> set[str]:
    """The fields that the JSON form always has."""
    fields = wire.tables[table]
    if table in EVENTS or table == "Event":
        names = {k for k, f in fields.items() if f.required or f.default == "null"}
        names = {"bid"} if table == "BidAmended" else names
    else:
        names = {k for k, f in fields.items() if f.default != "null"}
    return names | ({"payload_type"} if "payload" in fields else set())


# What each payload needs beside its required fields, and limits that depend on other fields.
BASE: dict[str, Json] = {
    "UsageReported": {"bid": "b", "from_ms": 0, "to_ms": 1},
    "MarketConfigured": {
        "cycle_ms": 1000,
        "settlement_ms": 10000,
        "min_affordable_ms": 2592000000,
        "keep_affordable_ms": 2592000000,
    },
}
DEPENDENT = {
    ("MarketConfigured", "min_affordable_ms"),
    ("MarketConfigured", "keep_affordable_ms"),
    ("UsageReported", "bid"),
    ("UsageReported", "team"),
    ("UsageReported", "resource"),
}


def any_value(schema: Json) -> Any:
    if schema["type"] == "integer":
        return max(schema.get("minimum", 1), 1)
    return {"string": "a", "boolean": True}[schema["type"]]


def events(name: str) -> Iterator[tuple[str, bool, Json]]:
    """Payloads at the limits that the document states, and whether they are within them."""
    properties = {k: resolved(s) for k, s in schemas[name]["properties"].items()}
    base = {k: any_value(properties[k]) for k in schemas[name].get("required", [])}
    base.update(BASE.get(name, {}))
    yield "as it is", True, base
    yield "an unknown field", False, base | {"unknown": 1}
    for key, schema in properties.items():
        if key in base and key in schemas[name].get("required", []):
            yield f"no {key}", False, {k: v for k, v in base.items() if k != key}
        if (name, key) in DEPENDENT:
            continue
        for end, step in (("minimum", -1), ("maximum", 1)):
            if end in schema:
                yield f"{end} of {key}", True, base | {key: schema[end]}
                yield f"beyond the {end} of {key}", False, base | {key: schema[end] + step}
        if "not" in schema:
            yield f"what {key} may not be", False, base | {key: schema["not"]["const"]}
        if "pattern" in schema:
            yield f"{key} of 128 bytes", True, base | {key: "A" * 128}
            yield f"{key} of 129 bytes", False, base | {key: "A" * 129}
            yield f"a space in {key}", False, base | {key: "a b"}
            yield f"empty {key}", "{0," in schema["pattern"], base | {key: ""}


class ProgramTest(unittest.TestCase):
    """`qmarket append` takes what the document allows, and nothing else."""

    def append(self, lines: list[Json]) -> subprocess.CompletedProcess[str]:
        with tempfile.TemporaryDirectory(prefix="qmarket-asyncapi-") as folder:
            path = pathlib.Path(folder) / "events.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            return subprocess.run(
                [str(BINARY), "append", str(path), "--data", f"{folder}/data"],
                capture_output=True, text=True, timeout=60, check=False,
            )

    def test_the_limits_are_those_of_the_program(self) -> None:
        allowed: list[Json] = []
        for name in EVENTS:
            for what, good, payload in events(name):
                event = {
                    "event_id": f"e{len(allowed)}", "time_ms": 0, "payload_type": name,
                    "payload": copy.deepcopy(payload),
                }
                if good:
                    allowed.append(event)
                    continue
                with self.subTest(event=name, what=what):
                    run = self.append([event])
                    self.assertEqual(run.returncode, 1, f"{event}: {run.stdout}{run.stderr}")
        self.assertGreater(len(allowed), 50)
        run = self.append(allowed)
        self.assertEqual(run.returncode, 0, run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
