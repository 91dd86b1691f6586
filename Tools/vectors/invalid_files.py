# SPDX-License-Identifier: Apache-2.0
"""Wrong archives: the file as a whole, its header and its recovery slots."""

from __future__ import annotations

from .archive_builder import header, recovery_slot
from .expectations import invalid
from .invalid_changes import small


def wrong_files() -> None:
    right = bytes(small().data)
    no, cut, bad = "notAnArchive", "truncated", "damaged"
    invalid("empty-file", b"", no, "open", "no bytes at all")
    invalid("zip-file", b"PK\5\6" + bytes(18), no, "open", "an empty ZIP file")
    invalid("signature-cut", right[:7], no, "open", "the file ends inside the signature")
    invalid("text-mode-lf", right.replace(b"\r\n", b"\n"), no, "open", "CR LF became LF")
    invalid("text-mode-crlf", right.replace(b"\n", b"\r\n"), no, "open", "LF became CR LF")
    invalid("text-mode-eighth-bit", bytes(b & 127 for b in right), no, "open", "the eighth bit was cleared")
    invalid("text-mode-control-z", right[:right.index(b"\x1a")], no, "open", "cut at the first 0x1A")
    invalid("text-mode-utf-8", right.decode("latin-1").encode(), no, "open", "taken for Latin-1 and made UTF-8")
    invalid("header-cut", right[:50], cut, "open", "the file ends inside the header")
    invalid("header-only", right[:96], cut, "open", "a header and no commit")
    invalid("first-commit-unfinished", right[:400], cut, "open", "cut inside the index of the only commit")
    invalid("one-byte-short", right[:-1], cut, "open", "the footer's last byte is missing")
    invalid("one-byte-too-many", right + b"\0", cut, "open",
            "a byte after the only commit, which no recovery slot names")
    for name, at, note in (("footer-checksum-wrong", len(right) - 20, "a bit of the only footer's reserved bytes"),
                           ("section-table-checksum-wrong", len(right) - 70, "a bit of the only section table")):
        data = bytearray(right)
        data[at] ^= 4
        invalid(name, data, cut, "open", note + " is changed; nothing else is whole")
    data = bytearray(right)
    data[32:64] = recovery_slot(len(right) - 64, 5)
    invalid("slot-of-another-commit", data[:-1] + b"\0", cut, "open", "the slot's commit number is not the footer's")
    data[32:64] = recovery_slot(2**64 - 64, 0)
    invalid("slot-beyond-the-file", data[:-1], cut, "open", "the slot's offset plus 64 overflows 64 bits")
    invalid("version-2", header(major=2) + right[96:], "unsupportedVersion", "open", "major version 2")
    data = bytearray(header(major=2) + right[96:])
    data[28] ^= 1
    invalid("version-2-checksum-wrong", data, "unsupportedVersion", "open",
            "the version is looked at before the checksum")
    data = bytearray(right)
    data[22] ^= 1
    invalid("header-checksum-wrong", data, bad, "open", "a bit of the optional features is changed")
    invalid("header-required-feature", header(required=1 << 31) + right[96:], "unsupportedFeature", "open",
            "a required feature of a later version")
    for exponent in (0, 11, 21, 255):
        invalid(f"block-exponent-{exponent}", header(exponent) + right[96:], bad, "open", "12 to 20 is legal")
