# SPDX-License-Identifier: Apache-2.0
"""Everything that is wrong with an archive: sections 3 to 9."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Iterator
from typing import Any

from webarc_descriptions import described, described_page, described_record
from webarc_entries import (InvalidURL, bucket_range, canonical, entry_key, key_block,
                            metadata, sort_key)
from webarc_format import BYTES, MAX_STRING, REFERENCE, SCHEMA, TEXT, ArchiveError, damaged
from webarc_reader import Archive, Commit, Row


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

    def verify(self, path: str | os.PathLike[str], keys: set[bytes] | None = None, threshold: int = 1) -> None:
        with self.noting(), Archive(path, keys, threshold) as archive:
            self.opened = True
            self.ends(archive)
            if archive.trust is not None:
                for number in archive.trust.ignored:
                    self.add("warning", f"commit {number} is not signed by the trusted keys, and not read", None)
                for error in archive.trust.prove_all():
                    self.add(error.code, error.message, error.offset)
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
                    self.add("warning", "BLKS holds bytes that are in no block", commit.blocks.offset)
            with self.noting():
                metadata(archive)

    def ends(self, archive: Archive) -> None:
        """Sections 3 and 9: the slots, and a torn tail."""
        if archive.last_commit_damaged:
            self.add("damaged", "the last commit is damaged or was cut off, and what it added is not read",
                     archive.commits[-1].footer.offset + 64)
        elif archive.torn_tail:
            self.add("tornTail", "the last bytes are no whole commit", archive.commits[-1].footer.offset + 64)
        footers = {commit.number: commit.footer.offset for commit in archive.commits}
        for i, slot in enumerate(archive.slots):
            if slot.used and not slot.right:
                self.add("warning", f"recovery slot {i}: wrong CRC", 32 + 32 * i)
            elif archive.trust is not None and slot.number not in footers:
                pass  # of a commit behind the newest trusted one, which is not looked at
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
        elif name == "Record":
            described_record(row)
        elif name == "Page":
            described_page(row)
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
        buckets, entries = commit.count("Bucket"), commit.count("Entry")
        if buckets & (buckets - 1) or buckets > 2**31 or (buckets == 0) != (entries == 0):
            raise damaged(f"{buckets} buckets for {entries} entries", commit.index.offset)
        hashes: dict[int, int] = {}  # of the keys, by their first rows
        before = None
        for i in range(entries):
            key = entry_key(commit, i)
            if key != before:
                hashes[i] = zlib.crc32(key)
            before = key
        if commit.count("Slot") != len(hashes):
            raise damaged(f'{commit.count("Slot")} slots for {len(hashes)} keys', commit.index.offset)
        for number in range(buckets):
            for i in range(*bucket_range(commit, number)):
                slot = commit.row("Slot", i)
                hashed = hashes.pop(slot.integer("entry"), None)
                if hashed is None:
                    raise damaged(f"slot {i} leads to no key, or to one that has a slot", slot.at)
                if hashed % buckets != number or slot.integer("tag") != hashed >> 24:
                    raise damaged(f"slot {i} has another tag than its key, or is in another bucket", slot.at)
        if hashes:
            raise damaged("a key without a slot", commit.row("Entry", min(hashes)).at)
