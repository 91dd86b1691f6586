# SPDX-License-Identifier: Apache-2.0
"""Wrong archives: blocks and bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .archive_builder import Archive, Change
from .commit_builder import Commit
from .expectations import invalid
from .invalid_changes import set_row, small, stored
from .lz4_encoder import lz4, lz4_sequence


def wrong_blocks() -> None:
    bad = "damaged"

    def case(name: str, note: str, code: str = bad, **changes: Any) -> None:
        invalid(name, small(**changes), code, "body", note)
    # Block 0 is the dictionary (raw), 1 and 2 need it, 3 is LZ4, 4 is raw and holds two bodies.

    def flipped() -> Archive:
        a = small()
        a.data[96] ^= 1
        return a
    invalid("block-damaged", flipped(), bad, "body", "the first byte of BLKS, in the dictionary, is changed")
    case("block-checksum-wrong", "the checksum of block 4", **set_row("Block", 4, checksum=0))
    case("block-checksum-too-large", "a checksum of 33 bits", **set_row("Block", 4, checksum=2**32))
    case("block-coding-unknown", "coding 2", "unsupportedFeature", **set_row("Block", 4, coding=2))
    case("block-coding-negative", "coding -1", "unsupportedFeature", **set_row("Block", 4, coding=-1))
    case("block-length-0", "a block decodes to at least one byte", **set_row("Block", 4, length=0))
    case("block-length-4097", "more than 2^B bytes", **set_row("Block", 3, length=4097))
    case("block-length-negative", "a length of -1", **set_row("Block", 3, length=-1))
    case("raw-length-wrong", "a raw block is as long as it is stored", **set_row("Block", 4, length=21))
    case("raw-called-lz4", "a raw block with coding 1 is not shorter than what it decodes to",
         **set_row("Block", 4, coding=1))
    case("lz4-called-raw", "an LZ4 block with coding 0", **set_row("Block", 3, coding=0))
    case("lz4-lies-about-length", "decodes to 80 bytes and claims 4,096", **set_row("Block", 3, length=4096))

    case("lz4-decodes-to-more", "decodes to 80 bytes and claims 79", before=stored(lz4(b"abcd" * 20), 79))
    case("lz4-cut", "the stored bytes end inside a sequence", before=stored(b"\xf0\x40" + b"abc"))
    case("lz4-match-before-the-block", "a match 5 bytes back after 4 literals", before=stored(
        lz4_sequence(b"abcd", 5, 71) + lz4_sequence(b"12345")))
    case("lz4-without-last-literals", "a block that ends with a match", before=stored(lz4_sequence(b"abcd", 4, 76)))
    case("lz4-literal-length-runs-on", "a length of ever more bytes 255", before=stored(b"\xf0" + b"\xff" * 60))
    case("block-offset-beyond-blocks", "an offset behind BLKS", **set_row("Block", 4, offset=10**6))
    case("block-offset-negative", "an offset of -1", **set_row("Block", 4, offset=-1))
    case("block-offsets-decrease", "block 3 begins behind block 4", **set_row("Block", 3, offset=10_000))
    case("block-offsets-equal", "block 3 has a stored length of 0", rows=lambda c: c.rows["Block"][3].values.update(
        offset=c.rows["Block"][4].values["offset"]))

    def first_at_1(c: Commit) -> None:
        c.blocks[:0] = b"?"
        for row in c.rows["Block"]:
            row.values["offset"] += 1
    case("blocks-begin-at-1", "the first offset is 0", rows=first_at_1)
    # Bodies: which row of Body it is depends on the digests, so they are found by their block.

    def body(number: int, **values: Any) -> dict[str, Change]:
        def rows(c: Commit) -> None:
            row = next(r for r in c.rows["Body"] if r.values["block"] is c.rows["Block"][number])
            row.values |= values
        return {"rows": rows}
    case("body-past-its-block", "the body ends one byte behind its block, and does not begin it", **body(4, offset=11))
    case("body-offset-beyond-block", "offset 4,000 in a block of 20 bytes", **body(4, offset=4000))
    case("body-offset-negative", "offset -1", **body(4, offset=-1))
    case("body-runs-out-of-blocks", "8,193 bytes from the last block on", **body(4, length=8193))
    case("body-length-128-tebibytes", "2^47 bytes in a file of 2 KB", **body(4, length=2**47))
    case("body-length-negative", "a length of -1", **body(4, length=-1))
    case("body-length-largest", "a length of 2^63 - 1", **body(4, length=2**63 - 1))
    case("body-without-block", "bytes, and block is null", **body(4, block=None))
    case("body-empty-with-block", "no bytes, and block is not null", **body(4, length=0))
    case("body-block-out-of-range", "the first block is not there", **body(4, block=1000))

    def large(*lengths: int, offset: int = 0, total: int = 0) -> Callable[[Commit], None]:
        def before(c: Commit) -> None:
            data = b"0123456789abcdef" * 1024
            blocks = [c.block(data[:n]) for n in lengths]
            c.entry("http://example.org/large", c.response(body=c.body(data[:total], blocks[0], offset)))
        return before
    case("body-middle-block-short", "a block in the middle of a body decodes to 4,095 bytes",
         before=large(4096, 4095, 4096, total=12_288))
    case("body-last-block-short", "the last block has one byte less than remains", before=large(4096, 100, total=4197))
    case("body-of-blocks-with-offset", "a body of several blocks begins its first one",
         before=large(4096, 4096, 4096, offset=1, total=8192))
