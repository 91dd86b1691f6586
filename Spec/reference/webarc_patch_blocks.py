# SPDX-License-Identifier: Apache-2.0
"""The dictionaries and the chunks of a rebuilt commit, which give its stored blocks (../patch-1.md section 5)."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

from webarc_compression import compress_block
from webarc_format import MAX_DICTIONARY
from webarc_patch_bodies import CODED, SAME, Body, Layout, Piece
from webarc_patch_edits import Part, edited
from webarc_patch_index import Index
from webarc_patch_old import OldArchive
from webarc_patch_stream import Cursor, signed
from webarc_reader import decoded_block

MAX_DICTIONARIES = 64 << 20  # of a commit, together
MAX_EXAMPLES = 16            # bodies that a dictionary is coded against
EXAMPLE = 65_536             # bytes of each that count
MAX_CHUNK = 8 << 20
AROUND = 64 << 10            # bytes of another body before and behind those that a piece is coded against
MAX_PREFIX = 8 << 20
TEXT, STORED, EDITS = 0, 1, 2  # the kinds of chunks


def md5(data: bytes = b"") -> Any:
    return hashlib.md5(data, usedforsecurity=False)


def read_dictionaries(cursor: Cursor, old: OldArchive, bodies: list[Body], ranks: set[int]) -> dict[int, bytes]:
    """The bodies of a commit that are dictionaries, by rank."""
    found: dict[int, bytes] = {}
    total = 0
    for rank in sorted(ranks):
        if rank >= len(bodies) or not 1 <= bodies[rank].length <= MAX_DICTIONARY:
            raise cursor.damaged(f"body {rank} cannot be a dictionary")
        body = bodies[rank]
        total += body.length
        if total > MAX_DICTIONARIES:
            raise cursor.damaged(f"dictionaries of more than {MAX_DICTIONARIES} bytes")
        if body.kind == SAME:
            found[rank] = old.body(body.other, 0, body.length)
            continue
        examples = [cursor.number() for _ in range(cursor.number_up_to(MAX_EXAMPLES, "the bodies that a dictionary is coded against"))]
        if body.kind == CODED:
            examples.append(body.other)
        found[rank] = cursor.frame(body.length, b"".join(old.body(one, 0, EXAMPLE) for one in examples))
    return found


class Blocks:
    """Writes the blocks of a commit, and collects what INDX says of them and of the bodies in them."""

    def __init__(self, cursor: Cursor, old: OldArchive, layout: Layout, index: Index, level: int,
                 write: Callable[[bytes], None]) -> None:
        self.cursor, self.old, self.layout, self.level, self.write = cursor, old, layout, level, write
        self.codings = index.values("Block", "coding")
        self.windows = index.dictionaries_of_blocks()
        ranks = set(index.dictionaries())
        self.dictionaries = read_dictionaries(cursor, old, layout.bodies, ranks)
        self.offsets: list[int] = []
        self.checksums: list[int] = []
        self.length = 0
        self.digests = [self.known_digest(rank, body) for rank, body in enumerate(layout.bodies)]
        self.digest = md5()  # of the body that is being read
        self.expected = 0    # the row of a block of the old archive
        done = 0
        while done < layout.block_count:
            done = self.chunk(done)

    def known_digest(self, rank: int, body: Body) -> bytes:
        if body.kind == SAME:
            return self.old.digest(body.other)
        return bytes(md5(self.dictionaries.get(rank, b"")).digest())

    def chunk(self, first: int) -> int:
        """Reads the chunk that begins with a block, and returns the block behind it."""
        cursor, layout = self.cursor, self.layout
        end = first + cursor.number_up_to(layout.block_count - first, "the blocks of a chunk")
        if end == first or end > first + 1 and layout.block_starts[end] - layout.block_starts[first] > MAX_CHUNK:
            raise cursor.damaged(f"a chunk of {end - first} blocks")
        kind = cursor.byte()
        if kind not in (TEXT, STORED, EDITS):
            raise cursor.damaged(f"a chunk of kind {kind}")
        copies = self.codes(end - first)
        coded = [piece for piece in layout.pieces(first, end)
                 if layout.bodies[piece.rank].kind != SAME and piece.rank not in self.dictionaries]
        if kind == STORED:
            for block, copy in enumerate(copies, first):
                self.stored_block(block, copy, {piece.rank for piece in coded})
        else:
            texts = self.pieces(coded, kind)
            for piece in coded:
                self.hash(piece, texts[piece.rank])
            for block, copy in enumerate(copies, first):
                self.put(block, self.compressed(block, {piece.rank: piece for piece in coded}, texts)
                         if copy is None else self.copied_block(block, copy))
        return end

    def codes(self, count: int) -> list[int | None]:
        """For each block of a chunk the row of the block of the old archive that it is; None for an own one."""
        copies: list[int | None] = []
        while len(copies) < count:
            code = self.cursor.number()
            blocks = self.cursor.number_up_to(count - len(copies), "the blocks of a code")
            if blocks == 0:
                raise self.cursor.damaged("a code of no blocks")
            for _ in range(blocks):
                if code == 0:
                    copies.append(None)
                else:
                    copies.append(self.expected + signed(code - 1))
                    self.expected += signed(code - 1) + 1
        return copies

    # Chunks of texts

    def pieces(self, coded: list[Piece], kind: int) -> dict[int, bytes]:
        """The bytes of the pieces of a chunk that are sent, by the rank of the body."""
        layout = self.layout
        prefix = bytearray()
        parts: list[Part | None] = []
        for piece in coded:
            body, start = layout.bodies[piece.rank], layout.body_starts[piece.rank]
            parts.append(None)
            if body.kind == CODED:
                begin = min(piece.start - start, self.old.body_length(body.other))
                part = self.old.body(body.other, begin - AROUND, piece.end - start + AROUND)
                if len(prefix) + len(part) <= MAX_PREFIX:
                    parts[-1] = Part(part, min(begin, AROUND))
                    prefix += part
        lengths = [piece.end - piece.start for piece in coded]
        if kind == EDITS:
            text = edited(self.cursor, parts, lengths, bytes(prefix))
        else:
            text = self.cursor.frame(sum(lengths), bytes(prefix)) if lengths else b""
        texts: dict[int, bytes] = {}
        for piece in coded:
            texts[piece.rank], text = text[:piece.end - piece.start], text[piece.end - piece.start:]
        return texts

    def compressed(self, block: int, coded: dict[int, Piece], texts: dict[int, bytes]) -> bytes:
        """The stored bytes of an own block of a chunk of texts."""
        parts: list[bytes] = []
        for part in self.layout.pieces(block, block + 1):
            body, start = self.layout.bodies[part.rank], self.layout.body_starts[part.rank]
            if part.rank in self.dictionaries:
                parts.append(self.dictionaries[part.rank][part.start - start:part.end - start])
            elif body.kind == SAME:
                parts.append(self.old.body(body.other, part.start - start, part.end - start))
            else:
                at = coded[part.rank].start
                parts.append(texts[part.rank][part.start - at:part.end - at])
        content = b"".join(parts)
        match self.codings[block]:
            case 0:
                return content
            case 1:
                return compress_block(content, self.window(block), self.level)
        raise self.cursor.damaged(f"block {block} has coding {self.codings[block]}")

    # Chunks of stored blocks

    def stored_block(self, block: int, copy: int | None, coded: set[int]) -> None:
        length = self.layout.block_length(block)
        if copy is None:
            stored = self.cursor.take(self.cursor.number_up_to(length, "the length of a stored block"))
        else:
            stored = self.copied_block(block, copy)
        parts = [part for part in self.layout.pieces(block, block + 1) if part.rank in coded]
        if parts:
            if self.codings[block] not in (0, 1):
                raise self.cursor.damaged(f"block {block} has coding {self.codings[block]}")
            content = decoded_block(stored, self.codings[block], length, self.window(block), f"patch: block {block}", None)
            start = self.layout.block_starts[block]
            for part in parts:
                self.hash(part, content[part.start - start:part.end - start])
        self.put(block, stored)

    # Both

    def copied_block(self, block: int, copy: int) -> bytes:
        if self.old.block_shape(copy) != (self.layout.block_length(block), self.codings[block]):
            raise self.cursor.damaged(f"block {block} is another one than block {copy} of the old archive")
        return self.old.stored_block(copy)

    def window(self, block: int) -> bytes:
        rank = self.windows[block]
        return b"" if rank is None else self.dictionaries[rank]

    def hash(self, piece: Piece, data: bytes) -> None:
        """Adds the next bytes of a body to its digest. Bodies of several pieces come piece by piece."""
        self.digest.update(data)
        if piece.end == self.layout.body_starts[piece.rank + 1]:
            self.digests[piece.rank] = self.digest.digest()
            self.digest = md5()

    def put(self, block: int, stored: bytes) -> None:
        self.write(stored)
        self.offsets.append(self.length)
        self.checksums.append(zlib.crc32(stored))
        self.length += len(stored)
