"""`cmake --install` gives other programs what they need: the schemas in three forms and qmarket.

    install_test.py CMAKE FLATC BUILD_FOLDER
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("QMARKET_SOURCE_DIR", ".")).resolve()
CMAKE, FLATC, BUILD = sys.argv[1:4]

RECORDS = {
    "events": {
        "event_id": "e-1",
        "time_ms": 1767225600000,
        "payload_type": "BidPlaced",
        "payload": {"bid": "b", "team": "t", "resource": "h100", "chips": 64, "standby": False},
    },
    "outcomes": {
        "offset": 7,
        "index": 1,
        "payload_type": "EventRejected",
        "payload": {"event_id": "e-1", "offset": 7, "code": "unknown_team", "message": "none"},
    },
}


def tables_of(path: pathlib.Path) -> list[str]:
    return re.findall(r"^(?:table|enum|union) (\w+)", path.read_text("utf-8"), re.MULTILINE)


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="qmarket install ")
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = pathlib.Path(folder.name)
        subprocess.run(
            [CMAKE, "--install", BUILD, "--prefix", str(cls.prefix)],
            check=True, stdout=subprocess.DEVNULL,
        )
        cls.share = cls.prefix / "share/qmarket"

    def flatc(self, *arguments: object) -> None:
        run = subprocess.run([FLATC, *map(str, arguments)], capture_output=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_these_files_and_no_others_are_there(self) -> None:
        files = filter(pathlib.Path.is_file, self.prefix.rglob("*"))
        found = {path.relative_to(self.prefix).as_posix() for path in files}
        modules = {"qmarket/__init__", "qmarket/fbs/__init__"}
        for name in RECORDS:
            modules.update(f"qmarket/fbs/{t}" for t in tables_of(ROOT / f"events/{name}.fbs"))
        expected = {"bin/qmarket"}
        expected.update(f"share/qmarket/schemas/{n}{e}" for n in RECORDS for e in (".fbs", ".bfbs"))
        expected.update(f"share/qmarket/python/{module}.py" for module in modules)
        self.assertEqual(found, expected)

    def test_the_program_runs(self) -> None:
        program = self.prefix / "bin/qmarket"
        run = subprocess.run([program, "--help"], capture_output=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_each_form_of_the_schema_reads_and_writes_the_records(self) -> None:
        for name, record in RECORDS.items():
            for form in (".fbs", ".bfbs"):
                with self.subTest(schema=name + form), tempfile.TemporaryDirectory() as folder:
                    source = pathlib.Path(folder) / "record.json"
                    source.write_text(json.dumps(record), "utf-8")
                    schema = self.share / "schemas" / (name + form)
                    text_schema = self.share / "schemas" / (name + ".fbs")
                    self.flatc("--binary", "-o", folder, text_schema, source)
                    source.unlink()
                    binary = source.with_suffix(".bin")
                    self.flatc("--json", "--strict-json", "-o", folder, schema, "--", binary)
                    self.assertEqual(json.loads(source.read_text("utf-8")), record)

    def test_no_place_and_no_host_of_the_build_is_in_them(self) -> None:
        secrets = [str(ROOT), str(pathlib.Path(BUILD).resolve()), str(pathlib.Path.home())]
        if len(socket.gethostname()) > 6:
            secrets.append(socket.gethostname())
        for path in filter(pathlib.Path.is_file, self.share.rglob("*")):
            content = path.read_bytes()
            self.assertGreater(len(content) + (path.name == "__init__.py"), 0, path)
            for secret in secrets:
                self.assertNotIn(secret.encode(), content, path)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
