# SPDX-License-Identifier: Apache-2.0
"""Wrong archives: dictionaries."""

from __future__ import annotations

from typing import Any

from .archive_builder import Archive, Change
from .commit_builder import Commit
from .expectations import invalid
from .invalid_changes import set_row, small
from .samples import PAGE


def wrong_dictionaries() -> None:
    bad = "damaged"

    def case(name: str, note: str, code: str = bad, **changes: Any) -> None:
        invalid(name, small(**changes), code, "body", note)

    def of_block(block: int, value: Any) -> dict[str, Change]:
        return set_row("Block", block, dictionary=value)
    case("dictionary-missing", "a block that was compressed against a dictionary does not name it", **of_block(1, None))
    case("dictionary-not-there", "a block names a dictionary that is not there", **of_block(1, 1000))
    case("dictionary-without-body", "Dictionary.body is null", **set_row("Dictionary", 0, body=None))
    case("dictionary-body-not-there", "Dictionary.body is a row that is not there",
         **set_row("Dictionary", 0, body=1000))

    def cyclic(c: Commit) -> None:
        c.rows["Block"][0].values["dictionary"] = c.rows["Dictionary"][0]
    case("dictionary-cyclic", "the block of a dictionary needs that dictionary", rows=cyclic)

    def chained(c: Commit) -> None:
        first = c.rows["Dictionary"][0]
        second = c.dictionary(PAGE, body=c.body(PAGE, dictionary=first))
        text = PAGE.replace(b"First", b"Third")
        c.entry("http://example.org/chain", c.response(body=c.body(text, dictionary=second)))
    case("dictionary-with-dictionary", "the block of a dictionary needs another dictionary", before=chained)

    def two_that_lead_to_each_other(c: Commit) -> None:
        chained(c)
        c.rows["Block"][0].values["dictionary"] = c.rows["Dictionary"][1]
    case("dictionaries-cyclic", "two dictionaries need each other", before=two_that_lead_to_each_other)

    def of_no_bytes(c: Commit) -> None:
        c.rows["Dictionary"][0].values["body"] = c.rows["Body"][-1]
        c.rows["Body"][-1].values |= {"length": 0, "block": None}
    case("dictionary-empty", "a dictionary of no bytes", rows=of_no_bytes)
    for name, start, end in (("dictionary-at-an-offset", 1, 100), ("dictionary-shorter-than-its-block", 0, 99)):
        a = Archive(17)
        c = a.commit()
        block = c.block(PAGE[:100], raw=True)
        d = c.dictionary(PAGE[start:end], body=c.body(PAGE[start:end], block, start))
        c.entry("http://example.org/", c.response(body=c.body(PAGE[:100] * 2, dictionary=d)))
        invalid(name, a.add(c), bad, "body", "a dictionary is the whole of a block")
    for name, length, exponent, note in (("dictionary-too-long", 65_537, 17, "a dictionary of 65,537 bytes"),
                                         ("dictionary-in-two-blocks", 4097, 12, "a dictionary lies in one block")):
        a = Archive(exponent)
        c = a.commit()
        text = b"<p>The quick brown fox</p>\n" * 3000
        size = 1 << exponent
        blocks = [c.block(part, raw=len(part) < 20) for part in
                  (text[i:min(i + size, length)] for i in range(0, length, size))]
        d = c.dictionary(text[:length], body=c.body(text[:length], blocks[0]))
        body = c.body(b"<p>The quick brown fox and the lazy dog</p>\n", dictionary=d)
        c.entry("http://example.org/", c.response(body=body))
        invalid(name, a.add(c), bad, "body", note)
