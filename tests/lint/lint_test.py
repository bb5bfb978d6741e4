#!/usr/bin/env python3
"""Tests of the lint: a clean tree passes, and each planted violation fails its check."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

import rules  # noqa: E402  (needs the path above)

CLEAN = {
    "events/units.h": "#include <cstdint>\n",
    "events/codec.cc": '#include "events/event_generated.h"\n#include "events/units.h"\n',
    "events/wire_tables.h": '#include "events/event_generated.h"\n',
    "events/wire_tables_more.h": '#include "events/wire_tables.h"\n',
    "ledger/store/database.h": '#include "rocksdb/db.h"\n',
    "ledger/core/book.h": '#include <map>\n\n#include "absl/status/status.h"\n\n'
    '#include "events/units.h"\n\n// Double entry; "double" in a comment is fine.\n',
    "ledger/store/store.cc": '#include <chrono>\n\n#include "rocksdb/db.h"\n\n'
    '#include "events/rocksdb_status.h"\n#include "ledger/core/book.h"\n'
    '#include "ledger/store/database.h"\n\ndouble seconds = 0;\n',
    "matcher/core/market.cc": '#include "ledger/core/book.h"\n\n'
    'const char* kText = "a float in text // is fine";\n',
    "connectors/cli/main.cc": '#include <iostream>\n\n#include "matcher/core/market.h"\n',
    "tests/ledger/book_test.cc": '#include "ledger/core/book.h"\n',
    "docs/guide.md": "A page.\n",
}

CORE = "ledger/core/book.cc"

# Check, file, its contents: each is one violation planted in the clean tree.
VIOLATIONS = [
    ("includes", "events/a.cc", '#include "ledger/core/book.h"\n'),
    ("includes", "ledger/store/a.cc", '#include "matcher/core/market.h"\n'),
    ("includes", "matcher/core/a.h", '#include "replay/replay.h"\n'),
    ("includes", "replay/a.cc", '#  include "connectors/cli/main.h"\n'),
    ("includes", "connectors/a.cc", '#include "tests/support/paths.h"\n'),
    ("includes", "ledger/core/a.cc", '#include "book.h"\n'),
    ("includes", "ledger/core/a.cc", '#include "../../events/units.h"\n'),
    ("includes", "ledger/core/a.cc", "#include <events/units.h>\n"),
    ("includes", "replay/a.cc", '#include "ledger/store/database.h"\n'),
    ("includes", "ledger/store/a.cc", '#include "events/wire_tables_more.h"\n'),
    ("includes", "ledger/store/store.h", '#include "events/rocksdb_status.h"\n'),
    ("purity", CORE, "#include <rocksdb/db.h>\n"),
    ("purity", CORE, '#include "flatbuffers/flatbuffers.h"\n'),
    ("purity", CORE, "#include <openssl/evp.h>\n"),
    ("purity", CORE, "#include <CLI/CLI.hpp>\n"),
    ("purity", CORE, "#include <nlohmann/json.hpp>\n"),
    ("purity", CORE, "#include <httplib.h>\n"),
    ("purity", CORE, "#include <thread>\n"),
    ("purity", CORE, "#include <mutex>\n"),
    ("purity", "matcher/core/clearing.h", "#include <chrono>\n"),
    ("purity", "matcher/core/clearing.h", "#include <random>\n"),
    ("purity", CORE, "#include <fstream>\n"),
    ("purity", CORE, "#include <iostream>\n"),
    ("purity", CORE, "#include <unordered_map>\n"),
    ("purity", CORE, "#include <sys/time.h>\n"),
    ("purity", CORE, '#include "absl/time/clock.h"\n'),
    ("purity", CORE, '#include "absl/synchronization/mutex.h"\n'),
    ("purity", CORE, '#include "ledger/store/store.h"\n'),
    ("purity", "matcher/core/a.cc", '#include "matcher/process/process.h"\n'),
    ("purity", "events/event.h", "#include <mutex>\n"),
    ("purity", "events/event.h", '#include "events/codec.h"\n'),
    ("purity", CORE, "float x = 0;\n"),
    ("purity", CORE, "auto x = static_cast<double>(1); // why\n"),
    ("purity", "events/units.cc", "long /* why */ double x = 0;\n"),
    ("format", "events/units.h", "int  x;\n"),
    ("format", "tests/a_test.cc", "int f( ) { return 1; }\n"),
    ("size", "connectors/a.cc", "\n" * (rules.MAX_LINES + 1)),
    ("size", "docs/guide.md", "word\n" * (rules.MAX_LINES + 1)),
    ("size", "tools/run", "# word\n" * (rules.MAX_LINES + 1)),
    ("words", "docs/guide.md", f"Look into {rules.FORBIDDEN_PATHS[0]}main.\n"),
    ("words", "connectors/a.cc", f'const char* kPath = "{rules.FORBIDDEN_PATHS[1]}x";\n'),
    ("unfinished", "docs/guide.md", "To be done. " + "TO" + "DO: finish\n"),
    ("unfinished", "ledger/core/a.cc", "// FIX" + "ME(someone)\n"),
] + [("words", "tools/get", f"get https://{host}/x\n") for host in rules.REGISTRY_HOSTS]


class LintTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lint test "))
        self.addCleanup(shutil.rmtree, self.folder)

    def plant(self, files):
        shutil.copy(ROOT / ".clang-format", self.folder)
        for path, text in files.items():
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def lint(self, *arguments):
        return subprocess.run(
            [sys.executable, str(HERE / "lint.py"), "--root", str(self.folder), *arguments],
            capture_output=True, text=True, check=False,
        )

    def test_a_clean_tree_passes_every_check(self):
        self.plant(CLEAN)
        run = self.lint()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_each_violation_fails_its_check_and_no_other(self):
        for check, path, text in VIOLATIONS:
            with self.subTest(check=check, path=path, text=text[:60]):
                self.plant({**CLEAN, path: text})
                run = self.lint(check)
                (self.folder / path).unlink()
                self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
                self.assertIn(f"{path}:", run.stdout)
                self.assertIn(" 1 problems", run.stdout)

    def test_every_check_has_a_violation(self):
        run = self.lint("--help")
        for check in {check for check, _, _ in VIOLATIONS}:
            self.assertIn(check, run.stdout)
        listed = run.stdout.split("CHECK", 2)[2].split("options:")[0]
        names = {name.strip() for name in listed.replace("\n", " ").split(",")}
        self.assertEqual(names, {check for check, _, _ in VIOLATIONS})

    def test_in_a_git_tree_only_tracked_files_are_checked(self):
        if not shutil.which("git"):
            self.skipTest("git is not installed")
        self.plant({**CLEAN, "events/a.cc": '#include "ledger/core/book.h"\n'})
        git = ["git", "-C", str(self.folder)]
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "events/units.h"], check=True)
        self.assertEqual(self.lint("includes").returncode, 0)
        subprocess.run([*git, "add", "events/a.cc"], check=True)
        self.assertEqual(self.lint("includes").returncode, 1)

    def test_an_unknown_check_or_an_empty_tree_is_a_usage_error(self):
        self.assertEqual(self.lint("includes").returncode, 2)
        self.plant(CLEAN)
        self.assertEqual(self.lint("no-such-check").returncode, 2)


if __name__ == "__main__":
    unittest.main()
