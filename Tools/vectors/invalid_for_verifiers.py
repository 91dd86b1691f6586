# SPDX-License-Identifier: Apache-2.0
"""Wrong archives that a reader may accept and a verifier must not."""

from __future__ import annotations

from typing import Any

from .archive_builder import Archive
from .commit_builder import Commit
from .expectations import invalid
from .invalid_changes import key_block, small, stored
from .lz4_encoder import lz4_sequence
from .samples import DICTIONARY


def wrong_for_verifiers() -> None:
    """Archives that break a rule which a reader need not or cannot check."""
    bad = "damaged"

    def case(name: str, note: str, **changes: Any) -> None:
        invalid(name, small(**changes), bad, "verify", note)

    def digest(c: Commit) -> None:
        row = next(r for r in c.rows["Body"] if r.values["block"] is c.rows["Block"][4])
        row.values["digest"] = bytes(16)
        c.rows["Body"].sort(key=lambda r: r.values["digest"])
    case("body-digest-wrong", "the MD5 of a body is not its digest", rows=digest)

    def other_dictionary(c: Commit) -> None:
        text = DICTIONARY.replace(b"html", b"HTML")
        d = c.dictionary(text, body=c.body(text, raw=True))
        c.rows["Block"][1].values["dictionary"] = d
    case("dictionary-of-another-block", "a block names another dictionary than the one it was compressed against, of "
         "the same length", before=other_dictionary)
    case("lz4-match-distance-0", "illegal in LZ4, and yet its library decodes it, to zeros", before=stored(
        lz4_sequence(b"abcd", 0, 71) + lz4_sequence(b"12345")))
    case("bodies-out-of-order", "the rows of Body are not sorted by digest", rows=lambda c: c.rows["Body"].reverse())

    def relative_target(c: Commit) -> None:
        c.rows["Redirect"][0].values["target"] = c.string("/relative")
    case("redirect-target-relative", "the target of a redirect is no absolute URL", before=relative_target)

    def swap(c: Commit) -> None:
        entries = c.rows["Entry"]
        entries[0], entries[1] = entries[1], entries[0]
    a = Archive()
    c = a.commit()
    for time in (7, 5):
        c.entry("http://example.org/", c.response(200 + time), time=time)
    invalid("entries-out-of-order", a.add(c, rows=swap), bad, "verify", "the older one of two captures comes first")
    case("key-block-trailing-bytes", "a byte after the last key", **key_block(lambda k: k + b"\0"))
    case("bucket-count-5", "the number of buckets is no power of two", rows=lambda c: c.add("Bucket", first=5))
    case("buckets-missing", "entries and no hash table",
         rows=lambda c: (c.rows["Bucket"].clear(), c.rows["Slot"].clear()))
    case("slot-tag-wrong", "a key is not found by its hash", rows=lambda c: c.rows["Slot"][2].values.update(
        tag=c.rows["Slot"][2].values["tag"] ^ 1))

    def without_slot(c: Commit) -> None:
        c.rows["Slot"].pop()
        for row in c.rows["Bucket"]:
            row.values["first"] = min(row.values["first"], len(c.rows["Slot"]))
    case("slot-missing", "a key has no slot", rows=without_slot)
    case("url-is-not-the-key", "the canonical form of Entry.url is another URL",
         rows=lambda c: c.rows["Entry"][0].values.update(url=c.string("http://example.org/another")))

    def keys(c: Commit) -> None:
        c.rows["KeyBlock"][0].values["keys"] = c.key_block(
            key.replace(b"example", b"EXAMPLE") for key, _ in c.entries)
    case("keys-not-canonical", "the keys are URLs with capital letters in the host", rows=keys)
    case("key-blocks-too-many", "more key blocks than entries need", rows=lambda c: c.add("KeyBlock", keys=b""))
