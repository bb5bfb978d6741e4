"""Where one JSON document does not say what another says."""

from __future__ import annotations

from typing import Any

# Objects under these keys map names to things: a name too many is a difference there.
NAME_MAPS = ("teams", "pools", "resources", "bids", "quotas", "settings")


def differences(expected: Any, actual: Any, path: str = "") -> list[str]:
    """The paths at which `actual` lacks what `expected` has; other fields of `actual` are fine."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        found = []
        for key, value in expected.items():
            if key in actual:
                found += differences(value, actual[key], f"{path}.{key}")
            else:
                found.append(f"{path}.{key}: expected {value!r}, missing")
        if path.rsplit(".", 1)[-1] in NAME_MAPS:
            found += [f"{path}.{key}: not expected" for key in actual if key not in expected]
        return found
    if isinstance(expected, list) and isinstance(actual, list):
        found = []
        for i, (left, right) in enumerate(zip(expected, actual)):
            found += differences(left, right, f"{path}[{i}]")
        if len(expected) != len(actual):
            found.append(f"{path}: expected {len(expected)} entries, got {len(actual)}")
        return found
    if type(expected) is not type(actual) or expected != actual:
        return [f"{path}: expected {expected!r}, got {actual!r}"]
    return []
