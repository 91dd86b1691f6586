# SPDX-License-Identifier: Apache-2.0
"""Right archives that hold hardly anything."""

from __future__ import annotations

from .archive_builder import Archive
from .expectations import valid
from .primitives import SECOND


def smallest() -> None:
    a = Archive()
    c = a.commit()
    c.plain = True
    c.column("Entry", "time", step=SECOND)
    e = c.entry("http://example.org/", c.response(body=c.body(b"Hello, world!\n", raw=True)),
                time=1_700_000_000 * SECOND)
    valid("smallest", a.add(c), lookups=[("http://example.org/", [e]), ("HTTP://Example.ORG:80#top", [e]),
                                         ("http://example.org/a", []), ("http://example.org/", [], "POST")])


def empty() -> None:
    a = Archive()
    a.end(96, b"")
    valid("no-sections", a)
    a = Archive()
    a.add(a.commit())
    valid("no-entries", a, lookups=[("http://example.org/", [])])
    a = Archive()
    c = a.commit()
    c.metadata("title", "Nothing but a title")
    valid("only-metadata", a.add(c))
    a = Archive()
    c = a.commit()
    c.add("Metadata", name=c.string(b"caf\xe9"), value=c.string(b"\xff title"))
    a.metadata["caf\ufffd"] = "\ufffd title"
    valid("metadata-not-utf-8", a.add(c))
    for name, offset in (("below-zero", -1), ("beyond-the-file", 1 << 50)):
        a = Archive()
        c = a.commit()
        body = c.body(b"")
        body.values["offset"] = offset
        e = c.entry("http://example.org/", c.response(body=body))
        valid(f"empty-body-offset-{name}", a.add(c), lookups=[("http://example.org/", [e])])
