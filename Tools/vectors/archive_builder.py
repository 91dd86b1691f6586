# SPDX-License-Identifier: Apache-2.0
"""An archive: header, commits and recovery slots (sections 3, 4 and 9)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .class_table import encode_class_table
from .commit_builder import Commit
from .primitives import crc
from .row_classes import CLASSES, Row

SIGNATURE = b"\x89WEBARC\r\n\x1a\n"


def header(exponent: int = 12, major: int = 1, minor: int = 0, required: int = 0, optional: int = 0,
           reserved: tuple[int, int] = (0, 0)) -> bytes:
    data = SIGNATURE + bytes([major, minor, exponent])
    data += struct.pack("<HIII", reserved[0], required, optional, reserved[1])
    return data + struct.pack("<I", crc(data)) + bytes(64)


def recovery_slot(footer: int, number: int) -> bytes:
    data = struct.pack("<QI16x", footer, number)
    return data + struct.pack("<I", crc(data))


Change = Callable[[Any], None] | None


class Archive:
    """`add` takes functions that change what is about to be written; without them an archive is right."""

    def __init__(self, exponent: int = 12, **fields: Any) -> None:
        self.exponent = exponent
        self.data = bytearray(header(exponent, **fields))
        self.count = 0                               # commits
        self.footers: list[int] = []
        self.earlier = dict.fromkeys(CLASSES, 0)
        self.entries: list[Row] = []
        self.metadata: dict[str, Any] = {}

    def commit(self) -> Commit:
        return Commit(self)

    def write_slot(self) -> None:
        at = 32 + 32 * ((self.count - 1) % 2)
        self.data[at:at + 32] = recovery_slot(self.footers[-1], self.count - 1)

    def add(self, commit: Commit, rows: Change = None, tables: Change = None, index: Change = None, sums: Change = None,
            classes: Change = None, parts: Change = None, sections: Change = None, footer: Change = None) -> Archive:
        if self.count:
            self.write_slot()
        start = len(self.data)
        commit.finish()
        if rows:
            rows(commit)
        for name, found in commit.rows.items():
            for i, row in enumerate(found):
                row.number = self.earlier[name] + i
        indx, listed = commit.encode_tables()
        if tables:
            tables(listed)
        clss = bytearray(encode_class_table(listed))
        if index:
            index(indx)
        isum = bytearray(b"".join(struct.pack("<I", crc(indx[i:i + 4096])) for i in range(0, len(indx), 4096)))
        for change, data in ((sums, isum), (classes, clss)):
            if change:
                change(data)
        pieces = [{"type": b"BLKS", "data": commit.blocks}, {"type": b"INDX", "data": indx},
                  {"type": b"ISUM", "data": isum}, {"type": b"CLSS", "data": clss, "crc": crc(clss)}]
        if parts:
            parts(pieces)
        for piece in pieces:
            self.data += piece.get("gap", b"")
            piece["offset"], piece["length"] = len(self.data), len(piece["data"])
            self.data += piece["data"]
        if sections:
            sections(pieces)
        table = b"".join(struct.pack("<4sIQQII", p["type"], p.get("flags", 1), p["offset"], p["length"],
                                     p.get("crc", 0), p.get("reserved", 0)) for p in pieces)
        self.data += table
        self.end(start, table, footer)
        for name, found in commit.rows.items():
            self.earlier[name] += len(found)
        self.entries += [row for _, row in commit.entries]
        return self

    def end(self, start: int, table: bytes, change: Change = None) -> None:
        values = {"offset": len(self.data), "previous": self.footers[-1] if self.footers else 0, "number": self.count,
                  "sections": len(table) // 32, "start": start, "crc": crc(table), "reserved": bytes(16)}
        if change:
            change(values)
        data = b"\x89WEBEND\n" + struct.pack("<QQIIQI16s", *values.values())
        self.footers.append(len(self.data))
        self.data += data + struct.pack("<I", crc(data))
        self.count += 1

    # The expected results of a reader

    def shown(self, commits: int | None = None) -> dict[str, Any]:
        entries = [e.shown for e in self.entries if commits is None or e.shown["commit"] < commits]
        return {"entries": [{k: v for k, v in e.items() if v not in (None, 0, [])} for e in entries]}
