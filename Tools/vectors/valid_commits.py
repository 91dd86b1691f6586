# SPDX-License-Identifier: Apache-2.0
"""Right archives of several commits, and what is left of them after a write that failed."""

from __future__ import annotations

from .archive_builder import Archive, recovery_slot
from .expectations import valid
from .primitives import SECOND
from .row_classes import Row
from .samples import NOISE
from .site import site, site_lookups


def add_second(a: Archive, first: dict[str, Row], number: int = 1) -> dict[str, Row]:
    """A commit that refers to rows of earlier ones."""
    c = a.commit()
    body = c.body(b"The root of commit %d\n" % number, raw=True)
    answer = c.response(200, body, mediaType="text/plain")
    old = first["large"].values["answer"]
    e = {"root": c.entry("http://example.org/", answer, time=1_800_000_000 * SECOND + number),
         "older": c.entry("http://example.org/vary", c.response(203, body), time=15 * SECOND),
         "same time": c.entry("http://example.org/many/1", answer, time=SECOND),
         "again": c.entry(f"http://example.org/again/{number}", old, time=3 * SECOND)}
    c.add("Metadata", name=c.string("generator"), value=first["root"].values["answer"].values["mediaType"])
    a.metadata["generator"] = "text/html"
    c.metadata("title")
    a.add(c)
    return e


def commits() -> None:
    a, e = site(many=2)
    first = bytes(a.data)
    one_metadata = {"title": "Przyk\u0142ad", "icon": a.metadata["icon"]}
    e1 = add_second(a, e)
    lookups = [("http://example.org/", [e1["root"], e["root"]]),
               ("http://example.org/vary", [e["de"], e1["older"], e["en"]]),
               ("http://example.org/many/1", [e1["same time"], e["many 1"]]),
               ("http://example.org/again/1", [e1["again"]])]
    valid("one-commit-of-two", a, first, 1, site_lookups(e), one_metadata, torn=False)
    valid("two-commits", a, lookups=lookups)
    two = bytes(a.data)
    slot = two[32:64]
    with_slot = first[:32] + slot + first[64:]
    valid("torn-tail", a, two[:-10], 1, site_lookups(e), one_metadata)
    valid("torn-tail-of-one-byte", a, with_slot + b"\0", 1, site_lookups(e), one_metadata)
    valid("torn-tail-of-garbage", a, with_slot + NOISE(777), 1, site_lookups(e), one_metadata)
    for name, at in (("last-footer-damaged", len(two) - 30), ("last-section-table-damaged", len(two) - 70)):
        data = bytearray(two)
        data[at] ^= 1
        valid(name, a, data, 1, site_lookups(e), one_metadata, damaged=True)
    both_slots = with_slot[:64] + recovery_slot(len(two) - 64, 1) + with_slot[96:]
    valid("last-commit-cut-off", a, both_slots, 1, site_lookups(e), one_metadata, torn=False, damaged=True)
    valid("last-commit-cut-short", a, both_slots + two[len(first):-10], 1, site_lookups(e), one_metadata, damaged=True)
    valid("slot-written-and-no-more", a, with_slot, 1, site_lookups(e), one_metadata, torn=False)
    metadata = {name: value for name, value in a.metadata.items() if value is not None}
    add_second(a, e, 2)
    valid("three-commits", a)
    valid("three-commits-torn", a, a.data[:-1], 2, lookups, metadata)
    data = a.data[:-1]
    data[70] ^= 1  # slot 1, which leads to commit 1
    valid("three-commits-torn-slot-damaged", a, data, 1, site_lookups(e), one_metadata)
