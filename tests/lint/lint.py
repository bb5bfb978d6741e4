#!/usr/bin/env python3
"""Checks the style and the layering of the repository.

    tests/lint/lint.py [--root DIR] [CHECK...]

Runs all checks, or those named: includes, purity, format, size, words, unfinished. Prints one line
"path:line: message" for each problem. Exit status: 0 none, 1 some, 2 usage. The tables are in
rules.py; lint_test.py shows that each check can fail.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

import rules

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
IGNORED_FOLDERS = {".git", ".cache", "build", "qmarket-data", "__pycache__", "node_modules"}


class Tree:
    """The files of a repository: those that git tracks, or all where there is no git."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.paths = sorted(p for p in self._list() if (self.root / p).is_file())

    def _list(self):
        if (self.root / ".git").exists() and shutil.which("git"):
            git = subprocess.run(
                ["git", "-C", str(self.root), "ls-files", "-z"], capture_output=True, check=False
            )
            if git.returncode == 0 and git.stdout:
                return git.stdout.decode().rstrip("\0").split("\0")
        found = (p.relative_to(self.root) for p in self.root.rglob("*"))
        return [p.as_posix() for p in found if not IGNORED_FOLDERS.intersection(p.parts)]

    def text(self, path):
        """The file's lines, or None where it is not text."""
        try:
            return (self.root / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            return None

    def cpp(self):
        return [p for p in self.paths if p.endswith((".h", ".cc"))]


def room_of(path):
    first = path.split("/")[0]
    return first if "/" in path and first in rules.ROOMS else None


def is_pure(path):
    if any(path.startswith(folder) for folder in rules.PURE_FOLDERS):
        return True
    return room_of(path) == "events" and not rules.IMPURE_EVENTS.match(path)


def includes_of(lines):
    """Yields (line number, bracket, name) for each #include."""
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def without_comments(lines):
    """The lines with comments and the contents of literals blanked, for checks on words of code."""
    text = "\n".join(lines)
    pattern = re.compile(
        r'R"([^()\s]*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\\\'\n])\''
        r"|//[^\n]*|/\*(?:.|\n)*?\*/"
    )
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text).split("\n")


def headers_with_outside_types(tree):
    """The headers that include one of rules.OUTSIDE_TYPES, themselves or through another header."""
    included = {}
    for path in tree.cpp():
        if path.endswith(".h"):
            included[path] = [name for _, _, name in includes_of(tree.text(path))]
    found = {p for p, names in included.items() if any(map(rules.OUTSIDE_TYPES.match, names))}
    found.update(rules.SHARED_OUTSIDE_TYPES)
    while True:
        more = {p for p, names in included.items() if p not in found and found.intersection(names)}
        if not more:
            return found
        found |= more


def check_includes(tree):
    """The direction of includes, their form, and that outside types stay in private headers."""
    private = headers_with_outside_types(tree)
    for path in tree.cpp():
        room, folder = room_of(path), path.rpartition("/")[0]
        for number, bracket, name in includes_of(tree.text(path)):
            target = room_of(name)
            if room and target and rules.ROOMS.index(target) > rules.ROOMS.index(room):
                yield path, number, f"{room} may not include {target}: {name}"
            if name.startswith(".") or (tree.root / folder / name).is_file():
                yield path, number, f"include from the repository root: {name}"
            if target and bracket == "<":
                yield path, number, f"our own headers are included with quotes: {name}"
            if name in private and name.rpartition("/")[0] != folder and room != "tests":
                if not (name in rules.SHARED_OUTSIDE_TYPES and path.endswith(".cc")):
                    yield path, number, f"{name} shows an outside library's types: it is private"


def check_purity(tree):
    """What the pure cores include, and that they have no floating point."""
    for path in filter(is_pure, tree.cpp()):
        lines = tree.text(path)
        for number, _, name in includes_of(lines):
            if room_of(name):
                if not is_pure(name):
                    yield path, number, f"a pure file may not include {name}, which is not pure"
            elif name in rules.IMPURE_HEADERS or rules.IMPURE_ABSEIL.match(name):
                yield path, number, f"a pure file may not include <{name}>"
            elif not name.startswith("absl/") and not re.fullmatch(r"[a-z_0-9]+", name):
                yield path, number, f"a pure file includes only std and Abseil, not {name}"
        for number, line in enumerate(without_comments(lines), 1):
            match = rules.FLOAT.search(line)
            if match:
                yield path, number, f"no floating point in a pure file: {match.group(0)}"


def check_format(tree):
    """clang-format 14 with the repository's .clang-format."""
    program = shutil.which("clang-format-14")
    if not program:
        yield "tests/lint/lint.py", 1, "clang-format-14 is missing: run tools/install-deps --tests"
        return
    files = tree.cpp()
    if not files:
        return
    run = subprocess.run(
        [program, "--style=file", "--dry-run", "-Werror", *files],
        cwd=tree.root, capture_output=True, text=True, check=False,
    )
    first_lines = {}
    for path, number in re.findall(r"^(\S.*?):(\d+):\d+: error: ", run.stderr, re.MULTILINE):
        first_lines.setdefault(path, int(number))
    for path, number in first_lines.items():
        yield path, number, "not formatted from here on: run clang-format-14 -i on it"
    if run.returncode != 0 and not first_lines:
        yield ".clang-format", 1, run.stderr.strip()


def check_size(tree):
    """No source or document is longer than the limit."""
    for path in tree.paths:
        if Path(path).suffix not in rules.SOURCE_SUFFIXES or rules.NOT_LIMITED.search(path):
            continue
        lines = tree.text(path)
        if lines is not None and len(lines) > rules.MAX_LINES:
            yield path, len(lines), f"{len(lines)} lines, more than {rules.MAX_LINES}: split it"


def check_pattern(tree, pattern, message):
    for path in tree.paths:
        for number, line in enumerate(tree.text(path) or [], 1):
            match = pattern.search(line)
            if match:
                yield path, number, f"{message}: {match.group(0)}"


def check_words(tree):
    """No path of one machine and no registry's host name."""
    return check_pattern(tree, rules.FORBIDDEN, "a machine's path or a registry's host")


def check_unfinished(tree):
    """No marks of work left undone."""
    return check_pattern(tree, rules.UNFINISHED, "finish it, or file it elsewhere")


CHECKS = {
    "includes": check_includes,
    "purity": check_purity,
    "format": check_format,
    "size": check_size,
    "words": check_words,
    "unfinished": check_unfinished,
}


def main():
    parser = argparse.ArgumentParser(description="Checks the style and layering of the repository.")
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2], help="repository")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(CHECKS))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.checks if name not in CHECKS]
    if unknown:
        parser.error(f"unknown check {unknown[0]}: expected one of {', '.join(CHECKS)}")
    tree = Tree(arguments.root)
    if not tree.paths:
        parser.error(f"no files in {tree.root}")
    problems = 0
    for name in arguments.checks or CHECKS:
        for path, number, message in CHECKS[name](tree):
            print(f"{path}:{number}: {message}")
            problems += 1
    print(f"lint: {len(tree.paths)} files, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
