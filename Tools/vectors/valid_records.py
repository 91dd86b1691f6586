# SPDX-License-Identifier: Apache-2.0
"""Right archives with the classes and keys of version 1.1."""

from __future__ import annotations

from .archive_builder import Archive
from .expectations import EXPECTED, valid
from .primitives import SECOND

WARC_HEAD = b"WARC/1.0\r\nwarc-type:metadata\r\nContent-Length: 5\r\n\r\n"


def records() -> None:
    a = Archive(minor=1)
    c = a.commit()
    page, block = c.body(b"<title>One</title>", raw=True), c.body(b"a: b\n", raw=True)
    head, wire = c.body(b"HTTP/1.1 200\r\nA:b\r\n\r\n", raw=True), c.body(b"12\r\n<title>One</title>\r\n0\r\n\r\n", raw=True)
    sent = c.body(b"GET /one HTTP/1.0\n\n", raw=True)
    record_head, text, picture = c.body(WARC_HEAD, raw=True), c.body(b"One", raw=True), c.body(b"\x89PNG", raw=True)

    def shown(row: object, **more: object) -> object:
        row.shown |= more  # type: ignore[attr-defined]
        return row
    request = c.add("Request", method=None, body=None, version=c.string("HTTP/1.0"), head=sent)
    request.shown = {"requestHeaders": [], "requestVersion": "HTTP/1.0", "requestHead": plain(sent)}
    answer = c.response(200, page, [("A", "b")], codings="chunked", version="HTTP/1.1", truncated="length")
    answer.values |= {"head": head, "wire": wire, "derived": 1}
    shown(answer, head=plain(head), wire=plain(wire), derived=1)
    one = c.entry("http://example.org/one", answer, request, time=SECOND)
    c.entry("http://example.org/absent", c.response(200, None, [("A", "b")], absent="sha1:QQ"), time=SECOND, role=3)
    lost = c.entry("http://example.org/lost", None, time=SECOND)
    lost.values["failure"] = c.string("net::ERR_NAME_NOT_RESOLVED")
    shown(lost, failure="net::ERR_NAME_NOT_RESOLVED")
    c.add("Record", version=c.string("WARC/1.0"), block=block, head=record_head,
          **c.headers([("warc-type", "metadata"), ("Content-Length", "5")]))
    c.add("Record", entry=one, part=0, end=c.string(b"\r\n\r\n\r\n"),
          **c.headers([("WARC-Type", "response"), ("WARC-Record-ID", "<urn:uuid:1>", 1)]))
    c.add("Record", entry=one, part=1, **c.headers([("WARC-Type", "request"), ("WARC-Record-ID", "<urn:uuid:2>", 1)]))
    c.add("Page", url=c.string("http://example.org/one#top"), time=SECOND, title=c.string("One"), text=text,
          screenshot=picture, status=200, seed=1, depth=0)
    c.add("Page", url=c.string("http://example.org/two"), time=0, title=None, text=None, screenshot=None, status=0,
          seed=0, depth=2)
    valid("records-and-pages", a.add(c), lookups=[("http://example.org/one", [one]), ("http://example.org/absent", []),
                                                  ("http://example.org/lost", [lost])])
    part = {"key": "http://example.org/one", "time": SECOND}
    EXPECTED["valid"]["records-and-pages.webarc"] |= {
        "records": [
            {"version": "WARC/1.0", "headers": [["warc-type", "metadata"], ["Content-Length", "5"]],
             "head": plain(record_head), "block": plain(block), "end": "\r\n\r\n"},
            {"version": "WARC/1.1", "headers": [["WARC-Type", "response"], ["WARC-Record-ID", "<urn:uuid:1>"]],
             "exchange": part | {"part": 0}, "end": "\r\n\r\n\r\n"},
            {"version": "WARC/1.1", "headers": [["WARC-Type", "request"], ["WARC-Record-ID", "<urn:uuid:2>"]],
             "exchange": part | {"part": 1}, "end": "\r\n\r\n"}],
        "pages": [
            {"url": "http://example.org/one#top", "time": SECOND, "title": "One", "text": plain(text),
             "screenshot": plain(picture), "status": 200, "seed": 1, "depth": 0},
            {"url": "http://example.org/two", "time": 0, "depth": 2}]}


def plain(body: object) -> dict[str, object]:
    """A body without its SHA-256."""
    return {key: body.shown[key] for key in ("digest", "length")}  # type: ignore[attr-defined]
