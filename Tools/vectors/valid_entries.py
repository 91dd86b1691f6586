# SPDX-License-Identifier: Apache-2.0
"""Right archives about hash tables, numbers and keys."""

from __future__ import annotations

from .archive_builder import Archive
from .expectations import valid
from .primitives import SECOND, crc
from .urls import CANONICAL


def hash_tables() -> None:
    for name, count, buckets in (("one-bucket-of-100", 100, 1), ("one-bucket-of-64", 64, 1),
                                 ("more-buckets-than-keys", 10, 256)):
        a = Archive()
        c = a.commit()
        c.buckets = buckets
        found = [c.entry(f"http://example.org/{i:03}", time=i) for i in range(count)]
        lookups = [(f"http://example.org/{i:03}", [found[i]]) for i in (0, 7, count - 1)]
        lookups += [("http://example.org/", []), ("http://example.org/0070", []), ("z:", [])]
        valid(name, a.add(c), lookups=lookups)
    # Two keys with the same CRC-32, and so the same bucket and the same tag; and equal tags in one bucket.
    seen: dict[int, str] = {}
    pair = None
    for i in range(2_000_000):
        key = f"http://example.org/{i * 2654435761 % 2**32:x}"
        if (other := seen.setdefault(crc(key.encode()), key)) != key:
            pair = (other, key)
            break
    assert pair
    a = Archive()
    c = a.commit()
    rows = [c.entry(key, c.response(200 + i, c.body(b"%d" % i, raw=True))) for i, key in enumerate(pair)]
    valid("two-keys-of-one-hash", a.add(c), lookups=[(key, [row]) for key, row in zip(pair, rows)])
    a = Archive()
    c = a.commit()
    same = [c.entry("http://example.org/", c.response(200 + i), time=time) for i, time in enumerate((5, 9, 0, 9, -3))]
    c.entry("http://example.org/a")
    # Newest first; of two of the same time the one that was written later.
    valid("many-captures", a.add(c), lookups=[("http://example.org/", [same[i] for i in (3, 1, 0, 2, 4)])])


def numbers() -> None:
    a = Archive()
    c = a.commit()
    for i, time in enumerate((-2**63, -1, 0, 1, 2**63 - 1)):
        c.entry(f"http://example.org/{i}", time=time)
    valid("times-of-64-bits", a.add(c))
    a = Archive()
    c = a.commit()
    dates = [("http://example.org/0", -2**63, "Tue, 21 Sep 1677 00:12:43 GMT"),
             ("http://example.org/1", -1, "Wed, 31 Dec 1969 23:59:59 GMT"),
             ("http://example.org/2", 0, "Thu, 01 Jan 1970 00:00:00 GMT"),
             ("http://example.org/3", 951_782_400 * SECOND, "Tue, 29 Feb 2000 00:00:00 GMT"),
             ("http://example.org/4", 4_107_542_400 * SECOND - 1, "Sun, 28 Feb 2100 23:59:59 GMT"),
             ("http://example.org/5", 2**63 - 1, "Fri, 11 Apr 2262 23:47:16 GMT")]
    c.column("Entry", "time", base=0, step=1, width=8, stored=[0] * 6)
    for url, time, date in dates:
        c.entry(url, c.response(modified=time, headers=[("Last-Modified", date, 3)]))
    c.column("Response", "modified", base=-2**63, step=1, width=8, stored=[time + 2**63 for _, time, _ in dates])
    valid("dates", a.add(c))
    # Rows without a width: every value is its key's base or its default.
    a = Archive()
    c = a.commit()
    answer = c.response(404, reason="Not Found")
    for i in range(40):
        c.entry(f"http://example.org/{i}", answer, time=7)
    valid("entries-of-width-0", a.add(c))
    # Step and base of a reference: every third Response.
    a = Archive()
    c = a.commit()
    answers = [c.response(200 + i) for i in range(9)]
    for i in range(3):
        c.entry(f"http://example.org/{i}", answers[3 * i + 1])
    valid("references-with-base-and-step", a.add(c))


def keys() -> None:
    a = Archive()
    c = a.commit()
    long = "http://example.org/" + "0123456789abcdef" * 1024
    e = [c.entry(long[:n] + end) for n, end in ((16_400, ""), (100, ""), (147, "x"), (16_390, "zz"))]
    valid("long-keys", a.add(c), lookups=[(long[:16_390] + "zz", [e[3]]), (long[:147], [])])
    a = Archive()
    c = a.commit()
    seen = set()
    for text, form in CANONICAL:
        c.entry(form, c.response(200 + len(seen)), url=text if text != form else None, time=len(seen))
        seen.add(text)
    valid("urls", a.add(c))
