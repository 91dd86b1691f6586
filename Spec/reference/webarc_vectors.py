# SPDX-License-Identifier: Apache-2.0
"""Holds this reader against the vectors and what reading them must give."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from webarc_descriptions import described, described_body, described_page, described_record
from webarc_entries import InvalidURL, canonical, entries, lookup, metadata, method_and_digest
from webarc_format import ArchiveError
from webarc_reader import Archive, Row
from webarc_verifier import Verifier

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
        for name, describe in (("Record", described_record), ("Page", described_page)):
            result[name.lower() + "s"] = [describe(row) for commit in archive.commits for row in commit.rows(name)]
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
    """Returns the faults in the reading of one vector."""
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
        wrong = differences({key: expected[key] for key in (*("entries", "commits", "tornTail", "metadata"),
                                                           *(expected.keys() & {"records", "pages"}))}, result)
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


def check_trust(root: Path, expected: dict[str, Any]) -> list[str]:
    """Returns the result of opening an archive with keys: section 13."""
    path = root / "signed" / expected["archive"]
    keys, threshold = {bytes.fromhex(key) for key in expected["keys"]}, expected["threshold"]
    done: list[str] = []
    try:
        with Archive(path, keys, threshold) as archive:
            trust = archive.trust
            assert trust is not None
            found = {"commit": trust.commit.number, "sequence": trust.used.sequence, "time": trust.used.time,
                     "series": trust.used.series, "signers": sorted(key.hex() for key in trust.signers),
                     "ignored": trust.ignored}
            done.append("open")
            listed = [described(entry, key) for entry, key in entries(archive)]
            done.append("list")
            for commit in archive.commits:
                for row in commit.rows("Body"):
                    archive.body(row)
            done.append("body")
            errors = [str(error) for error in trust.prove_all()]
    except ArchiveError as error:
        if error.code not in ("untrusted", "damaged"):
            return [str(error)]
        stage = STAGES[len(done)]
        return [] if expected.get("fails") == stage else [f'expected {expected.get("fails") or "trust"}, failed at {stage}: {error}']
    if "fails" in expected:
        return [f'expected to fail at {expected["fails"]}, and did not']
    with Archive(path) as archive:
        plain = [described(entry, key) for entry, key in entries(archive) if entry.commit.number <= expected["commit"]]
    wrong = errors + (["the entries differ from those without keys"] if plain != listed else [])
    return wrong + differences({key: expected[key] for key in found}, found)


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
    for one in json.loads((root / "trust.json").read_text()):
        wrong = check_trust(root, one)
        checked, failed = checked + 1, failed + bool(wrong)
        keys = " ".join(key[:6] for key in one["keys"])
        print(f"{'FAIL' if wrong else 'ok  '} signed/{one['archive']} with {one['threshold']} of {keys or 'no keys'}")
        for line in wrong:
            print(f"       {line}")
    wrong = check_urls(json.loads((root / "urls.json").read_text()))
    print(f"{'FAIL' if wrong else 'ok  '} urls.json")
    for line in wrong:
        print(f"       {line}")
    failed += bool(wrong)
    print(f"{checked} vectors, {failed} failed")
    return 1 if failed or not checked else 0
