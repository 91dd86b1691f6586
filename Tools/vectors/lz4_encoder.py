# SPDX-License-Identifier: Apache-2.0
"""LZ4, the block format."""

from __future__ import annotations

import struct


def lz4_sequence(literals: bytes, distance: int = 0, length: int = 0) -> bytes:
    """Literals and a match; without a match for the last sequence of a block."""
    def more(value: int) -> bytes:
        return b"" if value < 15 else b"\xff" * ((value - 15) // 255) + bytes([(value - 15) % 255])
    head = bytes([min(len(literals), 15) << 4 | (min(length - 4, 15) if length else 0)])
    head += more(len(literals)) + literals
    return head + (struct.pack("<H", distance) + more(length - 4) if length else b"")


def lz4(data: bytes, window: bytes = b"") -> bytes:
    """Greedy: a match with the last place of the same four bytes. Not a library, so that its versions do not matter."""
    text, position, end = window + data, len(window), len(window) + len(data)
    seen = {text[i:i + 4]: i for i in range(max(0, position - 65535), position - 3)}
    out, literals = bytearray(), position
    while position < end - 12:  # the last match begins at least 12 bytes before the end, the last 5 are literals
        found = seen.get(text[position:position + 4])
        seen[text[position:position + 4]] = position
        if found is None or position - found > 65535:
            position += 1
            continue
        length = 4
        # Long runs by slices, the rest byte by byte.
        while position + length + 256 <= end - 5 and text[found + length:found + length + 256] == text[position + length:position + length + 256]:
            length += 256
        while position + length < end - 5 and text[found + length] == text[position + length]:
            length += 1
        out += lz4_sequence(text[literals:position], position - found, length)
        position = literals = position + length
    return bytes(out + lz4_sequence(text[literals:]))
