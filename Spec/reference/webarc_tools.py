# SPDX-License-Identifier: Apache-2.0
"""The command line of the second webarc reader.

    list FILE [--json]      every entry of every commit, the oldest commit first, in key order within each
    records FILE            every record and every page, in the order of their rows, as JSON lines
    extract FILE DIR        every body as DIR/<digest>-<length>, and DIR/entries.jsonl
    cat FILE URL            the body of the newest answer to GET URL, with --at of the nearest to a time in nanoseconds since 1970 (section 8.5;
                            Vary is not compared); with --post of that to a POST
    answer FILE             for each line of standard input, a JSON object with "url" and perhaps "method", "headers" (an
                            object) and "country": status, location, body and line of the rule by sections 8.5 and 8.7
    verify FILE [--key KEY ...] [--threshold N]
                            everything, with keys also that every byte is signed by N of them (section 13); findings as JSON lines; exit status 0 intact, 1 damaged (or a torn tail),
                            2 not an archive, or one that this reader does not support
    check-vectors DIR       DIR/valid/*.webarc and DIR/invalid/*.webarc against DIR/expectations.json, which
                            DIR/README.md describes, and DIR/urls.json
KEY is a public key of Ed25519: 64 hexadecimal digits, or a file in PEM form. list and cat take --key and --threshold as well.
Exit status of the others: 0; 1 on an ArchiveError or if nothing is found; 2 on "notAnArchive".
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import os
import sys
from pathlib import Path

from webarc_descriptions import decoded, described, described_page, described_record
from webarc_entries import InvalidURL, entries, lookup, lookup_for_a_person, lookup_in_recording
from webarc_format import ArchiveError
from webarc_reader import Archive, Row
from webarc_rules import Client, answer
from webarc_similar import lookup_similar
from webarc_vectors import command_check_vectors
from webarc_verifier import Verifier

# --- list ----------------------------------------------------------------------------------------------------------


def command_list(path: str, as_json: bool, keys: set[bytes] | None, threshold: int) -> int:
    with Archive(path, keys, threshold) as archive:
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


def command_records(path: str) -> int:
    with Archive(path) as archive:
        report_torn_tail(archive)
        for name, describe in (("Record", described_record), ("Page", described_page)):
            for commit in archive.commits:
                for row in commit.rows(name):
                    print(json.dumps({name.lower(): describe(row)}))
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


def command_cat(path: str, url: str, by_rules: bool, recording: bool, post: list[str] | None, time: int | None,
                keys: set[bytes] | None, threshold: int) -> int:
    with Archive(path, keys, threshold) as archive:
        report_torn_tail(archive)
        if post:
            content, content_type = Path(post[0]).read_bytes(), os.fsencode(post[1])
            digest = hashlib.md5(content).digest()
            found = (lookup(archive, os.fsencode(url), b"POST", digest, time=time)
                     or lookup_similar(archive, os.fsencode(url), content, content_type))
        elif recording:
            found = lookup_in_recording(archive, os.fsencode(url))
        else:
            found = (lookup_for_a_person if by_rules else lookup)(archive, os.fsencode(url), time=time)
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


def command_answer(path: str) -> int:
    with Archive(path) as archive:
        for line in sys.stdin:
            asked = json.loads(line)
            headers = {name.lower(): value.encode() for name, value in asked.get("headers", {}).items()}
            cookies: dict[bytes, bytes] = {}
            for pair in headers.get("cookie", b"").split(b";"):
                name, _, value = pair.strip(b" ").partition(b"=")
                cookies.setdefault(name.lower(), value)
            client = Client(headers.get("accept-language", b""), cookies, asked.get("country", "").encode() or None)
            found = answer(archive, asked["url"].encode(), asked.get("method", "GET").encode(), client)
            body = found and found.entry and (response := found.entry.ref("answer")) and response.ref("body")
            print(json.dumps(found and {
                "status": found.status, "location": decoded(found.location), "line": found.line,
                "body": body and decoded(archive.body(body))}))
    return 0


# --- verify --------------------------------------------------------------------------------------------------------


def command_verify(path: str, keys: set[bytes] | None, threshold: int) -> int:
    verifier = Verifier()
    verifier.verify(path, keys, threshold)
    for finding in verifier.findings:
        print(json.dumps(finding))
    codes = {finding["code"] for finding in verifier.findings} - {"warning"}
    if not verifier.opened and codes & {"notAnArchive", "unsupportedVersion", "unsupportedFeature"}:
        return 2
    return 1 if codes else 0


# --- main ----------------------------------------------------------------------------------------------------------


def public_key(text: str) -> bytes:
    """64 hexadecimal digits, or the name of a PEM file with a SubjectPublicKeyInfo (RFC 8410)."""
    if len(text) == 64 and set(text) <= set("0123456789abcdefABCDEF"):
        return bytes.fromhex(text)
    lines = Path(text).read_text().split("-----BEGIN PUBLIC KEY-----")[-1].split("-----END PUBLIC KEY-----")[0]
    der = base64.b64decode("".join(lines.split()))
    if len(der) != 44 or der[:12] != bytes.fromhex("302a300506032b6570032100"):
        raise argparse.ArgumentTypeError(f"{text} holds no public key of Ed25519")
    return der[12:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    trusting = argparse.ArgumentParser(add_help=False)
    trusting.add_argument("--key", type=public_key, action="append", help="a key that must have signed what is read")
    trusting.add_argument("--threshold", type=int, default=1, help="how many of the keys must have signed (default: 1)")
    one = commands.add_parser("list", parents=[trusting])
    one.add_argument("file")
    one.add_argument("--json", action="store_true")
    one = commands.add_parser("extract")
    one.add_argument("file")
    one.add_argument("dir")
    one = commands.add_parser("cat", parents=[trusting])
    one.add_argument("file")
    one.add_argument("url")
    one.add_argument("--at", type=int, help="the time asked for")
    one.add_argument("--recording", action="store_true", help="apply the rules for recordings of the web, 9 to 11 of section 8.5")
    one.add_argument("--post", nargs=2, metavar=("FILE", "TYPE"), help="look for a POST with the content of a file, by rule 13 as well")
    one.add_argument("--by-rules", action="store_true", help="look as well for the URLs that the rules of section 8.5 lead to")
    commands.add_parser("records").add_argument("file")
    commands.add_parser("answer").add_argument("file")
    commands.add_parser("verify", parents=[trusting]).add_argument("file")
    commands.add_parser("check-vectors").add_argument("dir")
    arguments = parser.parse_args()
    keys = set(arguments.key) if getattr(arguments, "key", None) else None
    try:
        match arguments.command:
            case "list":
                return command_list(arguments.file, arguments.json, keys, arguments.threshold)
            case "records":
                return command_records(arguments.file)
            case "extract":
                return command_extract(arguments.file, arguments.dir)
            case "cat":
                return command_cat(arguments.file, arguments.url, arguments.by_rules, arguments.recording, arguments.post, arguments.at,
                                   keys, arguments.threshold)
            case "answer":
                return command_answer(arguments.file)
            case "verify":
                return command_verify(arguments.file, keys, arguments.threshold)
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
