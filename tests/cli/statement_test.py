#!/usr/bin/env python3
"""`qmarket audit statement`, held against openssl's own command line."""

import base64
import json
import os
import random
import shutil
import stat
import subprocess
import unittest

from program import (BAD_INPUT, BINARY, DONE, START_MS, USAGE, VERIFICATION_FAILED, ProgramTest, Ran, run,
                     small_market)

MINUTE_MS = 60_000


def openssl(*arguments: object) -> subprocess.CompletedProcess:
    return subprocess.run(["openssl", *map(str, arguments)], capture_output=True, check=False,
                          timeout=60)


def body_bytes(document: dict) -> bytes:
    """What is signed, as docs/statement.md has it."""
    return json.dumps(document["body"], sort_keys=True, separators=(",", ":")).encode()


def state(*arguments: object, **options) -> Ran:
    return run("audit", "statement", *arguments, **options)


class Statements(ProgramTest):
    def setUp(self) -> None:
        super().setUp()
        self.data = self.dir / "data"
        events = small_market()
        self.assert_done(run("append", "-", "--data", self.data, stdin=events.text()))
        self.assert_done(run("run", "--once", "--data", self.data))
        self.last = len(events.lines) - 1
        self.key = self.dir / "key.pem"
        self.public = self.dir / "public.pem"
        self.assertEqual(openssl("genpkey", "-algorithm", "ed25519", "-out",
                                 self.key).returncode, 0)
        self.assertEqual(openssl("pkey", "-in", self.key, "-pubout", "-out",
                                 self.public).returncode, 0)

    def make(self, *arguments: object) -> str:
        ran = self.assert_done(state("--data", self.data, *arguments))
        self.assertEqual(ran.err, "")
        return ran.out

    def sign(self, *arguments: object) -> str:
        return self.make("--key", self.key, *arguments)

    def verify(self, text: str | bytes, *arguments: object) -> Ran:
        path = self.write("statement.json", text)
        return state("--verify", path, "--data", self.data, *arguments)

    def assert_refused(self, ran: Ran, *fragments: str) -> None:
        self.assert_fails(ran, VERIFICATION_FAILED, *fragments)

    # What is in it.

    def test_states_the_books_of_every_offset(self) -> None:
        for offset in range(self.last + 1):
            with self.subTest(offset):
                body = json.loads(self.make("--offset", offset))["body"]
                rebuilt = self.assert_done(run("replay", "--data", self.data, "--offset", offset,
                                               "--format", "json")).json()
                self.assertEqual((body["offset"], body["effective_time_ms"], body["digest"]),
                                 (offset, rebuilt["time_ms"], rebuilt["digest"]))
                balances = run("balance", "--all", "--data", self.data, "--offset", offset,
                               "--format", "json").json()["balances"]
                stated = {(item["account"], item["currency"]): item["balance_micros"]
                          for item in body["balances"]}
                for item in balances:
                    self.assertEqual(stated.get((item["account"], item["currency"]), 0),
                                     item["balance_micros"])
                self.assertEqual(body["accounts"], len(body["balances"]))
                sums: dict[str, int] = {}
                for item in body["balances"]:
                    sums[item["currency"]] = (sums.get(item["currency"], 0)
                                              + item["balance_micros"])
                self.assertLessEqual(set(sums.values()), {0})
        self.assertGreater(body["accounts"], 5)
        self.assertEqual({key: body[key] for key in ("market", "type", "version")},
                         {"market": "main", "type": "qmarket-statement", "version": 1})

    def test_of_a_time_and_of_now(self) -> None:
        at = self.sign("--at", START_MS + 5 * MINUTE_MS)
        self.assertEqual(at, self.sign("--at", "2026-01-01T00:05:00Z"))
        self.assertEqual(at, self.sign("--offset", json.loads(at)["body"]["offset"]))
        self.assertEqual(self.sign(), self.sign("--offset", self.last))

    def test_stays_the_same_when_the_market_goes_on(self) -> None:
        before = self.sign("--offset", self.last - 3)
        more = small_market()
        start = len(more.lines)
        more.add("PoolConfigured", pool="late", market_weight_micros_per_hour=1_000_000)
        more.add("TeamConfigured", team="new", pool="late", income_micros_per_hour=5)
        more.add("BudgetGranted", team="new", amount_micros=5)
        more.add("ClockTicked", time_ms=START_MS + 20 * MINUTE_MS)
        text = "".join(json.dumps(line) + "\n" for line in more.lines[start:])
        self.assert_done(run("append", "-", "--data", self.data, stdin=text))
        self.assert_done(run("run", "--once", "--data", self.data))
        self.assertEqual(self.sign("--offset", self.last - 3), before)
        self.assert_done(self.verify(before))
        self.assertIn("team:new", self.sign())

    def test_says_in_a_table_what_it_states(self) -> None:
        ran = self.assert_done(state("--data", self.data, "--key", self.key, "--format", "table"))
        self.assertIn(f"After offset {self.last}, 2026-01-01T00:11:00Z", ran.out)
        self.assertRegex(ran.out, r"team:vision +search +1\.416668")
        self.assertIn("signed with the key MCowBQYDK2VwAyEA", ran.out)
        self.assertIn("not signed", self.make("--format", "table"))

    # The signature.

    def test_openssl_verifies_it(self) -> None:
        document = json.loads(self.sign())
        body = self.write("body", body_bytes(document))
        signature = self.write("signature", base64.b64decode(document["signature"]))
        public = self.write("from-statement.pem", "-----BEGIN PUBLIC KEY-----\n"
                            f"{document['public_key']}\n-----END PUBLIC KEY-----\n")
        self.assertEqual(public.read_bytes(), self.public.read_bytes())
        verify = ("pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-sigfile", signature)
        done = openssl(*verify, "-in", body)
        self.assertEqual(done.returncode, 0, done)
        body.write_bytes(body_bytes(document).replace(b"main", b"mine"))
        self.assertNotEqual(openssl(*verify, "-in", body).returncode, 0)

    def test_openssl_makes_the_same_signature(self) -> None:
        document = json.loads(self.sign())
        body = self.write("body", body_bytes(document))
        done = openssl("pkeyutl", "-sign", "-inkey", self.key, "-rawin", "-in", body)
        self.assertEqual(base64.b64encode(done.stdout).decode(), document["signature"])

    def test_the_signed_bytes_are_those_of_the_document(self) -> None:
        text = self.sign()
        document = json.loads(text)
        self.assertEqual(text, '{"body":' + body_bytes(document).decode() +
                         f',"public_key":"{document["public_key"]}"'
                         f',"signature":"{document["signature"]}"}}\n')

    # Verification.

    def test_verifies(self) -> None:
        text = self.sign("--offset", 15)
        ran = self.assert_done(self.verify(text, "--public-key", self.public))
        self.assertIn("The signature is good: market main, offset 15", ran.out)
        self.assertIn("The books say the same", ran.out)
        self.assertNotIn("not who signed it", ran.out)
        ran = self.assert_done(self.verify(text))
        self.assertIn("not who signed it", ran.out)
        answer = self.assert_done(self.verify(text, "--format", "json")).json()
        self.assertEqual({key: answer[key] for key in (
            "verified", "expected_key", "held_against_books", "offset", "market")},
            {"verified": True, "expected_key": False, "held_against_books": True, "offset": 15,
             "market": "main"})
        ran = self.assert_done(state("--verify", "-", "--data", self.data, stdin=text))
        self.assertIn("The signature is good", ran.out)

    def test_verifies_without_books_and_says_so(self) -> None:
        path = self.write("statement.json", self.sign())
        done = subprocess.run([os.path.abspath(BINARY), "audit", "statement", "--verify", path],
                              cwd=self.dir, capture_output=True, check=False, timeout=60)
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn(b"Not held against any books: qmarket-data has no ledger", done.stdout)
        self.assert_fails(state("--verify", path, "--data", self.dir / "missing"), BAD_INPUT,
                          "no market here yet")

    def test_changed_bytes_are_refused(self) -> None:
        text = self.sign("--offset", self.last).encode()
        # The unit test tries all of them; here, the program says so.
        for place in range(0, len(text), 5):
            changed = bytearray(text)
            changed[place] ^= 1 << (place % 7)
            with self.subTest(place):
                ran = self.verify(bytes(changed))
                self.assertEqual(ran.status, VERIFICATION_FAILED, ran.err)
                self.assertEqual(ran.out, "")

    def test_every_kind_of_other_byte_is_refused(self) -> None:
        text = self.sign("--offset", self.last).encode()
        seed = 20260101
        rng = random.Random(seed)
        for _ in range(60):
            place, byte = rng.randrange(len(text)), rng.randrange(256)
            if text[place] == byte:
                continue
            with self.subTest(seed=seed, place=place, byte=byte):
                changed = text[:place] + bytes([byte]) + text[place + 1:]
                self.assertEqual(self.verify(changed).status, VERIFICATION_FAILED)

    def test_cut_and_longer_ones_are_refused(self) -> None:
        text = self.sign("--offset", self.last)
        for cut in (30, len(text) // 2, len(text) - 2, len(text) - 1):
            with self.subTest(cut):
                self.assert_refused(self.verify(text[:cut]), "no statement of this version",
                                    "expected")
        for more in (text + "\n", text + text, text[:-1] + "\r\n"):
            self.assert_refused(self.verify(more), "no statement of this version")

    def test_what_does_not_begin_as_one_does(self) -> None:
        text = self.sign("--offset", self.last)
        document = json.loads(text)
        for other in ("", text[:1], text[:8], " " + text, json.dumps(document) + "\n",
                      json.dumps(document, indent=2), self.public.read_text()):
            with self.subTest(other[:40]):
                self.assert_refused(self.verify(other), "statement.json: no statement: expected one "
                                    "line of compact JSON, as `qmarket audit statement` prints it")

    def test_the_same_in_other_words_is_refused(self) -> None:
        text = self.sign("--offset", self.last)
        document = json.loads(text)
        first = document["body"]["balances"][0]["balance_micros"]
        self.assertNotEqual(first, 0)
        for old, new in ((f':{first},', f':{first}.0,'), (f':{first},', f':0{first},'),
                         (f':{first},', f':+{first},'), ('"main"', '"ma\\u0069n"')):
            with self.subTest(new):
                self.assertIn(old, text)
                self.assert_refused(self.verify(text.replace(old, new, 1)), "at byte")

    def test_a_balance_that_was_signed_and_is_not_in_the_books(self) -> None:
        document = json.loads(self.sign())
        for index, item in enumerate(document["body"]["balances"]):
            if item["account"] == "team:vision":
                document["body"]["balances"][index]["balance_micros"] += 1
                expected = (f"account team:vision in micro-credits: the statement says "
                            f"{item['balance_micros']}, the books say "
                            f"{item['balance_micros'] - 1}")
        self.assert_refused(self.verify(self.sealed(document), "--public-key", self.public),
                            expected)
        answer = self.verify(self.sealed(document), "--format", "json")
        self.assertEqual(answer.status, VERIFICATION_FAILED)
        self.assertEqual(answer.json()["verified"], False)
        self.assertEqual(answer.json()["difference"], expected)

    def test_names_what_differs_from_the_books(self) -> None:
        for field, value, message in (
                ("digest", "0" * 64, "digest: the statement says 0000"),
                ("log", "another", "log: the statement says another"),
                ("market", "other", "market: the statement says other, the books say main"),
                ("offset", self.last - 1, ""),
                ("offset", 10_000, f"the books say that {self.last} is the last one applied"),
                ("rules_version", 99, "rules version: the statement says 99"),
                ("effective_time_ms", None, "effective time: the statement says null")):
            document = json.loads(self.sign())
            document["body"][field] = value
            with self.subTest(field=field, value=value):
                self.assert_refused(self.verify(self.sealed(document)), message)
        document = json.loads(self.sign())
        document["body"]["balances"].pop()
        document["body"]["accounts"] -= 1
        self.assert_refused(self.verify(self.sealed(document)), "the books say there is one")

    def sealed(self, document: dict) -> str:
        """The document, signed again by openssl alone."""
        body = self.write("body", body_bytes(document))
        done = openssl("pkeyutl", "-sign", "-inkey", self.key, "-rawin", "-in", body)
        document["signature"] = base64.b64encode(done.stdout).decode()
        return json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"

    def test_what_openssl_signed_verifies(self) -> None:
        text = self.sign()
        self.assertEqual(self.sealed(json.loads(text)), text)

    def test_another_key(self) -> None:
        other, other_public = self.dir / "other.pem", self.dir / "other-public.pem"
        made = self.assert_done(state("--new-key", other))
        other_public.write_text(made.out)
        text = self.sign()
        self.assert_refused(self.verify(text, "--public-key", other_public),
                            "signed with the key MCow", "expected MCow")
        document = json.loads(text)
        document["public_key"] = "".join(made.out.splitlines()[1:-1])
        swapped = json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n"
        self.assert_refused(self.verify(swapped), "the signature is not that of this statement")

    def test_another_market_and_another_log(self) -> None:
        text = self.sign()
        other = self.dir / "other"
        self.assert_done(run("append", "-", "--data", other, stdin=small_market().text()))
        self.assert_done(run("run", "--once", "--data", other))
        path = self.write("statement.json", text)
        self.assert_refused(state("--verify", path, "--data", other), "log: the statement says")
        self.assert_done(run("append", "-", "--data", self.data, "--market", "gpu",
                             stdin=small_market().text()))
        self.assert_done(run("run", "--once", "--data", self.data, "--market", "gpu"))
        self.assert_refused(self.verify(text, "--market", "gpu"),
                            "market: the statement says main, the books say gpu")
        gpu = self.sign("--market", "gpu")
        self.assertEqual(json.loads(gpu)["body"]["market"], "gpu")
        self.assert_done(self.verify(gpu, "--market", "gpu"))
        self.assert_refused(self.verify(gpu), "the books say main")

    def test_a_ledger_beside_another_log_is_not_stated(self) -> None:
        other, mixed = self.dir / "other", self.dir / "mixed"
        self.assert_done(run("append", "-", "--data", other, stdin=small_market().text()))
        shutil.copytree(self.data / "store", mixed / "store")
        shutil.copytree(other / "log", mixed / "log")
        self.assert_fails(run("audit", "statement", "--data", mixed), BAD_INPUT,
                          "made from another log")

    def test_one_without_a_signature(self) -> None:
        text = self.make()
        document = json.loads(text)
        self.assertEqual((document["public_key"], document["signature"]), (None, None))
        self.assert_refused(self.verify(text), "the statement is not signed")

    # Keys.

    def test_new_key(self) -> None:
        path = self.dir / "new.pem"
        ran = self.assert_done(state("--new-key", path))
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertEqual(openssl("pkey", "-in", path, "-pubout").stdout.decode(), ran.out)
        self.assertIn("keep it secret", ran.err)
        before = path.read_bytes()
        self.assertNotEqual(before, self.key.read_bytes())
        self.assert_fails(state("--new-key", path), BAD_INPUT, str(path), "there is a file already")
        self.assertEqual(path.read_bytes(), before)
        self.assert_fails(state("--new-key", self.dir / "no" / "key.pem"), BAD_INPUT,
                          "cannot make the file: No such file")
        public = self.write("new-public.pem", ran.out)
        text = self.make("--key", path)
        self.assert_done(self.verify(text, "--public-key", public))

    def test_a_key_that_others_can_read(self) -> None:
        for mode in (0o604, 0o644, 0o602):
            self.key.chmod(mode)
            self.assert_fails(state("--data", self.data, "--key", self.key), BAD_INPUT,
                              str(self.key), "any user can read or change this private key")
        self.key.chmod(0o640)
        ran = self.assert_done(state("--data", self.data, "--key", self.key))
        self.assertIn("its group can read this private key", ran.err)

    def test_files_that_are_no_keys(self) -> None:
        rsa = self.dir / "rsa.pem"
        openssl("genrsa", "-out", rsa, "1024")
        encrypted = self.dir / "encrypted.pem"
        openssl("pkey", "-in", self.key, "-aes128", "-passout", "pass:x", "-out", encrypted)
        for path in (rsa, encrypted):
            path.chmod(0o600)
        empty = self.write("empty.pem", "")
        empty.chmod(0o600)
        shutil.copy(self.public, self.dir / "public-as-key.pem")
        (self.dir / "public-as-key.pem").chmod(0o600)
        for path, message in ((rsa, "of the kind RSA; expected a private Ed25519 key"),
                              (encrypted, "the key is encrypted"), (empty, "no such key"),
                              (self.dir / "public-as-key.pem",
                               "this is a public key; expected a private Ed25519 key"),
                              (self.dir / "none.pem", "cannot read"),
                              (self.dir, "cannot read")):
            with self.subTest(str(path)):
                self.assert_fails(state("--data", self.data, "--key", path), BAD_INPUT, str(path),
                                  message)
        statement = self.write("statement.json", self.sign())
        private = "this is a private key, which stays with who signs; expected a public Ed25519 key"
        for path, message in ((self.key, private), (encrypted, private),
                              (empty, "no such key"), (self.dir / "none.pem", "cannot read")):
            self.assert_fails(state("--verify", statement, "--data", self.data, "--public-key",
                                    path), BAD_INPUT, str(path), message)

    # Options.

    def test_options_that_do_not_go_together(self) -> None:
        for arguments in (("--verify", "x", "--key", self.key), ("--verify", "x", "--at", "0"),
                          ("--public-key", self.public), ("--new-key", "x", "--verify", "y"),
                          ("--offset", "1", "--at", "0"), ("--format", "csv"),
                          ("--offset", "-1"), ("--at", "noon")):
            with self.subTest(" ".join(map(str, arguments))):
                self.assertEqual(state("--data", self.data, *arguments).status, USAGE)

    def test_moments_that_there_are_not(self) -> None:
        self.assert_fails(state("--data", self.data, "--offset", 1000), BAD_INPUT,
                          "offset 1000 is not applied yet")
        self.assert_fails(state("--data", self.data, "--at", "2020-01-01"), BAD_INPUT,
                          "there is nothing to state")
        self.assert_fails(state("--data", self.dir / "missing"), BAD_INPUT, "no market here yet")
        self.assert_fails(state("--verify", self.dir / "missing", "--data", self.data), BAD_INPUT,
                          "cannot read")


if __name__ == "__main__":
    unittest.main(verbosity=2)
