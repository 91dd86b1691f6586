# SPDX-License-Identifier: Apache-2.0
"""Signed archives, right ones and tampered ones, and what opening them with keys gives (section 13)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from .ed25519_signer import ALICE, BOB, CAROL, DAVE, Signer
from .expectations import FILES
from .primitives import SECOND, crc
from .samples import NOISE
from .signed_archive import SignedArchive, endorsement
from .site import fill_site
from .valid_bodies import COLLIDING, COLLISION

SAME_CRC = (1 | 0xEDB88320 << 1).to_bytes(5, "little")  # the polynomial of the CRC: adding it changes no remainder

TRUST: list[dict[str, Any]] = []


def add(name: str, data: bytes) -> None:
    FILES[f"signed/{name}.webarc"] = bytes(data)


def opens(name: str, keys: Iterable[Signer], commit: int, signers: Iterable[Signer], threshold: int = 1, sequence: int = 1,
          series: str = "example.org", ignored: Iterable[int] = ()) -> None:
    TRUST.append({"archive": f"{name}.webarc", "keys": [key.key.hex() for key in keys], "threshold": threshold,
                  "commit": commit, "sequence": sequence, "time": 1_750_000_000 * SECOND, "series": series,
                  "signers": sorted(signer.key.hex() for signer in signers), "ignored": list(ignored)})


def fails(name: str, keys: Iterable[Signer], stage: str, note: str, threshold: int = 1) -> None:
    TRUST.append({"archive": f"{name}.webarc", "keys": [key.key.hex() for key in keys], "threshold": threshold,
                  "fails": stage, "note": note})


def page(a: SignedArchive, text: bytes, url: str = "http://example.org/") -> Any:
    c = a.commit()
    c.entry(url, c.response(body=c.body(text, raw=True), mediaType="text/plain"), time=a.count * SECOND)
    return c


def right_ones() -> None:
    a = SignedArchive()
    c = a.commit()
    fill_site(c)
    add("one-commit", a.sign(c, [ALICE], sequence=7).data)
    opens("one-commit", [ALICE], 0, [ALICE], sequence=7)
    opens("one-commit", [BOB, ALICE], 0, [ALICE], sequence=7)
    fails("one-commit", [BOB], "open", "signed by another key")
    fails("one-commit", [ALICE, BOB], "open", "one signature of two", threshold=2)
    fails("one-commit", [], "open", "no key is trusted")
    a = SignedArchive()
    c = a.commit()
    for number in range(300):
        c.entry(f"http://example.org/{number}", c.response(body=c.body(NOISE(9_000)[number:number + 40], raw=True)))
    add("many-blocks", a.sign(c, [BOB], series="m" * 64).data)
    opens("many-blocks", [BOB], 0, [BOB], series="m" * 64)
    a = SignedArchive()
    c = a.commit()
    for number in range(3_000):
        c.entry(f"http://example.org/{number:05}/" + NOISE(3_000)[number:number + 12].hex())
    c.metadata("title", NOISE(40_000).hex())
    add("several-pieces-of-index", a.sign(c, [ALICE]).data)
    opens("several-pieces-of-index", [ALICE], 0, [ALICE])
    a = SignedArchive()
    a.plain(page(a, b"written before\n"))
    add("signed-later", a.sign(None, [ALICE], alone=True).data)
    opens("signed-later", [ALICE], 1, [ALICE])
    a = SignedArchive()
    a.plain(page(a, b"the first\n"))
    a.plain(page(a, b"the second\n", "http://example.org/second"))
    add("three-commits-in-one-tree", a.sign(page(a, b"the third\n", "http://example.org/third"), [ALICE, BOB]).data)
    opens("three-commits-in-one-tree", [BOB, ALICE], 2, [ALICE, BOB], threshold=2)
    a = SignedArchive()
    a.sign(page(a, b"the first\n"), [ALICE], sequence=1)
    a.plain(page(a, b"not signed by itself\n", "http://example.org/second"))
    a.sign(page(a, b"the third\n", "http://example.org/third"), [ALICE], sequence=2)
    add("three-commits-in-two-trees", a.data)
    opens("three-commits-in-two-trees", [ALICE], 2, [ALICE], sequence=2)
    a.plain(page(a, b"appended by somebody\n"))
    add("appended-without-a-key", a.data)
    opens("appended-without-a-key", [ALICE], 2, [ALICE], sequence=2, ignored=[3])
    a.sign(page(a, b"appended by Bob\n"), [BOB], sequence=3)
    add("appended-with-another-key", a.data)
    opens("appended-with-another-key", [ALICE], 2, [ALICE], sequence=2, ignored=[3, 4])
    opens("appended-with-another-key", [ALICE, BOB], 4, [BOB], sequence=3)


def several_signers() -> None:
    a = SignedArchive()
    a.sign(page(a, b"signed by two, one after the other\n"), [ALICE], sequence=4)
    a.sign(None, [BOB], sequence=4, alone=True)
    add("signed-one-after-the-other", a.data)
    opens("signed-one-after-the-other", [ALICE, BOB, CAROL], 0, [ALICE, BOB], threshold=2, sequence=4)
    opens("signed-one-after-the-other", [ALICE, BOB], 1, [BOB], sequence=4)
    fails("signed-one-after-the-other", [ALICE, CAROL], "open", "Bob is not trusted", threshold=2)
    other = SignedArchive()
    other.sign(page(other, b"SIGNED BY TWO, ONE AFTER THE OTHER\n"), [ALICE], sequence=4)
    start = len(other.data)
    add("signature-for-another-archive", other.data + a.data[start:])
    fails("signature-for-another-archive", [ALICE, BOB], "open", "Bob signed an archive of the same length", threshold=2)
    opens("signature-for-another-archive", [ALICE, BOB], 0, [ALICE], sequence=4)
    a = SignedArchive()
    a.sign(page(a, b"signed twice by Alice\n"), [ALICE, ALICE])
    a.sign(None, [ALICE], alone=True)
    add("same-signer-again", a.data)
    fails("same-signer-again", [ALICE, BOB], "open", "Alice counts once", threshold=2)
    a = SignedArchive()
    a.sign(page(a, b"a new key\n"), [CAROL], endorsements=[endorsement(BOB, CAROL), endorsement(ALICE, BOB)])
    add("endorsed-key", a.data)
    opens("endorsed-key", [ALICE], 0, [ALICE])
    opens("endorsed-key", [BOB], 0, [BOB])
    opens("endorsed-key", [CAROL], 0, [CAROL])
    fails("endorsed-key", [ALICE, BOB], "open", "one signature is one signer", threshold=2)
    a = SignedArchive()
    a.sign(page(a, b"a new key and the old one\n"), [ALICE, CAROL], endorsements=[endorsement(ALICE, CAROL)])
    add("old-key-and-new-key", a.data)
    opens("old-key-and-new-key", [ALICE], 0, [ALICE])
    opens("old-key-and-new-key", [CAROL], 0, [CAROL])
    fails("old-key-and-new-key", [ALICE, BOB], "open", "Alice and the key that she endorsed count once", threshold=2)
    a = SignedArchive()
    a.sign(page(a, b"one key that two endorsed, and its own second key\n"), [CAROL], endorsements=[endorsement(ALICE, CAROL)])
    a.sign(None, [DAVE], endorsements=[endorsement(BOB, CAROL), endorsement(CAROL, DAVE)], alone=True)
    add("one-signer-as-two", a.data)
    fails("one-signer-as-two", [ALICE, BOB], "open", "all signatures come from the key that both endorsed", threshold=2)
    a = SignedArchive()
    a.sign(page(a, b"a key and its second key\n"), [ALICE, DAVE], endorsements=[endorsement(BOB, ALICE), endorsement(ALICE, DAVE)])
    add("one-signer-and-a-second-key", a.data)
    for keys in ([ALICE, BOB], [BOB, ALICE]):
        fails("one-signer-and-a-second-key", keys, "open", "Bob endorsed Alice, and she a second key of hers", threshold=2)
    a = SignedArchive()
    a.sign(page(a, b"signed by two\n"), [ALICE], sequence=4)
    second = SignedArchive()
    second.sign(page(second, b"signed by two\n"), [ALICE], sequence=100)
    start = len(a.data)
    a.sign(None, [BOB], sequence=4, alone=True)
    add("sequence-raised-by-one-signer", second.data + a.data[start:])
    fails("sequence-raised-by-one-signer", [ALICE, BOB], "open", "Bob signed the edition 4", threshold=2)
    opens("sequence-raised-by-one-signer", [ALICE], 0, [ALICE], sequence=100)
    a = SignedArchive()
    forged = CAROL.key + ALICE.key + CAROL.sign(b"webarc endorsement" + CAROL.key)
    add("endorsement-forged", a.sign(page(a, b"a new key\n"), [CAROL], endorsements=[forged]).data)
    fails("endorsement-forged", [ALICE], "open", "the new key signed its own endorsement")


def tampered() -> None:
    def change(name: str, stage: str, note: str, edit: Callable[[SignedArchive], None]) -> None:
        a = SignedArchive()
        c = a.commit()
        body = c.body(COLLISION, raw=True)
        c.entry("http://example.org/", c.response(body=body), time=SECOND)
        a.sign(c, [ALICE])
        edit(a)
        add(name, a.data)
        fails(name, [ALICE], stage, note)

    def place(a: SignedArchive, kind: bytes) -> tuple[int, int, int]:
        """Row in the section table, offset, length."""
        table = a.footers[0] - 32 * 6
        row = next(at for at in range(table, a.footers[0], 32) if a.data[at:at + 4] == kind)
        return row, *struct.unpack_from("<QQ", a.data, row + 8)

    def seal(a: SignedArchive) -> None:
        """All CRCs that are not in rows."""
        _, index, length = place(a, b"INDX")
        _, sums, _ = place(a, b"ISUM")
        for i in range(0, length, 4096):
            struct.pack_into("<I", a.data, sums + i // 1024, crc(a.data[index + i:index + min(i + 4096, length)]))
        row, classes, length = place(a, b"CLSS")
        struct.pack_into("<I", a.data, row + 24, crc(a.data[classes:classes + length]))
        footer = a.footers[0]
        struct.pack_into("<I", a.data, footer + 40, crc(a.data[footer - 32 * 6:footer]))
        struct.pack_into("<I", a.data, footer + 60, crc(a.data[footer:footer + 60]))
        struct.pack_into("<I", a.data, 28, crc(a.data[:28]))

    def exchange_twin(a: SignedArchive) -> None:
        _, at, _ = place(a, b"BLKS")
        a.data[at:at + len(COLLIDING)] = COLLIDING
        _, index, length = place(a, b"INDX")
        old, new = struct.pack("<I", crc(COLLISION)), struct.pack("<I", crc(COLLIDING))
        # One block: its checksum is the base of a column of width 0, in the class table.
        _, classes, size = place(a, b"CLSS")
        found = bytes(a.data[classes:classes + size]).index(old)
        a.data[classes + found:classes + found + 4] = new
        seal(a)

    def flip(kind: bytes, position: int = 0) -> Callable[[SignedArchive], None]:
        def edit(a: SignedArchive) -> None:
            _, at, _ = place(a, kind)
            a.data[at + position] ^= 1
            seal(a)
        return edit

    def at(position: int) -> Callable[[SignedArchive], None]:
        def edit(a: SignedArchive) -> None:
            a.data[position if position >= 0 else len(a.data) + position] ^= 1
            seal(a)
        return edit
    change("class-table-with-a-twins-checksum", "open", "a body and its checksum exchanged for those of its MD5 twin", exchange_twin)
    change("tree-changed", "open", "a bit of the hash of the header", flip(b"MRKL"))
    change("statement-changed", "open", "a bit of the sequence", flip(b"SIGN", 64))
    change("signature-changed", "open", "a bit of the signature", flip(b"SIGN", 152 + 40))
    change("minor-version-changed", "open", "the header says version 1.0", at(12))
    change("section-flags-changed", "open", "a bit of the section table that no reader needs", at(-64 - 32 * 6 + 6))
    change("footer-changed", "open", "a reserved byte of the footer", at(-20))


def tampered_contents() -> None:
    """Changes that no CRC shows."""
    a = SignedArchive()
    c = a.commit()
    for number, twin in enumerate((COLLISION, COLLIDING)):
        c.entry(f"http://example.org/{number}", c.response(body=c.body(twin, raw=True)), time=SECOND)
    c.entry("http://example.org/text", c.response(body=c.body(b"Pay 100 to Alice\n", raw=True)), time=SECOND)
    a.sign(c, [ALICE])
    add("twins", a.data)
    opens("twins", [ALICE], 0, [ALICE])
    table = a.footers[0] - 32 * 6
    blocks = struct.unpack_from("<Q", a.data, table + 8)[0]
    index, length = struct.unpack_from("<QQ", a.data, table + 32 + 8)
    sums = struct.unpack_from("<Q", a.data, table + 64 + 8)[0]
    changed = bytearray(a.data)
    for i, byte in enumerate(SAME_CRC):
        changed[blocks + c.rows["Block"][2].values["offset"] + 4 + i] ^= byte
    add("body-changed", changed)
    fails("body-changed", [ALICE], "body", "five bytes of a block, which keep its CRC")
    changed = bytearray(a.data)
    changed[index + length - 1] ^= 1
    struct.pack_into("<I", changed, sums, crc(changed[index:index + length]))
    add("index-changed", changed)
    fails("index-changed", [ALICE], "list", "a bit of the index, and the sum of its page")
    a = SignedArchive()
    a.sign(page(a, b"the first page\n"), [ALICE], sequence=1)
    second = b"the second page\n"
    a.sign(page(a, second, "http://example.org/2"), [ALICE], sequence=2)
    changed = bytearray(a.data)
    # One block: its checksum is the base of a column of width 0, in the class table.
    base = changed.rindex(struct.pack("<I", crc(second)))
    for i, byte in enumerate(SAME_CRC):
        changed[base + i] ^= byte
    add("newer-class-table-changed", changed)
    opens("newer-class-table-changed", [ALICE], 0, [ALICE], ignored=[1])


def not_signed() -> None:
    for name, note, statement in (
            ("covered-length-wrong", "the statement is of a longer file", {"covered": 10_000}),
            ("commit-number-wrong", "the statement is of commit 1", {"commit": 1}),
            ("label-wrong", "something else was signed", {"label": b"webarc Statement"}),
            ("series-empty", "no series", {"series": b""}),
            ("series-not-utf-8", "a series that is not UTF-8", {"series": b"\xff"}),
            ("series-with-a-zero-byte", "a zero byte inside of the series", {"series": b"a\0b"}),
            ("leaves-too-many", "one leaf more than there are", {"leaves": 1_000}),
            ("no-signatures", "the statement has no signature", {"n": 0}),
            ("root-wrong", "the root of another tree", {"root": bytes(32)})):
        a = SignedArchive()
        add(name, a.sign(page(a, b"a page\n"), [ALICE], statement=statement).data)
        fails(name, [ALICE], "open", note)
    a = SignedArchive()
    gap = lambda pieces: pieces[1].update(gap=b"gap")
    a.plain(page(a, b"a page\n"), parts=gap)
    add("gap-between-sections", a.sign(None, [ALICE], alone=True).data)
    fails("gap-between-sections", [ALICE], "open", "three bytes that are in no section")
    a = SignedArchive()
    add("not-signed", a.plain(page(a, b"a page\n")).data)
    fails("not-signed", [ALICE], "open", "no tree and no statement")


def signed() -> None:
    for make in (right_ones, several_signers, tampered, tampered_contents, not_signed):
        make()
