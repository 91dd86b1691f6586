# SPDX-License-Identifier: Apache-2.0
"""The command line of the second webarc reader.

    list FILE [--json]      every entry of every commit, the oldest commit first, in key order within each
    extract FILE DIR        every body as DIR/<digest>-<length>, and DIR/entries.jsonl
    cat FILE URL            the body of the newest answer to GET URL (section 8.5; Vary is not compared)
    verify FILE             everything; findings as JSON lines; exit status 0 intact, 1 damaged (or a torn tail),
                            2 not an archive, or one that this reader does not support
    check-vectors DIR       DIR/valid/*.webarc and DIR/invalid/*.webarc against DIR/expectations.json, which
                            DIR/README.md describes, and DIR/urls.json
Exit status of the others: 0; 1 on an ArchiveError or if nothing is found; 2 on "notAnArchive".
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from webarc_entries import (InvalidURL, bucket_range, canonical, entries, entry_key, first_entry, header_fields, key_block,
                            lookup, lookup_for_a_person, metadata, method_and_digest, sort_key)
from webarc_format import BYTES, MAX_STRING, REFERENCE, SCHEMA, TEXT, ArchiveError, damaged
from webarc_reader import Archive, Commit, Row

# --- list ----------------------------------------------------------------------------------------------------------


def decoded(data: bytes | None) -> str | None:
    """UTF-8, repaired where it is not. (Header fields and reason phrases are bytes, and shown as Latin-1.)"""
    return None if data is None else data.decode(errors="replace")


def described_body(body: Row | None) -> dict[str, Any] | None:
    return None if body is None else {"digest": body.octets("digest").hex(), "length": body.integer("length", 0)}


def fields(owner: Row | None, entry: Row) -> list[list[str]]:
    if owner is None:
        return []
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in header_fields(owner, entry)]


def described(entry: Row, key: bytes) -> dict[str, Any]:
    request, answer, url = entry.ref("request"), entry.ref("answer"), entry.string("url")
    out: dict[str, Any] = {
        "commit": entry.commit.number, "url": decoded(key if url is None else url), "key": decoded(key),
        "method": decoded(method_and_digest(entry)[0]), "role": entry.integer("role"),
        "kind": None if answer is None else answer.table.name.lower(),
        "status": None, "reason": None, "headers": fields(answer, entry), "mediaType": None, "charset": None,
        "target": None, "modified": 0, "time": entry.integer("time"), "codings": None, "address": None, "body": None,
        "requestHeaders": fields(request, entry),
        "requestBody": None if request is None else described_body(request.ref("body"))}
    if answer is not None:
        reason = answer.string("reason")
        out |= {name: decoded(answer.string(name)) for name in ("mediaType", "charset", "codings", "address")}
        out |= {"status": answer.integer("status", 100, 999), "modified": answer.integer("modified"),
                "reason": None if reason is None else reason.decode("latin-1"),
                "body": described_body(answer.ref("body"))}
        if answer.table.name == "Redirect":
            out["target"] = decoded(answer.string("target"))
    return out


def command_list(path: str, as_json: bool) -> int:
    with Archive(path) as archive:
        report_torn_tail(archive)
        for entry, key in entries(archive):
            one = described(entry, key)
            if as_json:
                print(json.dumps(one))
            else:
                line = f'{one["method"]} {one["status"] or "-"} {one["body"]["length"] if one["body"] else "-"} ' \
                       f'{one["mediaType"] or "-"} {one["url"]}' + (f' -> {one["target"]}' if one["target"] else "")
                print("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in line).encode(
                    sys.stdout.encoding or "ascii", "backslashreplace").decode(sys.stdout.encoding or "ascii"))
    return 0


def report_torn_tail(archive: Archive) -> None:
    if archive.torn_tail:
        end = archive.commits[-1].footer.offset + 64
        print(f"torn tail: the bytes from {end} on are ignored", file=sys.stderr)


# --- extract, cat --------------------------------------------------------------------------------------------------


def same_bytes(a: Path, b: Path) -> bool:
    with a.open("rb") as x, b.open("rb") as y:
        while True:
            one, other = x.read(1 << 20), y.read(1 << 20)
            if one != other:
                return False
            if not one:
                return True


def extract_body(archive: Archive, body: Row, directory: Path) -> str:
    """Writes a body under a name of its own, unless a file with the same bytes is there; returns the name."""
    part = directory / ".part"
    try:
        with part.open("wb") as out:
            for chunk in archive.body_chunks(body):
                out.write(chunk)
        base = f'{body.octets("digest").hex()}-{body.integer("length", 0)}'
        name, n = base, 1
        while (directory / name).exists():
            if same_bytes(directory / name, part):
                return name
            n += 1
            name = f"{base}-{n}"
        part.rename(directory / name)
        return name
    finally:
        part.unlink(missing_ok=True)


def command_extract(path: str, target: str) -> int:
    status = 0
    directory = Path(target)
    directory.mkdir(parents=True, exist_ok=True)
    with Archive(path) as archive:
        report_torn_tail(archive)
        names: dict[int, str] = {}
        for commit in archive.commits:
            for i in range(commit.count("Body")):
                try:
                    body = commit.row("Body", i)
                    names[body.number] = extract_body(archive, body, directory)
                except ArchiveError as error:
                    status = 1
                    print(error, file=sys.stderr)
        with (directory / "entries.jsonl").open("w") as out:
            for entry, key in entries(archive):
                one = described(entry, key)
                for name, owner in (("bodyFile", entry.ref("answer")), ("requestBodyFile", entry.ref("request"))):
                    used = None if owner is None else owner.ref("body")
                    one[name] = None if used is None else names.get(used.number)
                out.write(json.dumps(one) + "\n")
    return status


def command_cat(path: str, url: str, without_query: bool) -> int:
    with Archive(path) as archive:
        report_torn_tail(archive)
        found = (lookup_for_a_person if without_query else lookup)(archive, os.fsencode(url))
        if not found:
            print("nothing is stored under this URL", file=sys.stderr)
            return 1
        answer = found[0].ref("answer")
        if answer is not None and answer.table.name == "Redirect":
            print(f"redirect to {decoded(answer.string('target'))}", file=sys.stderr)
        body = None if answer is None else answer.ref("body")
        if body is not None:
            for _ in archive.body_chunks(body):  # the digest first: what is damaged is not to be returned
                pass
            for chunk in archive.body_chunks(body):
                sys.stdout.buffer.write(chunk)
    return 0


# --- verify --------------------------------------------------------------------------------------------------------


class Verifier:
    """Collects findings: {"code", "message", "offset"}; a "warning" does not make the archive a damaged one."""

    def __init__(self) -> None:
        self.findings: list[dict[str, Any]] = []
        self.seen: set[tuple[str, str, int | None]] = set()
        self.opened = False

    def add(self, code: str, message: str, offset: int | None) -> None:
        if (code, message, offset) not in self.seen:
            self.seen.add((code, message, offset))
            self.findings.append({"code": code, "message": message, "offset": offset})

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        try:
            yield
        except ArchiveError as error:
            self.add(error.code, error.message, error.offset)

    def verify(self, path: str | os.PathLike[str]) -> None:
        with self.noting(), Archive(path) as archive:
            self.opened = True
            self.ends(archive)
            for commit in archive.commits:
                for number in range(commit.sums.length // 4):
                    with self.noting():
                        commit.page(number)
                for name in commit.tables.keys() & SCHEMA.keys():
                    for i in range(commit.count(name)):
                        with self.noting():
                            self.row(archive, commit.row(name, i))
                for check in (self.order_of_bodies, self.order_of_entries, self.key_blocks, self.hash_table):
                    with self.noting():
                        check(commit)
                if commit.count("Block") == 0 and commit.blocks.length:
                    self.add("damaged", "BLKS holds bytes that are in no block", commit.blocks.offset)
            with self.noting():
                metadata(archive)

    def ends(self, archive: Archive) -> None:
        """Sections 3 and 9: the slots, and a torn tail."""
        if archive.last_commit_damaged:
            self.add("damaged", "the last commit is damaged, and what it added is not read",
                     archive.commits[-1].footer.offset + 64)
        elif archive.torn_tail:
            self.add("tornTail", "the last bytes are no whole commit", archive.commits[-1].footer.offset + 64)
        footers = {commit.number: commit.footer.offset for commit in archive.commits}
        for i, slot in enumerate(archive.slots):
            if slot.used and not slot.right:
                self.add("warning", f"recovery slot {i}: wrong CRC", 32 + 32 * i)
            elif slot.used and footers.get(slot.number) != slot.offset:
                self.add("warning", f"recovery slot {i} leads to no commit of this archive", 32 + 32 * i)

    def row(self, archive: Archive, row: Row) -> None:
        """Every value of a row, and what it means."""
        name = row.table.name
        for key, (kind, _, _) in SCHEMA[name].items():
            if kind == REFERENCE:
                row.ref(key)
            elif kind != BYTES and kind != TEXT:
                row.integer(key)
        if name == "String":
            row.text("text", MAX_STRING)
        elif name == "Block":
            archive.block(row)
        elif name == "Body":
            for _ in archive.body_chunks(row):
                pass
        elif name == "Dictionary":
            archive.dictionary(row)
        elif name == "Redirect":
            target = row.string("target")
            if target is None or self.canonical(target) is None:
                raise damaged("a redirect without a target that is an absolute URL", row.at)
        elif name == "Entry":
            own = entry_key(row.commit, row.local)
            described(row, own)
            for url in (own, row.string("url")):
                if url is not None and self.canonical(url) != own:
                    raise damaged(f"the canonical form of {url!r} is not the key {own!r}", row.at)
        elif name == "Slot":
            row.integer("tag", 0, 255)
            row.integer("entry", 0, row.commit.count("Entry") - 1)

    @staticmethod
    def canonical(url: bytes) -> bytes | None:
        try:
            return canonical(url)
        except InvalidURL:
            return None

    @staticmethod
    def order_of_bodies(commit: Commit) -> None:
        before = b""
        for body in commit.rows("Body"):
            digest = body.octets("digest")
            if digest < before:
                raise damaged(f"body {body.number} is out of order", body.at)
            before = digest

    @staticmethod
    def order_of_entries(commit: Commit) -> None:
        """Section 8.2."""
        before = None
        for row in commit.rows("Entry"):
            now = sort_key(row, entry_key(commit, row.local))
            if before is not None and now < before:
                raise damaged(f"entry {row.number} is out of order", row.at)
            before = now

    @staticmethod
    def key_blocks(commit: Commit) -> None:
        """Section 8.3."""
        if commit.count("KeyBlock") != -(-commit.count("Entry") // 16):
            raise damaged(f'{commit.count("KeyBlock")} key blocks for {commit.count("Entry")} entries', commit.index.offset)
        for number in range(commit.count("KeyBlock")):
            if key_block(commit, number).left_over:
                raise damaged("a key block has bytes left over", commit.row("KeyBlock", number).at)

    @staticmethod
    def hash_table(commit: Commit) -> None:
        """Section 8.4: each key has one slot, and there are no others."""
        buckets, keys, before = commit.count("Bucket"), 0, None
        if buckets & (buckets - 1) or buckets > 2**31 or (buckets == 0) != (commit.count("Entry") == 0):
            raise damaged(f'{buckets} buckets for {commit.count("Entry")} entries', commit.index.offset)
        for number in range(buckets):
            bucket_range(commit, number)
        for i in range(commit.count("Entry")):
            key = entry_key(commit, i)
            if key != before:
                keys += 1
                if first_entry(commit, key) != i:
                    raise damaged(f"the key {key!r} is not found in bucket {zlib.crc32(key) % buckets}",
                                  commit.row("Entry", i).at)
            before = key
        if commit.count("Slot") != keys:
            raise damaged(f'{commit.count("Slot")} slots for {keys} keys', commit.index.offset)


def command_verify(path: str) -> int:
    verifier = Verifier()
    verifier.verify(path)
    for finding in verifier.findings:
        print(json.dumps(finding))
    codes = {finding["code"] for finding in verifier.findings} - {"warning"}
    if not verifier.opened and codes & {"notAnArchive", "unsupportedVersion", "unsupportedFeature"}:
        return 2
    return 1 if codes else 0


# --- check-vectors -------------------------------------------------------------------------------------------------

STAGES = ("open", "list", "body", "verify")


def read_all(path: str | os.PathLike[str], result: dict[str, Any], done: list[str]) -> None:
    """Opens, lists, looks up, reads all bodies; notes each stage that is done."""
    with Archive(path) as archive:
        result |= {"tornTail": archive.torn_tail, "commits": len(archive.commits)}
        done.append("open")
        listed = list(entries(archive))
        result["entries"] = [described(entry, key) for entry, key in listed]
        result["metadata"] = {name: value if isinstance(value, str) else described_body(value)
                              for name, value in metadata(archive).items()}
        for entry, key in listed:
            with contextlib.suppress(InvalidURL):
                lookup(archive, key, *method_and_digest(entry))
        done.append("list")
        sums: dict[int, str] = {}

        def add_sum(body: Row | None, one: dict[str, Any] | None) -> None:
            if body is not None and one is not None:
                if body.number not in sums:
                    digest = hashlib.sha256()
                    for chunk in archive.body_chunks(body):
                        digest.update(chunk)
                    sums[body.number] = digest.hexdigest()
                one["sha256"] = sums[body.number]
        for (entry, _), one in zip(listed, result["entries"]):
            for owner, name in (("answer", "body"), ("request", "requestBody")):
                row = entry.ref(owner)
                add_sum(None if row is None else row.ref("body"), one[name])
        for name, value in metadata(archive).items():
            if not isinstance(value, str):
                add_sum(value, result["metadata"][name])
        done.append("body")


def check_lookups(path: Path, expected: dict[str, Any]) -> Iterator[str]:
    """The lookups that are listed; and those of every entry, by its key and by its URL."""
    with Archive(path) as archive:
        for one in expected["lookups"]:
            digest = one["requestDigest"]
            found = lookup(archive, one["url"].encode(), one["method"].encode(), bytes.fromhex(digest) if digest else None)
            if [row.number for row in found] != one["finds"]:
                yield f'lookup of {one["method"]} {one["url"]} finds {[row.number for row in found]}'
        for entry, key in entries(archive):
            for url in (key, entry.string("url") or key):
                found = lookup(archive, url, *method_and_digest(entry))
                if (entry.number in [row.number for row in found]) != (entry.integer("role") in (0, 1)):
                    yield f"lookup of {url!r} and entry {entry.number}"


def differences(want: Any, have: Any, where: str = "") -> list[str]:
    """A member that is missing in `want` stands for null, 0, "" or []."""
    if isinstance(want, dict) and isinstance(have, dict):
        return [d for key in sorted(want.keys() | have.keys()) if key in want or have[key] not in (None, 0, "", [])
                for d in differences(want.get(key), have.get(key), f"{where}.{key}")]
    if isinstance(want, list) and isinstance(have, list) and len(want) == len(have):
        return [d for i, (a, b) in enumerate(zip(want, have)) for d in differences(a, b, f"{where}[{i}]")]
    if isinstance(want, list) and isinstance(have, list):
        return [f"{where}: expected {len(want)} items, read {len(have)}"]
    return [] if want == have and isinstance(want, bool) == isinstance(have, bool) else [
        f"{where}: expected {json.dumps(want)[:300]}, read {json.dumps(have)[:300]}"]


def check_vector(kind: str, path: Path, expected: dict[str, Any]) -> list[str]:
    """What is wrong with the reading of one vector."""
    result: dict[str, Any] = {}
    done: list[str] = []
    error: ArchiveError | None = None
    try:
        read_all(path, result, done)
    except ArchiveError as caught:
        error = caught
    verifier = Verifier()
    verifier.verify(path)
    codes = {finding["code"] for finding in verifier.findings} - {"warning"}
    if kind == "valid":
        if error is not None:
            return [f"{STAGES[len(done)]}: {error}"]
        wrong = differences({key: expected[key] for key in ("entries", "commits", "tornTail", "metadata")}, result)
        faults = [finding for finding in verifier.findings if finding["code"] not in ("tornTail", "warning")]
        if expected["lastCommitDamaged"]:
            others = [finding for finding in faults if "last commit" not in finding["message"]]
            if others == faults:
                wrong.append("verify does not find the damaged commit")
            faults = others
        return wrong + list(check_lookups(path, expected)) + [f"verify: {json.dumps(finding)}" for finding in faults]
    if error is None and expected["where"] != "verify":
        return [f"was read without an error; verify finds {sorted(codes)}"]
    wrong = [] if expected["code"] in codes else [f"verify finds {sorted(codes)}"]
    if error is not None and error.code != expected["code"]:
        wrong.append(f'expected {expected["code"]}, failed with {error}')
    if error is not None and len(done) > STAGES.index(expected["where"]):
        wrong.append(f'expected to fail at {expected["where"]}, failed at {STAGES[len(done)]} with {error}')
    return wrong


def check_urls(expected: dict[str, Any]) -> list[str]:
    """Canonical forms, and texts that have none."""
    wrong = []
    for text, form in expected["canonical"] + [[text, None] for text in expected["invalid"]]:
        try:
            found = canonical(text.encode()).decode()
        except InvalidURL:
            found = None
        if found != form or found is not None and canonical(found.encode()).decode() != found:
            wrong.append(f"{text!r}: expected {form!r}, found {found!r}")
    return wrong


def command_check_vectors(directory: str) -> int:
    root = Path(directory)
    expectations = json.loads((root / "expectations.json").read_text())
    checked = failed = 0
    for one in expectations["valid"].values():
        if isinstance(one["entries"], str):  # the name of a vector that has the same
            one["entries"] = expectations["valid"][one["entries"]]["entries"]
        for entry in one["entries"]:
            entry.setdefault("url", entry["key"])
    for kind in ("valid", "invalid"):
        expected = expectations[kind]
        for name in sorted(expected.keys() | {path.name for path in (root / kind).glob("*.webarc")}):
            path = root / kind / name
            if name not in expected:
                wrong = ["is not in expectations.json"]
            elif not path.is_file():
                wrong = ["is in expectations.json, but there is no such file"]
            else:
                wrong = check_vector(kind, path, expected[name])
            checked, failed = checked + 1, failed + bool(wrong)
            print(f"{'FAIL' if wrong else 'ok  '} {kind}/{name}")
            for line in wrong:
                print(f"       {line}")
    wrong = check_urls(json.loads((root / "urls.json").read_text()))
    print(f"{'FAIL' if wrong else 'ok  '} urls.json")
    for line in wrong:
        print(f"       {line}")
    failed += bool(wrong)
    print(f"{checked} vectors, {failed} failed")
    return 1 if failed or not checked else 0


# --- main ----------------------------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(prog="webarc_reader.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("list")
    one.add_argument("file")
    one.add_argument("--json", action="store_true")
    one = commands.add_parser("extract")
    one.add_argument("file")
    one.add_argument("dir")
    one = commands.add_parser("cat")
    one.add_argument("file")
    one.add_argument("url")
    one.add_argument("--without-query", action="store_true", help="answer a query that is not stored without it")
    commands.add_parser("verify").add_argument("file")
    commands.add_parser("check-vectors").add_argument("dir")
    arguments = parser.parse_args()
    try:
        match arguments.command:
            case "list":
                return command_list(arguments.file, arguments.json)
            case "extract":
                return command_extract(arguments.file, arguments.dir)
            case "cat":
                return command_cat(arguments.file, arguments.url, arguments.without_query)
            case "verify":
                return command_verify(arguments.file)
            case _:
                return command_check_vectors(arguments.dir)
    except ArchiveError as error:
        print(error, file=sys.stderr)
        return 2 if error.code == "notAnArchive" else 1
    except InvalidURL as error:
        print(f"invalid URL: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")
        return 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
