# SPDX-License-Identifier: Apache-2.0
"""Archives that break the rules for the classes and keys of version 1.1."""

from __future__ import annotations

from collections.abc import Callable

from .archive_builder import Archive
from .commit_builder import Commit
from .expectations import invalid
from .row_classes import Row


def wrong_records() -> None:
    def wrong(name: str, note: str, change: Callable[[Commit, Row, Row], None], where: str = "verify") -> None:
        a = Archive(minor=1)
        c = a.commit()
        body = c.body(b"Hello", raw=True)
        entry = c.entry("http://example.org/", c.response(200, body))
        change(c, entry, body)
        invalid(name, a.add(c), "damaged", where, note)

    def absent(c: Commit, entry: Row, body: Row) -> None:
        c.entry("http://example.org/absent", c.response(200, None, absent="sha1:QQ"))

    def both(c: Commit, entry: Row, body: Row) -> None:
        c.entry("http://example.org/both", c.response(200, body, absent="sha1:QQ"), role=3)

    def failure(c: Commit, entry: Row, body: Row) -> None:
        entry.values["failure"] = c.string("timeout")
    wrong("absent-body-is-served", "role is 0 for a response whose body is absent", absent, "list")
    wrong("absent-body-is-there", "a response with a body and the digest of an absent one", both, "list")
    wrong("failure-with-answer", "an entry with a failure and an answer", failure, "list")
    wrong("record-with-exchange-and-block", "a record whose block is in two places",
          lambda c, entry, body: c.add("Record", entry=entry, block=body) and None)
    wrong("record-with-derived-field", "a field of form 2 in a record",
          lambda c, entry, body: c.add("Record", **c.headers([("Content-Length", "0", 2)])) and None)
    wrong("page-without-url", "a page without a URL", lambda c, entry, body: c.add("Page", title=c.string("A")) and None)
    wrong("page-url-relative", "the URL of a page is a path",
          lambda c, entry, body: c.add("Page", url=c.string("/one")) and None)
    wrong("page-status-1000", "the status of a page is 1000",
          lambda c, entry, body: c.add("Page", url=c.string("http://example.org/"), status=1000) and None)
