# SPDX-License-Identifier: Apache-2.0
"""Section 2 of ../patch-1.md: numbers, frames and packed streams."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from webarc_compression import decode_frame
from webarc_format import ArchiveError, damaged

MASK = 2**64 - 1
PART = 4 << 20                        # bytes of a packed stream in one frame
BEFORE, BEHIND = 1 << 20, 5 << 20     # the prefix of that frame, from where it begins
MAX_DECODED = 16 << 20                # bytes that a frame decodes to
MAX_FRAME = MAX_DECODED + (1 << 20)   # no encoder makes longer ones


def signed(number: int) -> int:
    """The signed number that a number stands for."""
    return -(number >> 1) - 1 if number & 1 else number >> 1


def leb128(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed_leb128(value: int) -> bytes:
    return leb128(2 * value if value >= 0 else -2 * value - 1)


@dataclass(frozen=True)
class Other:
    """The bytes that both sides have, against which a stream is coded."""

    length: int
    read: Callable[[int, int], bytes]  # of an offset and a length

    @classmethod
    def of(cls, data: bytes) -> Other:
        return cls(len(data), lambda offset, length: data[offset:offset + length])

    def window(self, position: int) -> bytes:
        """The prefix of the frame at this position of the stream."""
        start, end = max(0, position - BEFORE), min(self.length, position + BEHIND)
        return self.read(start, end - start) if start < end else b""


NOTHING = Other.of(b"")


class Cursor:
    """Reads a patch, or a stream of one, from front to back. Errors in a patch itself tell the byte of the file."""

    def __init__(self, file: BinaryIO, length: int, name: str, is_file: bool = False) -> None:
        self.file, self.length, self.name, self.is_file, self.position = file, length, name, is_file, 0

    @classmethod
    def of(cls, data: bytes, name: str) -> Cursor:
        return cls(io.BytesIO(data), len(data), name)

    def damaged(self, message: str) -> ArchiveError:
        return damaged(f"{self.name}: {message}", self.position if self.is_file else None)

    def take(self, count: int) -> bytes:
        data = self.file.read(count) if count <= self.length - self.position else b""
        if len(data) != count:
            raise self.damaged(f"{count} more bytes are wanted, and there are {self.length - self.position}")
        self.position += count
        return data

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 and value <= MASK:
                return value
            if byte < 0x80 or shift >= 70:
                raise self.damaged("a number of more than 64 bits")

    def number_up_to(self, limit: int, what: str) -> int:
        value = self.number()
        if value > limit:
            raise self.damaged(f"{what}: {value}, of at most {limit}")
        return value

    def signed(self) -> int:
        return signed(self.number())

    def frame(self, length: int, prefix: bytes) -> bytes:
        at = self.position if self.is_file else None
        return decode_frame(self.take(self.number_up_to(MAX_FRAME, "a frame's length")), prefix, length, at)

    def packed(self, other: Other, limit: int, what: str) -> Iterator[bytes]:
        """A packed stream, part by part."""
        length = self.number_up_to(limit, what)
        for position in range(0, length, PART):
            yield self.frame(min(PART, length - position), other.window(position))

    def stream(self, other: Other, limit: int, what: str) -> Cursor:
        """A packed stream as a whole."""
        return Cursor.of(b"".join(self.packed(other, limit, what)), what)

    def end(self) -> None:
        if self.position != self.length:
            raise self.damaged(f"{self.length - self.position} bytes are left over")
