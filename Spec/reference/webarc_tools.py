# SPDX-License-Identifier: Apache-2.0
"""The command line of the second webarc reader.

    list FILE [--json]      every entry of every commit, the oldest commit first, in key order within each
    extract FILE DIR        every body as DIR/<digest>-<length>, and DIR/entries.jsonl
    cat FILE URL            the body of the newest answer to GET URL (section 8.5; Vary is not compared)
    verify FILE             everything; findings as JSON lines; exit status 0 intact, 1 damaged (or a torn tail),
                            2 not an archive, or one that this reader does not support
    check-vectors DIR       DIR/valid/*.webarc and DIR/invalid/*.webarc against DIR/expectations.json:
                            {"valid": {NAME: {"entries": [as list --json, and "sha256" of the body or null],
                                              "tornTail": bool}},
                             "invalid": {NAME: {"code": ..., "where": "open"|"list"|"body", "note": ...}}}
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

from webarc_entries import (InvalidURL, canonical, check_buckets, entries, entry_key, first_entry, header_fields,
                            lookup, metadata, method_and_digest)
from webarc_format import BYTES, MAX_STRING, REFERENCE, SCHEMA, TEXT, ArchiveError, damaged
from webarc_reader import Archive, Commit, Row

# --- list ----------------------------------------------------------------------------------------------------------


def decoded(data: bytes | None) -> str | None:
    """UTF-8, or Latin-1 where it is not UTF-8. (Header fields and reason phrases are always read as Latin-1.)"""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def described_body(body: Row | None) -> dict[str, Any] | None:
    return None if body is None else {"digest": body.octets("digest").hex(), "length": body.integer("length", 0)}


def fields(owner: Row | None, entry: Row) -> list[list[str]]:
    if owner is None:
        return []
    return [[name.decode("latin-1"), value.decode("latin-1")] for name, value in header_fields(owner, entry)]


def described(entry: Row, key: bytes) -> dict[str, Any]:
    request, answer, url = entry.ref("request"), entry.ref("answer"), entry.string("url")
    out: dict[str, Any] = {
        "url": decoded(key if url is None else url), "key": decoded(key),
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


def command_cat(path: str, url: str) -> int:
    with Archive(path) as archive:
        report_torn_tail(archive)
        found = lookup(archive, os.fsencode(url))
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
                self.pages(commit)
                for name in commit.tables.keys() & SCHEMA.keys():
                    for i in range(commit.count(name)):
                        with self.noting():
                            self.row(archive, commit.row(name, i))
                with self.noting():
                    self.bodies_in_order(commit)
                with self.noting():
                    self.hash_table(commit)
                if commit.count("Block") == 0 and commit.blocks.length:
                    self.add("damaged", "BLKS holds bytes that are in no block", commit.blocks.offset)
            with self.noting():
                for _ in entries(archive):
                    pass
            with self.noting():
                metadata(archive)

    def ends(self, archive: Archive) -> None:
        """Sections 3 and 9: the slots, and a torn tail."""
        if archive.torn_tail:
            self.add("tornTail", "the last bytes are no whole commit", archive.commits[-1].footer.offset + 64)
        footers = {commit.number: commit.footer.offset for commit in archive.commits}
        for i, slot in enumerate(archive.slots):
            if slot.used and not slot.right:
                self.add("warning", f"recovery slot {i}: wrong CRC", 32 + 32 * i)
            elif slot.used and footers.get(slot.number) != slot.offset:
                self.add("warning", f"recovery slot {i} leads to no commit of this archive", 32 + 32 * i)

    def pages(self, commit: Commit) -> None:
        for number in range(commit.sums.length // 4):
            with self.noting():
                commit.page(number)

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

    def bodies_in_order(self, commit: Commit) -> None:
        before = b""
        for body in commit.rows("Body"):
            digest = body.octets("digest")
            if digest < before:
                raise damaged(f"body {body.number} is out of order", body.at)
            before = digest

    def hash_table(self, commit: Commit) -> None:
        """Section 8.4: each key has one slot, and there are no others."""
        if not commit.tables:
            return
        buckets, keys, before = check_buckets(commit), 0, None
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

STAGES = ("open", "list", "body")


def read_all(path: Path, result: dict[str, Any], done: list[str]) -> None:
    """Opens, lists and looks up, reads all bodies; notes each stage that is done."""
    with Archive(path) as archive:
        result["tornTail"] = archive.torn_tail
        done.append("open")
        listed = list(entries(archive))
        result["entries"] = [described(entry, key) for entry, key in listed]
        metadata(archive)
        for entry, key in listed:
            if entry.integer("role") in (0, 1):
                try:
                    found = lookup(archive, key, *method_and_digest(entry))
                except InvalidURL as error:
                    raise damaged(f"the key {key!r} is no URL: {error}", entry.at) from None
                if entry.number not in [row.number for row in found]:
                    raise damaged(f"lookup of {key!r} does not find entry {entry.number}", entry.at)
        done.append("list")
        sums: dict[int, str] = {}
        for commit in archive.commits:
            for body in commit.rows("Body"):
                digest = hashlib.sha256()
                for chunk in archive.body_chunks(body):
                    digest.update(chunk)
                sums[body.number] = digest.hexdigest()
        for (entry, _), one in zip(listed, result["entries"]):
            answer = entry.ref("answer")
            used = None if answer is None else answer.ref("body")
            one["sha256"] = None if used is None else sums[used.number]
        done.append("body")


def differences(want: Any, have: Any, where: str = "") -> list[str]:
    """A member that is missing on one side counts as null."""
    if isinstance(want, dict) and isinstance(have, dict):
        return [d for key in sorted(want.keys() | have.keys())
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
        wrong = differences({"entries": expected["entries"], "tornTail": expected.get("tornTail", False)}, result)
        return wrong + [f"verify: {json.dumps(finding)}" for finding in verifier.findings
                        if finding["code"] not in ("tornTail", "warning")]
    if error is None:
        return [f"was read without an error; verify finds {sorted(codes)}"]
    wrong = [] if codes else ["verify finds nothing"]
    if error.code != expected["code"]:
        wrong.append(f'expected {expected["code"]}, failed with {error}')
    if len(done) > STAGES.index(expected["where"]):
        wrong.append(f'expected to fail at {expected["where"]}, failed at {STAGES[len(done)]} with {error}')
    return wrong


def command_check_vectors(directory: str) -> int:
    root = Path(directory)
    expectations = json.loads((root / "expectations.json").read_text())
    checked = failed = 0
    for kind in ("valid", "invalid"):
        expected = expectations.get(kind, {})
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
                return command_cat(arguments.file, arguments.url)
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
