# SPDX-License-Identifier: Apache-2.0
"""The archive that most wrong ones are made from, and ways to change it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .archive_builder import Archive, Change
from .commit_builder import Commit
from .primitives import SECOND
from .samples import with_dictionary


def small(before: Callable[[Commit], None] | None = None, **changes: Any) -> Archive:
    """The archive that most wrong ones are made from. `before`: changes it while it is still described."""
    a, c = with_dictionary()
    shared = c.block(b"<p>one</p><p>two</p>", raw=True)
    c.entry("http://example.org/a", c.response(body=c.body(b"<p>one</p>", shared), headers=[
        ("Vary", "Accept-Language"), ("X-Fill", "filled", 1), ("Content-Length", "10", 2)]),
        c.request(headers=[("Accept-Language", "en", 1)]), time=5 * SECOND)
    c.entry("http://example.org/r", c.redirect("http://example.org/a", 302), time=7 * SECOND)
    c.metadata("title", "Example")
    if before:
        before(c)
    return a.add(c, **changes)


def set_row(of: str, number: int, **values: Any) -> dict[str, Change]:
    def rows(c: Commit) -> None:
        c.rows[of][number].values |= values
    return {"rows": rows}


def set_table(of: str, **values: Any) -> dict[str, Change]:
    def tables(found: list[dict[str, Any]]) -> None:
        next(t for t in found if t["name"] == of).update(values)
    return {"tables": tables}


def set_key(of: str, key: str, **values: Any) -> dict[str, Change]:
    def tables(found: list[dict[str, Any]]) -> None:
        table = next(t for t in found if t["name"] == of)
        next(k for k in table["keys"] if k["name"] == key).update(values)
    return {"tables": tables}


def set_footer(**values: Any) -> dict[str, Change]:
    return {"footer": lambda found: found.update(values)}


def set_section(kind: bytes, **values: Any) -> dict[str, Change]:
    def sections(found: list[dict[str, Any]]) -> None:
        next(p for p in found if p["type"] == kind).update(values)
    return {"sections": sections}


def key_block(change: Callable[[bytes], bytes], number: int = 0) -> dict[str, Change]:
    def rows(c: Commit) -> None:
        row = c.rows["KeyBlock"][number]
        row.values["keys"] = change(row.values["keys"])
    return {"rows": rows}


def stored(data: bytes, length: int = 80) -> Callable[[Commit], None]:
    """A block of these stored bytes, and a body of other ones."""
    def before(c: Commit) -> None:
        block = c.block(b"?" * length, stored=data)
        c.entry("http://example.org/lz4", c.response(body=c.body(b"?" * length, block)))
    return before
