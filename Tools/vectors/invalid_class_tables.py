# SPDX-License-Identifier: Apache-2.0
"""Wrong archives: class tables."""

from __future__ import annotations

from typing import Any

from .expectations import invalid
from .invalid_changes import set_key, set_table, small
from .row_classes import BYTES, INTEGER


def wrong_class_tables() -> None:
    bad = "damaged"

    def case(name: str, note: str, **changes: Any) -> None:
        invalid(name, small(**changes), bad, "open", note)
    case("class-table-cut", "CLSS ends inside its last key", classes=lambda d: d.__delitem__(slice(-1, None)))
    case("class-table-empty", "CLSS of no bytes", classes=lambda d: d.clear())
    case("class-table-trailing-byte", "a byte after the last class", classes=lambda d: d.append(0))
    case("class-table-65-classes", "more classes than there can be", tables=lambda t: t.extend(
        {"name": f"X{i}", "width": 0, "rows": 0, "earlier": 0, "first": 0, "heap": 0, "heapLength": 0, "keys": []}
        for i in range(65 - len(t))))
    case("class-table-claims-more", "65,535 classes are claimed",
         classes=lambda d: d.__setitem__(slice(0, 2), b"\xff\xff"))
    case("class-twice", "two classes String", tables=lambda t: t.append(next(x for x in t if x["name"] == "String")))
    case("class-name-empty", "a class with a name of no bytes", **set_table("Slot", name=""))
    case("class-name-too-long", "a name of 64 bytes", **set_table("Slot", name="S" * 64))
    case("class-name-not-ascii", "a name with a byte above 127", **set_table("Slot", name="\u00e9"))
    case("key-twice", "Entry has two keys time", tables=lambda t: t[0]["keys"].append(t[0]["keys"][-1]))
    case("billion-entries-claimed", "1,000,000,000 rows of Entry in a file of 2 KB", **set_table("Entry", rows=10**9))
    case("billion-rows-of-no-width", "1,000,000,000 rows of Metadata, which have width 0", **set_table(
        "Metadata", rows=10**9, width=0, keys=[]))
    case("rows-of-no-width-65537", "one row of width 0 more than is legal",
         **set_table("Bucket", rows=65_537, width=0, keys=[]))
    case("unknown-class-billion-rows-of-no-width", "the limit holds for classes that the reader does not know",
         **set_table("Slot", name="Later", rows=10**9, width=0, keys=[]))
    case("rows-outside-index", "the rows of Entry begin behind INDX", **set_table("Entry", first=1 << 40))
    case("rows-overflow", "the end of the rows is more than 64 bits hold", **set_table("Entry", first=2**64 - 1))
    case("heap-outside-index", "a heap of 2^63 bytes", **set_table("String", heapLength=2**63))
    case("heap-overflows", "the end of the heap is more than 64 bits hold",
         **set_table("String", heap=2**64 - 1, heapLength=2))
    def share(name: str, key: str, other: str) -> Any:
        def change(tables: list[dict[str, Any]]) -> None:
            named = {table["name"]: table for table in tables}
            named[name][key] = named[other]["first"]
        return change
    case("rows-shared", "the rows of Slot are those of Entry", tables=share("Slot", "first", "Entry"))
    case("heap-in-rows", "the heap of String begins in the rows of Entry", tables=share("String", "heap", "Entry"))
    case("row-too-wide", "a width of 1,025", **set_table("Redirect", width=1025, rows=0, keys=[]))
    case("key-outside-row", "offset + width is more than the row has", **set_key("Entry", "time", offset=1000))
    case("key-of-wrong-type", "Entry.time is bytes", **set_key("Entry", "time", type=BYTES))
    case("key-of-no-type", "Entry.time has type 0", **set_key("Entry", "time", type=0))
    case("key-too-wide", "an integer of 9 bytes", **set_key("Body", "digest", name="length", type=INTEGER, width=9))
    case("digest-of-15-bytes", "Body.digest has 16", **set_key("Body", "digest", width=15))
    case("digest-with-a-step", "bytes have base 0 and step 1", **set_key("Body", "digest", step=2))
    case("step-0", "a step is at least 1", **set_key("Entry", "time", step=0))
    case("step-negative", "a step is at least 1", **set_key("Entry", "time", step=-1))
    case("targets-in-another-order", "answer leads to Response or Redirect, in this order",
         **set_key("Entry", "answer", targets=("Redirect", "Response")))
    case("target-missing", "answer leads to Response only", **set_key("Entry", "answer", targets=("Response",)))
    case("target-of-another-class", "Response.body leads to Block", **set_key("Response", "body", targets=("Block",)))
    case("target-is-no-class", "the index of a class that is not there", **set_key("Response", "body", targets=(63,)))
    case("five-targets", "at most 4", **set_key("Entry", "answer", targets=("Response", "Redirect") * 2 + ("Body",)))
    case("rows-in-earlier-commits", "commit 0 says that there are rows before it", **set_table("String", earlier=1))
    case("more-rows-than-there-can-be", "more than 2^32 - 2 rows of a class", **set_table("Entry", earlier=2**32 - 1))
    a = small()
    a.earlier["String"] += 1
    c = a.commit()
    c.entry("http://example.org/b", c.response(reason="Fine"))
    invalid("earlier-rows-wrong", a.add(c), bad, "open", "commit 1 counts one String more than commit 0 has")
    a = small()
    a.earlier["Dictionary"] = 7
    c = a.commit()
    c.entry("http://example.org/b", c.response(reason="Fine"))
    invalid("earlier-rows-wrong-without-rows", a.add(c), bad, "open",
            "commit 1 lists Dictionary with no rows, and counts more than commit 0 has")
