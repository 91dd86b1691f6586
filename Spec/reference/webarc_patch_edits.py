# SPDX-License-Identifier: Apache-2.0
"""The edits of a chunk, which make pieces of bodies of parts of old ones (../patch-1.md section 5)."""

from __future__ import annotations

from dataclasses import dataclass

from webarc_patch_stream import MAX_DECODED, Cursor

BEGINNING = 131_072  # bytes of the prefix against which inserted bytes are coded


@dataclass(frozen=True)
class Part:
    """Bytes of an old body, and the position in them where edits begin."""

    data: bytes
    start: int


def edited(cursor: Cursor, parts: list[Part | None], lengths: list[int], prefix: bytes) -> bytes:
    """The bytes of the pieces that are sent with a chunk, one after another."""
    edits = stream(cursor, b"", "edits")
    inserted = stream(cursor, prefix[:BEGINNING], "inserted bytes")
    text = b"".join(inserted.take(length) if part is None else piece(edits, inserted, part, length)
                    for part, length in zip(parts, lengths, strict=True))
    edits.end()
    inserted.end()
    return text


def stream(cursor: Cursor, prefix: bytes, name: str) -> Cursor:
    length = cursor.number_up_to(MAX_DECODED, f"the length of {name}")
    return Cursor.of(cursor.frame(length, prefix) if length else b"", f"patch, {name}")


def piece(edits: Cursor, inserted: Cursor, part: Part, length: int) -> bytes:
    text = bytearray()
    position = part.start
    edit = 0
    while True:
        rest = len(part.data) - position
        count = edits.signed()
        if count < 0:
            count += rest + 1
        if not 0 <= count <= min(rest, length - len(text)):
            raise edits.damaged(f"a copy of {count} bytes, of {rest}")
        text += part.data[position:position + count]
        position += count
        if len(text) == length:
            return bytes(text)
        inserting = edits.number_up_to(length - len(text), "bytes to insert")
        if edit > 0 and count == inserting == 0:
            raise edits.damaged(f"edit {edit} of a piece, which neither copies nor inserts")
        edit += 1
        text += inserted.take(inserting)
        if len(text) == length:
            return bytes(text)
        position += edits.signed()
        if not 0 <= position <= len(part.data):
            raise edits.damaged(f"a position of {position}, of {len(part.data)}")
