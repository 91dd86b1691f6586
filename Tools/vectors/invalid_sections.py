# SPDX-License-Identifier: Apache-2.0
"""Wrong archives: sections and the sums of the index."""

from __future__ import annotations

import struct
from typing import Any

from .archive_builder import Archive, Change
from .expectations import invalid
from .invalid_changes import set_section, small


def wrong_sections() -> None:
    bad, feature = "damaged", "unsupportedFeature"

    def shift(kind: bytes, offset: int = 0, length: int = 0) -> dict[str, Change]:
        def sections(found: list[dict[str, Any]]) -> None:
            part = next(p for p in found if p["type"] == kind)
            part["offset"] = (part["offset"] + offset) % 2**64
            part["length"] = (part["length"] + length) % 2**64
        return {"sections": sections}
    invalid("sections-overlap", small(**shift(b"BLKS", length=1)), bad, "open", "BLKS ends one byte inside INDX")
    invalid("sections-out-of-order", small(sections=lambda p: p.reverse()), bad, "open", "the last one first")
    invalid("section-before-the-commit", small(**set_section(b"BLKS", offset=95)), bad, "open",
            "BLKS begins in the header")
    invalid("section-into-the-table", small(**shift(b"CLSS", length=1)), bad, "open", "CLSS ends in the section table")
    invalid("section-end-overflows", small(**set_section(b"CLSS", length=2**64 - 100)), bad, "open",
            "offset + length is more than 64 bits hold")
    invalid("section-beyond-the-file", small(**set_section(b"CLSS", offset=2**47)), bad, "open", "an offset of 128 TiB")
    invalid("section-twice", small(parts=lambda p: p.append({"type": b"BLKS", "data": b"BLKS"})), bad, "open",
            "two BLKS")
    invalid("section-not-ascii", small(parts=lambda p: p.append(
        {"type": b"\xff\xff\xff\xff", "data": b"", "flags": 0})), bad, "open", "a section type of four bytes 0xFF")
    for kind, name, note in ((b"LATR", "section-unknown-required", "a section of a later version"),
                             (b"MRKL", "section-merkle-tree-required", "version 1.0 does not read MRKL"),
                             (b"SIGN", "section-signature-required", "version 1.0 does not read SIGN")):
        invalid(name, small(parts=lambda p, k=kind: p.append({"type": k, "data": b"data"})), feature, "open",
                note + ", and it is flagged as required")
    invalid("index-without-sums", small(parts=lambda p: p.pop(2)), bad, "open", "INDX without ISUM")
    invalid("sums-without-index", small(parts=lambda p: p.pop(1)), bad, "open", "ISUM without INDX")
    a = Archive()
    c = a.commit()
    invalid("empty-index-without-sums", a.add(c, parts=lambda p: p.pop(2)), bad, "open",
            "INDX of no bytes without ISUM")
    invalid("index-sums-too-few", small(sums=lambda s: s.clear()), bad, "open", "a page of INDX has no sum")
    invalid("index-sums-too-many", small(sums=lambda s: s.extend(b"\0\0\0\0")), bad, "open", "one sum more than pages")
    invalid("class-table-checksum-wrong", small(**set_section(b"CLSS", crc=1)), bad, "open", "the CRC of CLSS is wrong")
    invalid("index-sum-wrong", small(sums=lambda s: s.__setitem__(0, s[0] ^ 1)), bad, "list", "the page sum is wrong")
    a = small()
    entry = a.footers[0] - 32 * 3  # of INDX in the section table
    a.data[struct.unpack_from("<Q", a.data, entry + 8)[0]] ^= 1
    invalid("index-page-damaged", a, bad, "list", "the first byte of INDX is changed")
