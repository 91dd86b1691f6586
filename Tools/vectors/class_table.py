# SPDX-License-Identifier: Apache-2.0
"""The class table, CLSS (section 6.1)."""

from __future__ import annotations

import struct
from typing import Any


def encode_class_table(tables: list[dict[str, Any]]) -> bytes:
    names = [table["name"] for table in tables]

    def name(text: str | bytes) -> bytes:
        data = text.encode() if isinstance(text, str) else text
        return bytes([len(data)]) + data
    out = struct.pack("<H", len(tables))
    for t in tables:
        out += name(t["name"]) + struct.pack("<HIIQQQB", t["width"], t["rows"], t["earlier"], t["first"], t["heap"],
                                             t["heapLength"], len(t["keys"]))
        for k in t["keys"]:
            targets = [c if isinstance(c, int) else names.index(c) for c in k["targets"]]
            out += name(k["name"]) + struct.pack("<BBHqqB", k["type"], k["width"], k["offset"], k["base"], k["step"],
                                                 len(targets)) + bytes(targets)
    return out
