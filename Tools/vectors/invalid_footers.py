# SPDX-License-Identifier: Apache-2.0
"""Wrong archives: footers and the chain of commits."""

from __future__ import annotations

from typing import Any

from .archive_builder import Archive
from .expectations import invalid
from .invalid_changes import set_footer, small


def wrong_footers() -> None:
    bad = "damaged"
    for name, values, note in (
            ("footer-start-wrong", {"start": 97}, "commit 0 starts at 96"),
            ("footer-start-behind-it", {"start": 2**63}, "the commit starts behind its footer"),
            ("footer-previous-in-commit-0", {"previous": 96}, "commit 0 has no commit before it"),
            ("footer-number-without-previous", {"number": 1}, "only commit 0 has no commit before it"),
            ("footer-commit-1024", {"number": 1024, "previous": 96, "start": 160}, "more commits than there can be")):
        invalid(name, small(**set_footer(**values)), bad, "open", note)
    for name, exponent, count, note in (
            ("footer-65-sections", 12, 65, "more sections than there can be"),
            ("footer-sections-before-start", 12, 3, "the section table would begin before the commit"),
            ("footer-sections-before-the-file", 12, 2**32 - 1, "a section table of 128 GiB")):
        a = Archive(exponent)
        a.data += bytes(32 * 65 if count == 65 else 0)
        table = bytes(a.data[-32 * count:])  # and its CRC is right, where there is one
        a.end(96, table, lambda v, count=count: v.update(sections=count))
        invalid(name, a, bad, "open", note)

    def second(**changes: Any) -> Archive:
        a = small()
        c = a.commit()
        c.entry("http://example.org/b")
        return a.add(c, **changes)
    a = small()
    first = a.footers[0]
    invalid("earlier-footer-damaged", (lambda d: d[:first + 20] + bytes([d[first + 20] ^ 1]) + d[first + 21:])(
        bytes(second().data)), bad, "open", "the footer of commit 0 has a wrong checksum, that of commit 1 is right")
    invalid("commit-number-skipped", second(**set_footer(number=2)), bad, "open", "commit 2 follows commit 0")
    invalid("commits-with-a-gap", second(**set_footer(previous=first - 1, start=first + 63)), bad, "open",
            "the footer of the commit before is one byte off")
    invalid("commit-chain-cyclic", second(footer=lambda v: v.update(previous=v["offset"], start=v["offset"] + 64)), bad,
            "open", "a commit that says it follows itself")
    a = Archive()
    a.data += bytes(40)
    a.end(96, b"", lambda v: v.update(number=2, previous=40, start=104))
    invalid("commit-before-the-first", a, bad, "open", "the commit before would lie in the header")
