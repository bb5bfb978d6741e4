"""Reads FlatBuffers schemas, as much of the language as ours use: tables, enums and unions."""

from __future__ import annotations

import pathlib
import re
from dataclasses import dataclass, field

INTEGERS = {
    "ubyte": (0, 2**8 - 1),
    "int": (-(2**31), 2**31 - 1),
    "uint": (0, 2**32 - 1),
    "long": (-(2**63), 2**63 - 1),
    "ulong": (0, 2**64 - 1),
}

BLOCK = re.compile(r"^(table|enum|union) (\w+)(?:: \w+)? \{(.*?)\}", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"(\w+): (\[?\w+\]?)(?: = (\S+))? \(([^)]*)\);")


@dataclass
class Field:
    type: str
    default: str | None  # as written; "null" where there is none
    required: bool


@dataclass
class Schema:
    tables: dict[str, dict[str, Field]] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    unions: dict[str, list[str]] = field(default_factory=dict)


def read(*paths: pathlib.Path) -> Schema:
    schema = Schema()
    for path in paths:
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for kind, name, body in BLOCK.findall(text):
            if kind == "table":
                fields = FIELD.findall(body)
                if len(fields) != body.count(";"):
                    raise ValueError(f"{path}: table {name}: a field of an unknown form")
                schema.tables[name] = {
                    key: Field(kind_of, default or None, "required" in attributes)
                    for key, kind_of, default, attributes in fields
                }
            else:
                into = schema.enums if kind == "enum" else schema.unions
                into[name] = re.findall(r"\w+", body)
    return schema
