# SPDX-License-Identifier: Apache-2.0
"""The streams *bodies* and *block ends* of a rebuilt commit, and where they put its bodies (../patch-1.md section 3)."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass

from webarc_format import MAX_FILE
from webarc_patch_old import OldArchive, Place
from webarc_patch_stream import Cursor, leb128
from webarc_reader import Commit

NEW, SAME, CODED = 0, 1, 2


@dataclass(frozen=True)
class Body:
    """A body of the new commit. `other`: the rank of the body of the old archive that it is, or is coded against."""

    kind: int
    other: int
    length: int


@dataclass(frozen=True)
class Piece:
    """The bytes of one body in some blocks, from `start` to `end` in the decoded blocks of the commit."""

    rank: int
    start: int
    end: int


def parse_bodies(stream: Cursor, old: OldArchive) -> list[Body]:
    count = stream.number_up_to(stream.length, "the number of bodies")
    kinds = stream.take(count)
    if count and max(kinds) > CODED:
        raise stream.damaged(f"a body of kind {max(kinds)}")
    others: list[int] = []
    expected = 0
    for kind in kinds:
        if kind != NEW:
            others.append(expected + stream.signed())
            expected = others[-1] + 1
        else:
            others.append(-1)
    bodies: list[Body] = []
    for kind, other in zip(kinds, others):
        length = 0 if kind == NEW else old.body_length(other)
        if kind != SAME:
            length += stream.signed() if kind == CODED else stream.number()
        if not 0 <= length <= MAX_FILE or length == 0 and bodies and bodies[-1].length > 0:
            raise stream.damaged(f"body {len(bodies)} has the length {length}")
        bodies.append(Body(kind, other, length))
    stream.end()
    return bodies


class Layout:
    """The bodies and blocks of a commit, in the order of ranks and rows, and where each of them begins in the decoded blocks."""

    def __init__(self, bodies: list[Body], stream: Cursor, full: int) -> None:
        """From the bodies and the stream *block ends*."""
        self.bodies = bodies
        self.body_starts = [0]
        for body in bodies:
            self.body_starts.append(self.body_starts[-1] + body.length)
        self.block_starts = [0]
        ended = sum(body.length == 0 for body in bodies)
        for block in range(stream.number_up_to(stream.length, "the number of blocks")):
            ending = stream.number_up_to(len(bodies) - ended, f"the number of bodies that end in block {block}")
            ended += ending
            start = self.block_starts[-1]
            end = self.body_starts[ended] if ending else start + full
            if not 1 <= end - start <= full:
                raise stream.damaged(f"block {block} of {end - start} bytes")
            self.block_starts.append(end)
        stream.end()
        if ended != len(bodies) or self.block_starts[-1] != self.body_starts[-1]:
            raise stream.damaged("the blocks do not end with the last body")

    @property
    def block_count(self) -> int:
        return len(self.block_starts) - 1

    def block_length(self, block: int) -> int:
        return self.block_starts[block + 1] - self.block_starts[block]

    def place(self, rank: int) -> tuple[int, int]:
        """The block in which a body of some bytes begins, and the offset in it."""
        start = self.body_starts[rank]
        block = bisect.bisect_right(self.block_starts, start) - 1
        return block, start - self.block_starts[block]

    def pieces(self, first: int, end: int) -> Iterator[Piece]:
        """The bytes of the bodies that some blocks hold, in the order of the ranks."""
        low, high = self.block_starts[first], self.block_starts[end]
        rank = bisect.bisect_right(self.body_starts, low) - 1
        while low < high:
            until = min(high, self.body_starts[rank + 1])
            yield Piece(rank, low, until)
            low, rank = until, rank + 1


def block_ends(commit: Commit, places: list[Place], full: int) -> bytes:
    """The stream of a commit of the old archive, whose bodies count as if they stood one after another in the blocks."""
    ends = [0] * commit.count("Block")
    block, position, block_end = -1, 0, 0
    for place in places:
        position += place.length
        while block + 1 < len(ends) and (block < 0 or block_end < position):
            block += 1
            block_end += commit.row("Block", block).integer("length", 1, full)
        if place.length and ends:
            ends[block] += 1
    return b"".join(map(leb128, [len(ends), *ends]))
