# SPDX-License-Identifier: Apache-2.0
"""The old archive of a patch: its identity, and its bodies by rank (../patch-1.md sections 2 and 3)."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from webarc_format import MAX_FILE, damaged
from webarc_patch_stream import Other
from webarc_reader import Archive, Commit, Row

READ_AT_ONCE = 1 << 20


@dataclass(frozen=True, order=True)
class Place:
    """The place of a body. Places are in the order of the ranks. `row` is a row number of Body, `block` one of Block plus 1."""

    block: int
    offset: int
    row: int
    length: int


def ranked(commits: list[Commit]) -> list[Place]:
    """The bodies of an archive, or of one commit, in the order of their ranks."""
    found: list[Place] = []
    for commit in commits:
        for row in commit.rows("Body"):
            length = row.integer("length", 0, MAX_FILE)
            block, offset = (row.integer("block", 1), row.integer("offset", 0, MAX_FILE)) if length else (0, 0)
            found.append(Place(block, offset, row.number, length))
    return sorted(found)


class OldArchive:
    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.length = archive.commits[-1].footer.offset + 64

    def commit(self, number: int) -> Commit:
        if number >= len(self.archive.commits):
            raise damaged(f"patch: commit {number} of an old archive of {len(self.archive.commits)}")
        return self.archive.commits[number]

    def identity(self) -> bytes:
        digest = hashlib.sha256(self.archive.read_at(0, 32))
        for commit in self.archive.commits:
            for kind, section in commit.all_sections:
                if kind != "BLKS":
                    for piece in self.pieces(section.offset, section.offset + section.length):
                        digest.update(piece)
            digest.update(commit.footer.table + self.archive.read_at(commit.footer.offset, 64))
        return digest.digest()

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        for at in range(start, end, READ_AT_ONCE):
            yield self.archive.read_at(at, min(READ_AT_ONCE, end - at))

    def behind(self, offset: int) -> Other:
        """The bytes from an offset to the end."""
        return Other(max(0, self.length - offset), lambda at, length: self.archive.read_at(offset + at, length))

    # Bodies

    @functools.cached_property
    def ranks(self) -> list[Place]:
        return ranked(self.archive.commits)

    def row(self, rank: int) -> Row:
        if not 0 <= rank < len(self.ranks):
            raise damaged(f"patch: body {rank} of an old archive that has {len(self.ranks)}")
        return self.archive.row("Body", self.ranks[rank].row)

    def body_length(self, rank: int) -> int:
        return self.row(rank).integer("length", 0, MAX_FILE)

    def body(self, rank: int, start: int, end: int) -> bytes:
        """The bytes of a body from `start` to `end`, as far as they are there."""
        row = self.row(rank)
        start, end = max(0, start), min(end, row.integer("length", 0, MAX_FILE))
        return b"".join(self.archive.body_part(row, start, end)) if start < end else b""

    def digest(self, rank: int) -> bytes:
        return self.row(rank).octets("digest")

    def block_row(self, number: int) -> Row:
        count = self.archive.totals["Block"][-1] if "Block" in self.archive.totals else 0
        if not 0 <= number < count:
            raise damaged(f"patch: block {number} of an old archive that has {count}")
        return self.archive.row("Block", number)

    def stored_block(self, number: int) -> bytes:
        return self.archive.stored_block(self.block_row(number))[1]

    def block_shape(self, number: int) -> tuple[int, int]:
        """The decoded length of a block, and its coding."""
        row = self.block_row(number)
        return row.integer("length", 1, 2**self.archive.exponent), row.integer("coding")
