# SPDX-License-Identifier: Apache-2.0
"""A site with a bit of everything."""

from __future__ import annotations

import hashlib
from typing import Any

from .archive_builder import Archive
from .commit_builder import Commit
from .primitives import SECOND
from .row_classes import Row
from .samples import NOISE


def fill_site(c: Commit, raw: bool = False, many: int = 20) -> dict[str, Row]:
    """A bit of everything."""
    d = c.dictionary(b"The quick brown fox jumps over the lazy dog. " * 6, "text/plain", raw=raw)
    page = c.body(b"The quick brown fox jumps over the lazy dog. The quick dog. " * 2, raw=raw, dictionary=d)
    shared = c.block(b"<p>one</p><p>two</p>", raw=True)
    one, two = c.body(b"<p>one</p>", shared), c.body(b"<p>two</p>", shared, 10)
    sent = c.body(b"one</p><p>t", shared, 3)
    nothing = c.body(b"")
    large = c.body((b"0123456789abcde\n" * 600 + NOISE(40))[:9_621], raw=raw)
    digest = page.shown["digest"]
    answer = c.response(
        200, page, reason="OK", mediaType="text/html", charset="utf-8", address="192.0.2.1", codings="gzip, chunked",
        modified=1_700_000_000 * SECOND + 999, headers=[
            ("Date", "Tue, 14 Nov 2023 22:13:21 GMT", 4), ("X-Fill", "first", 1), ("content-length", "120", 2),
            ("Last-Modified", "Tue, 14 Nov 2023 22:13:20 GMT", 3), ("ETag", f'"{digest}"', 5), ("X-Fill", "second", 1),
            ("Content-Type", "text/html; charset=UTF-8"), ("X-Bytes", b"caf\xe9 \x80\xff"), ("X-Empty", "")])
    e = {"root": c.entry("http://example.org/", answer, url="HTTP://Example.org:80#top",
                         time=1_700_000_001 * SECOND + 5)}
    for language, body, time in (("en", one, 10), ("de", two, 20)):
        request = c.request(headers=[("Accept-Language", language, 1), ("Host", "example.org")])
        e[language] = c.entry("http://example.org/vary", c.response(200, body, [("Vary", "Accept-Language")]), request,
                              time=time * SECOND)
    none = [("ETag", '"d41d8cd98f00b204e9800998ecf8427e"', 5), ("Content-Length", "0", 2)]
    e["post"] = c.entry("http://example.org/post", c.response(201, nothing, none), c.request("POST", body=sent),
                        time=SECOND)
    e["put"] = c.entry("http://example.org/post", c.response(204, None, none), c.request("PUT"), time=-SECOND)
    e["redirect"] = c.entry("http://example.org/r", c.redirect("http://example.org/", 302, headers=[
        ("Location", "/")] + none), time=2 * SECOND)
    e["permanent"] = c.entry("http://example.org/p",
                             c.redirect("http://example.org/", body=one, reason="Moved Permanently"))
    e["large"] = c.entry("http://example.org/large", c.response(200, large), time=2 * SECOND)
    e["alias"] = c.entry("http://example.org/index", answer, time=1_700_000_001 * SECOND, role=1)
    e["hidden"] = c.entry("http://example.org/_headers", c.response(404), role=2)
    e["later role"] = c.entry("http://example.org/later", c.response(404), role=7)
    e["nothing"] = c.entry("http://example.org/nothing/")
    for i in range(many):
        e[f"many {i}"] = c.entry(f"http://example.org/many/{i}", c.response(203, one), time=SECOND)
    c.metadata("title", "Przyk\u0142ad")
    c.metadata("icon", body=two)
    c.metadata("x-gone", "soon")
    c.metadata("x-gone")
    return e


def site_lookups(e: dict[str, Row]) -> list[tuple]:
    sent = hashlib.md5(b"one</p><p>t").hexdigest()
    return [("http://example.org/", [e["root"]]), ("http://example.org/vary", [e["de"], e["en"]]),
            ("http://example.org/a/../vary?", []), ("http://example.org/post", []),
            ("http://example.org/post", [e["post"]], "POST", sent), ("http://example.org/post", [], "POST"),
            ("http://example.org/post", [e["put"]], "PUT"), ("http://example.org/index", [e["alias"]]),
            ("http://example.org/_headers", []), ("http://example.org/later", []),
            ("http://example.org/nothing/", [e["nothing"]]), ("http://example.org/many/1", [e["many 1"]])]


def site(**how: Any) -> tuple[Archive, dict[str, Row]]:
    a = Archive()
    c = a.commit()
    e = fill_site(c, how.pop("raw", False), how.pop("many", 20))
    for name, value in how.items():
        setattr(c, name, value)
    return a.add(c), e
