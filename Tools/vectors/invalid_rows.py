# SPDX-License-Identifier: Apache-2.0
"""Wrong archives: values of rows, header lists, keys and hash tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .archive_builder import Archive
from .commit_builder import Commit
from .expectations import invalid
from .invalid_changes import key_block, set_row, small
from .samples import with_dictionary


def wrong_rows() -> None:
    bad = "damaged"

    def case(name: str, note: str, **changes: Any) -> None:
        invalid(name, small(**changes), bad, "list", note)

    def bases(of: str, key: str, **how: Any) -> Callable[[Commit], None]:
        return lambda c: c.column(of, key, **how)
    case("reference-out-of-range", "an answer in a row that is not there", **set_row("Entry", 0, answer=1 + 2 * 1000))
    case("reference-one-too-far", "the row after the last Response", **set_row("Entry", 0, answer=1 + 2 * 4))
    case("reference-negative", "a reference of value -1",
         before=bases("Entry", "url", base=-1, stored=[0] * 5, listed=True))
    case("reference-most-negative", "a reference of value -2^63", before=bases(
        "Entry", "url", base=-2**63, stored=[0] * 5, listed=True))
    case("reference-largest", "a reference of value 2^63 - 1", before=bases(
        "Entry", "url", base=2**63 - 1, stored=[0] * 5, listed=True))
    case("number-overflows", "base + step x stored is 2^63", before=bases(
        "Entry", "time", base=2**63 - 1, step=1, width=1, stored=[1] * 5))
    case("number-overflows-by-far", "step x stored is more than 64 bits hold", before=bases(
        "Entry", "time", base=0, step=2**63 - 1, width=8, stored=[2**64 - 1] * 5))
    invalid("earlier-commit-refers-to-later-row", refer_forward(), bad, "list",
            "commit 0 refers to a Response of commit 1")
    case("text-position-beyond-heap", "the text of the last String begins behind the heap",
         **position_of_last_string(10**6))
    case("text-positions-decrease", "the text of the last String begins at 0", **position_of_last_string(0))
    case("method-empty", "a request whose method has no bytes", rows=lambda c: c.rows["Request"][0].values.update(
        method=c.string("")))
    case("status-99", "a status code has three digits", **set_row("Response", 1, status=99))
    case("status-1000", "a status code has three digits", **set_row("Response", 1, status=1000))
    case("status-negative", "a status code has three digits", **set_row("Redirect", 0, status=-200))
    case("redirect-without-target", "target is null", **set_row("Redirect", 0, target=None))
    case("header-form-unknown", "form 6", **set_row("HeaderField", 0, form=6))
    case("header-form-negative", "form -1", **set_row("HeaderField", 0, form=-1))
    case("header-form-2-in-a-request", "a request has no answer whose length could be meant",
         **set_row("HeaderField", 3, form=2))
    case("header-list-too-long", "4,097 fields", **set_row("HeaderList", 0, count=4097))
    case("header-list-negative", "-1 fields", **set_row("HeaderList", 0, count=-1))
    case("header-list-past-the-rows", "more fields than there are rows", **set_row("HeaderList", 1, count=2))
    case("header-list-without-first", "fields, but no first one", **set_row("HeaderList", 0, first=None))
    case("header-field-without-name", "name is null", **set_row("HeaderField", 0, name=None))
    case("header-fill-missing", "a field of form 1, and fill is null", **set_row("Response", 3, fill=None))
    case("header-fill-past-the-strings", "fill is the last String, and there are two fields of form 1",
         **fill_past_the_end())
    invalid("header-list-of-17-mebibytes", gigabytes(), bad, "list",
            "4,096 fields that all have the same name and value, and so take no room in the file")
    case("metadata-without-name", "name is null", **set_row("Metadata", 0, name=None))
    case("metadata-with-value-and-body", "both are set", rows=lambda c: c.rows["Metadata"][0].values.update(
        body=c.rows["Body"][0]))
    # Keys
    case("key-block-shares-too-much", "a key shares 100 bytes with the one before, which has 20",
         **key_block(lambda k: k[:1] + b"\x05abcde\x64\x00"))
    case("key-block-first-shares", "the first key shares a byte with nothing", **key_block(lambda k: b"\x01" + k[1:]))
    case("key-block-ends-early", "the last key has one byte less than it says", **key_block(lambda k: k[:-1]))
    case("key-block-empty", "a key block of no bytes for five entries", **key_block(lambda k: b""))
    case("key-varint-too-long", "a varint of four bytes", **key_block(lambda k: b"\x80\x80\x80\x00" + k[1:]))
    case("key-too-long", "a key that is said to have 65,536 bytes", **key_block(lambda k: b"\x00\x80\x80\x04" + k[2:]))

    def without_last(c: Commit) -> None:
        del c.rows["KeyBlock"][-1]
    a = Archive()
    c = a.commit()
    for i in range(17):
        c.entry(f"http://example.org/{i}")
    invalid("key-block-missing", a.add(c, rows=without_last), bad, "list", "17 entries and one key block")
    # Hash table
    case("bucket-beyond-the-slots", "a bucket begins behind the last slot", **set_row("Bucket", 1, first=1000))
    case("bucket-negative", "a bucket begins at slot -1", **set_row("Bucket", 0, first=-1))
    case("buckets-decrease", "bucket 0 begins behind bucket 1", **set_row("Bucket", 0, first=5))
    case("slot-beyond-the-entries", "a slot leads to entry 1,000", **set_row("Slot", 0, entry=1000))


def refer_forward() -> Archive:
    a, c = with_dictionary()
    c.column("Entry", "answer", base=1 + 2 * 3, width=0, stored=[0] * 3, step=1)
    a.add(c)
    c = a.commit()
    c.entry("http://example.org/b", c.response(404))
    return a.add(c)


def position_of_last_string(position: int) -> dict[str, Any]:
    def before(c: Commit) -> None:
        positions, at = [], 0
        for row in c.rows["String"]:
            positions.append(at)
            at += len(row.values["text"])
        positions[-1] = position
        c.column("String", "text", base=0, step=1, width=4, stored=positions)
    return {"before": before}


def fill_past_the_end() -> dict[str, Any]:
    def rows(c: Commit) -> None:
        c.rows["HeaderField"][0].values |= {"form": 1, "value": None}
        last = c.rows["String"][-1]
        c.rows["Response"][3].values["fill"] = last
    return {"rows": rows}


def gigabytes() -> Archive:
    a = Archive()
    c = a.commit()
    name, value = c.string("X"), c.string("0" * 4200)
    rows = [c.add("HeaderField", name=name, form=0, value=value) for _ in range(4096)]
    answer = c.response()
    answer.values["headers"] = c.add("HeaderList", first=rows[0], count=4096)
    c.entry("http://example.org/", answer)
    return a.add(c)
