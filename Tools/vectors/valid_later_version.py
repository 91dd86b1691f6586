# SPDX-License-Identifier: Apache-2.0
"""Right archives with what a reader of version 1.0 skips."""

from __future__ import annotations

from typing import Any

from .archive_builder import Archive
from .expectations import valid
from .samples import NOISE
from .site import fill_site, site_lookups


def skipped() -> None:
    """All that a reader of version 1.0 is to skip or to ignore."""
    a = Archive(minor=7, optional=0x8000_0001, reserved=(0xFFFF, 0xFFFF_FFFF))
    c = a.commit()
    e = fill_site(c)

    def tables(found: list[dict[str, Any]]) -> None:
        entry = next(t for t in found if t["name"] == "Entry")
        unknown = {"type": 200, "width": entry["width"], "offset": 0, "base": -5, "step": 7,
                   "targets": ("Entry", "String")}
        entry["keys"].insert(1, unknown | {"name": "later", "width": 0})
        entry["keys"].append(unknown | {"name": "x" * 63})
        found.insert(2, {"name": "Later", "width": 3, "rows": 2, "earlier": 0, "first": 0, "heap": 1, "heapLength": 7,
                         "keys": [unknown | {"name": "time", "width": 3}]})

    def parts(pieces: list[dict[str, Any]]) -> None:
        pieces[1:1] = [{"type": b"LATR", "data": b"a section of a later version", "flags": 2, "gap": b"gap"}]
        pieces.append({"type": b"MRKL", "data": b"", "flags": 0})
        pieces.append({"type": b"SIGN", "data": NOISE(64), "flags": 0, "gap": NOISE(5)})
        pieces[0] |= {"flags": 0xFFFF_FFFF, "crc": 0xDEAD_BEEF, "reserved": 0xDEAD_BEEF, "gap": b"\x89WEBEND\n"}
        pieces[2] |= {"flags": 0}

    def footer(values: dict[str, Any]) -> None:
        values["reserved"] = NOISE(16)
    valid("later-minor-version", a.add(c, tables=tables, parts=parts, footer=footer), lookups=site_lookups(e))
    # A section of known type is read wherever it stands.
    a = Archive()
    c = a.commit()
    e = fill_site(c)
    valid("sections-in-another-order", a.add(c, parts=lambda p: p.reverse()), lookups=site_lookups(e))
