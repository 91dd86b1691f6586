# SPDX-License-Identifier: Apache-2.0
"""The primitives of all parts of an archive: checksums, varints and the unit of times."""

from __future__ import annotations

import zlib

SECOND = 10**9


def crc(data: bytes) -> int:
    return zlib.crc32(data)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])
