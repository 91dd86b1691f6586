# SPDX-License-Identifier: Apache-2.0
"""Archives that keep every rule of the format, or nearly, and are made to cost their readers time or memory.

They grow by sharing and repetition: one text that every row refers to, one key that every entry has, one block that every
body claims. They are not among the vectors, for there is nothing to say about what is in them; tests and fuzzers make them.
"""

from __future__ import annotations

import hashlib
import itertools
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

from . import hostile_rows  # noqa: F401 - its makers enter the list
from .archive_builder import Archive
from .commit_builder import Commit
from .hostile_makers import MAKERS, MEBIBYTE, finished, hostile
from .lz4_encoder import lz4
from .primitives import crc


@hostile
def dictionaries_of_one_block() -> bytes:
    """Several dictionaries are the same block, so that their lengths add up to more than the file has."""
    c = Archive().commit()
    text = b"<!doctype html><html><head><title>" * 20
    body = c.body(text, raw=True)
    for _ in range(8):
        c.dictionary(text, body=body)
    c.entry("http://example.org/", c.response(body=c.body(b"short", raw=True)))
    return finished(c)


@hostile
def a_page_as_dictionary() -> bytes:
    """The dictionary of one page is another page, as a whole."""
    c = Archive().commit()
    secret = b"<!doctype html><title>Prices</title><p>hunter2 is not for everyone</p>" * 3
    body = c.body(secret, raw=True)
    dictionary = c.dictionary(secret, "html", body)
    public = c.body(secret[:22] + b"Welcome" + b"</title><p>Hello" * 3, dictionary=dictionary)
    for name, page in ("secret", body), ("public", public):
        c.entry(f"https://a.test/{name}", c.response(body=page))
    return finished(c)


@hostile
def lengths_beyond_counting() -> bytes:
    """Four million bodies of four tebibytes each: their sum does not fit 64 bits."""
    bodies, blocks = 1 << 22, 1 << 22
    c = Archive(exponent=20).commit()
    c.blocks += bytes(blocks)
    body = c.add("Body", digest=bytes(16), block=c.add("Block", offset=0, length=MEBIBYTE, checksum=0, coding=1,
                                                       dictionary=None), offset=0, length=blocks * MEBIBYTE)
    c.column("Body", "offset", listed=True, width=1)
    c.column("Block", "offset", listed=True, width=3)
    c.entry("http://example.org/", c.response(body=body))
    grown: dict[str, int] = {}

    def tables(listed: list[dict]) -> None:
        end = max(t["heap"] + t["heapLength"] for t in listed)
        for table in listed:
            if table["name"] == "Body":
                table.update(first=end, rows=bodies, width=1)
                table["keys"] = [k | {"offset": 0} for k in table["keys"] if k["name"] != "digest"]
                grown["bodies"] = end
                end += bodies
        for table in listed:
            if table["name"] == "Block":
                table.update(first=end, rows=blocks, width=3)
                grown["blocks"] = end
                end += 3 * blocks

    def index(data: bytearray) -> None:
        data += bytes(grown["bodies"] - len(data) + bodies)
        data += b"".join(struct.pack("<I", n)[:3] for n in range(blocks))

    return finished(c, tables=tables, index=index)


@hostile
def lengths_of_many_entries() -> bytes:
    """Four thousand entries, each with a body of its own of 128 TiB: 32 copies of the archive have more than 64 bits count."""
    entries, blocks = 1 << 12, 1 << 27
    c = Archive(exponent=20).commit()
    c.blocks += bytes(3)
    # Only the first block and the last one are where they are looked for.
    rows = [c.add("Block", offset=offset, length=MEBIBYTE, checksum=0, coding=1, dictionary=None) for offset in range(3)]
    for number in range(entries):
        body = c.add("Body", digest=number.to_bytes(16, "big"), block=rows[0], offset=0, length=blocks * MEBIBYTE)
        body.shown = {"digest": body.values["digest"].hex(), "length": 0, "sha256": ""}
        c.entry(f"http://example.org/{number}", c.response(body=body))
    first = 0

    def tables(listed: list[dict]) -> None:
        nonlocal first
        first = max(table["heap"] + table["heapLength"] for table in listed)
        for table in listed:
            if table["name"] == "Block":
                assert table["width"] == 1, table
                table.update(first=first, rows=blocks)

    def index(data: bytearray) -> None:
        data += bytes(first - len(data)) + b"\0" + b"\1" * (blocks - 2) + b"\2"

    return finished(c, tables=tables, index=index)


@hostile
def metadata_of_one_value() -> bytes:
    """Many names of metadata, all with one value of a mebibyte."""
    c = Archive().commit()
    value = c.string("v" * MEBIBYTE)
    for number in range(1500):
        c.add("Metadata", name=c.string(f"name{number}"), value=value, body=None)
    c.entry("http://example.org/", c.response(body=c.body(b"page", raw=True)))
    return finished(c)


@hostile
def deep_paths() -> bytes:
    """URLs of 32,000 folders each."""
    c = Archive().commit()
    body = c.body(b"page", raw=True)
    for number in range(16):
        c.entry("http://example.org/" + "a/" * 32_000 + str(number), c.response(body=body))
    return finished(c)


@hostile
def vary_of_long_lists() -> bytes:
    """A thousand captures of one URL, whose Vary names thousands of fields thousands of times."""
    c = Archive().commit()
    names = ", ".join(f"x-{number}" for number in range(3000))
    answer = c.response(body=c.body(b"page", raw=True), headers=[("Vary", names)] * 500)
    request = c.request(headers=[(f"x-{number}", "1") for number in range(3000)])
    for number in range(1000):
        c.entry("http://example.org/", answer, request, time=number + 1)
    return finished(c)


@hostile
def vary_of_one_name() -> bytes:
    """A thousand captures of one URL, whose Vary names one field 64 times, which is a list of 8,000 elements."""
    c = Archive().commit()
    answer = c.response(body=c.body(b"page", raw=True), headers=[("Vary", ",".join(["x-a"] * 64))])
    request = c.request(headers=[("x-a", "," * 8000)])
    for number in range(1000):
        c.entry("http://example.org/", answer, request, time=number + 1)
    return finished(c)


@hostile
def long_paths() -> bytes:
    """Twenty thousand files in one folder, which is 252 folders deep."""
    c = Archive().commit()
    answer = c.response(body=c.body(b"page", raw=True))
    for number in range(20_000):
        c.entry("http://example.org/" + "a/" * 253 + f"{number:05d}", answer)
    return finished(c)


@hostile
def folders_of_their_own() -> bytes:
    """Two thousand files, each of one byte and below 252 folders that no other has."""
    c = Archive().commit()
    answer = c.response(body=c.body(b"p", raw=True))
    for number in range(2000):
        c.entry(f"http://example.org/{number}/" + "a/" * 252 + "f", answer)
    return finished(c)


@hostile
def many_hosts() -> bytes:
    """Twenty thousand hosts."""
    c = Archive().commit()
    answer = c.response(body=c.body(b"p", raw=True))
    for number in range(20_000):
        c.entry(f"https://h{number:05d}.example.org/", answer)
    return finished(c)


def shared(count: int = 65_536, distinct: bool = False, **texts: str) -> bytes:
    c = Archive().commit()
    body = c.body(b"page", raw=True)
    method = texts.pop("method", None)
    url = texts.pop("url", None)
    target = texts.pop("target", None)
    headers = [("x", texts.pop("field"))] * 4096 if "field" in texts else []
    if target is not None:
        answer = c.redirect(target, headers=headers, **texts)
    else:
        answer = c.response(body=body, headers=headers, **texts)
    for number in range(count):
        c.entry(f"http://example.org/{number if distinct else ''}", answer, url=url)
    # Only now, for the order of the entries would have to compare it.
    request = c.request(method) if method else None

    def rows(commit: Commit) -> None:
        for row in commit.rows["Entry"]:
            row.values["request"] = request

    return finished(c, rows=rows)


@hostile
def headers_of_all() -> bytes:
    """Every entry has one list of 4,096 fields, of sixteen mebibytes together."""
    return shared(field="v" * 4000)


@hostile
def short_headers_of_all() -> bytes:
    """Every entry has one list of 4,096 empty fields."""
    return shared(field="")


@hostile
def method_of_all() -> bytes:
    """Every request has a method of a mebibyte."""
    return shared(method="M" * MEBIBYTE)


@hostile
def media_type_of_all() -> bytes:
    """Every response has a media type of a mebibyte, and every entry a key of its own."""
    return shared(distinct=True, mediaType="t/" + "x" * (MEBIBYTE - 2))


@hostile
def target_of_all() -> bytes:
    """Every entry redirects to a URL of nearly 64 KiB."""
    return shared(distinct=True, target="http://example.org/" + "t" * 65_000)


@hostile
def url_of_all() -> bytes:
    """Every entry was asked for by a URL of 64 KiB, which comes down to a short one."""
    return shared(url="http://example.org/" + "a/../" * 13_000)


@hostile
def key_of_all() -> bytes:
    """Every entry has one key of nearly 64 KiB."""
    c = Archive().commit()
    answer = c.response(body=c.body(b"page", raw=True))
    for _ in range(2048):
        c.entry("http://example.org/" + "k" * 65_000, answer)
    return finished(c)


@hostile
def body_of_all() -> bytes:
    """Thousands of files have one body, so that unpacking them would fill a disk."""
    c = Archive(exponent=20).commit()
    body = c.body(bytes(16 * MEBIBYTE))
    for number in range(65_536):
        c.entry(f"http://example.org/{number}.bin", c.response(body=body) if number == 0 else c.rows["Response"][0])
    return finished(c)


@hostile
def ambiguous_digest() -> bytes:
    """Thousands of entries have a body that shares its digest with another, so that bytes have to be compared."""
    c = Archive(exponent=20).commit()
    body = c.body(bytes(MEBIBYTE))
    c.body(bytes(MEBIBYTE - 1), digest=body.values["digest"])
    answer = c.response(body=body)
    for number in range(4000):
        c.entry(f"http://example.org/{number}", answer)
    return finished(c)


@hostile
def bodies_through_many_blocks() -> bytes:
    """Each of 8,000 bodies runs through 8,000 blocks, which take a byte each."""
    count = 8000
    c = Archive(exponent=12).commit()
    c.blocks += bytes(count)
    blocks = [c.add("Block", offset=n, length=4096, checksum=0, coding=1, dictionary=None) for n in range(count)]
    for number in range(count):
        body = c.add("Body", digest=bytes(16), block=blocks[0], offset=0, length=4096 * count)
        body.shown = {"digest": "0" * 32, "length": 0, "sha256": ""}
        c.entry(f"http://example.org/{number}", c.response(body=body))
    return finished(c)


@hostile
def bodies_of_one_digest() -> bytes:
    """Thirty thousand bodies differ, and name one digest."""
    count = 30_000
    c = Archive(exponent=20).commit()
    block = c.block(bytes(range(256)) * 256)
    for number in range(count):
        body = c.body(bytes(4), digest=bytes(16), block=block, offset=number)
        c.entry(f"http://example.org/{number}", c.response(body=body))
    return finished(c)


@hostile
def bad_key() -> bytes:
    """One key that is no URL, among others that are."""
    c = Archive().commit()
    for key in ("http://example.org/a", "no URL", "http://example.org/z"):
        c.entry(key, c.response(body=c.body(key.encode(), raw=True)))
    return finished(c)


@hostile
def bad_target() -> bytes:
    """A redirect to what is no URL."""
    c = Archive().commit()
    c.entry("http://example.org/a", c.redirect("no URL"))
    c.entry("http://example.org/z", c.response(body=c.body(b"page", raw=True)))
    return finished(c)


@hostile
def vary_of_many_long_names() -> bytes:
    """A thousand captures of a response that varies by 64 names, and of a request with twice as many fields."""
    c = Archive().commit()
    stem = "x" * 60
    answer = c.response(body=c.body(b"page", raw=True),
                        headers=[("Vary", ",".join(f"{stem}{n:02d}" for n in range(64)))])
    request = c.request(headers=[(stem + "zz", "")] * 131)
    for number in range(999):
        c.entry("http://example.org/?q", answer, request, time=number + 1)
    c.entry("http://example.org/?q", time=10**6)
    c.entry("http://example.org/ok", c.response(body=c.body(b"ok", raw=True)))
    return finished(c)


@hostile
def vary_of_names_out_of_order() -> bytes:
    """A thousand captures without a response for a URL and for one with a query, which vary by names in no normal form of Unicode."""
    c = Archive().commit()
    text = "\u1e9b\u0323" * 12
    vary = c.response(body=c.body(b"page", raw=True), headers=[("Vary", ",".join(f"{text}{n:02d}" for n in range(64)))])
    request = c.request(headers=[("a", "")])
    for url in ("http://example.org/", "http://example.org/?q"):
        for number in range(998):
            c.entry(url, vary, request, time=number + 1)
        c.entry(url, time=10**6)
    c.entry("http://example.org/ok", c.response(body=c.body(b"ok", raw=True)))
    return finished(c)


@hostile
def queries_of_many_parameters() -> bytes:
    """Queries of 65,000 empty parameters."""
    c = Archive().commit()
    answer = c.response(body=c.body(b"page", raw=True))
    for number in range(240):
        c.entry("http://example.org/?" + "&" * (65_000 + number), answer)
    return finished(c)


@hostile
def dictionaries_of_zeros() -> bytes:
    """Four thousand dictionaries of next to nothing but zeros, each with a block that was compressed against it."""
    size, zeros = 1 << 16, bytes(1 << 16)
    archive = Archive(exponent=16)
    c = archive.commit()
    for number in range(4000):
        contents = zeros[:size - number]
        body = c.add("Body", digest=hashlib.md5(contents).digest(), block=c.block(contents), offset=0, length=len(contents))
        text = struct.pack("<H", number) + bytes(34)
        stored = lz4(text, b"")
        own = c.add("Block", offset=len(c.blocks), length=len(text), checksum=crc(stored), coding=1,
                    dictionary=c.add("Dictionary", body=body))
        c.blocks += stored
        used = c.add("Body", digest=hashlib.md5(text).digest(), block=own, offset=0, length=len(text))
        for row in (body, used):
            row.shown = {}
        c.entry(f"http://example.org/{number}", c.response(body=used))
    # Two commits, so that compacting has something to do.
    archive.add(c)
    c = archive.commit()
    c.entry("http://example.org/", c.response(body=c.body(b"x", raw=True)))
    return finished(c)


@hostile
def redirects_of_one_tag() -> bytes:
    """Redirects through a chain, in hundreds of commits whose keys all lie in one bucket under one tag."""
    tag = zlib.crc32(b"http://h/0") >> 24
    keys = (key for key in map("http://h/{:x}".format, itertools.count()) if zlib.crc32(key.encode()) >> 24 == tag)
    chain = list(itertools.islice(keys, 40))
    archive = Archive(exponent=12)
    c = archive.commit()
    c.buckets = 1
    targets = [c.redirect(chain[(number + 1) % 40]) for number in range(40)]
    for key, target in zip(chain, targets):
        c.entry(key, target)
    archive.add(c)
    for _ in range(300):
        c = archive.commit()
        c.buckets = 1
        for key in itertools.islice(keys, 64):
            c.entry(key, targets[0])
        archive.add(c)
    return bytes(archive.data)


def in_turn(count: int, rows: Callable[[Commit], Callable[[int], None]]) -> bytes:
    """Rows that take one of two long texts in turn, so that remembering the last one does not help."""
    c = Archive(exponent=12).commit()
    add = rows(c)
    for number in range(count):
        add(number)
    return finished(c)


@hostile
def targets_in_turn() -> bytes:
    def rows(c: Commit) -> Callable[[int], None]:
        targets = [c.string("http://h/" + letter * 65_000) for letter in "ab"]

        def add(number: int) -> None:
            row = c.add("Redirect", status=301, target=targets[number % 2])
            row.shown = {}
            if number == 0:
                c.entry("http://h/", row)
        return add
    return in_turn(150_000, rows)


@hostile
def metadata_in_turn() -> bytes:
    def rows(c: Commit) -> Callable[[int], None]:
        name, values = c.string("n"), [c.string(letter * 200_000) for letter in "\u00e9\u00e8"]
        c.entry("http://h/", None)
        return lambda number: c.add("Metadata", name=name, value=values[number % 2], body=None) and None
    return in_turn(60_000, rows)


def sparse(path: Path) -> None:
    """A gibibyte of an index, of which the file system has nothing: neither its pages nor their sums are right."""
    length = 1 << 30
    archive = Archive()
    head = bytes(archive.data)
    sections = ((b"INDX", len(head), length), (b"ISUM", len(head) + length, 4 * (length // 4096)))
    end = len(head) + length + 4 * (length // 4096)
    table = b"".join(struct.pack("<4sIQQII", kind, 1, offset, size, 0, 0) for kind, offset, size in sections)
    footer = b"\x89WEBEND\n" + struct.pack("<QQIIQI16s", end + len(table), 0, 0, 2, len(head), crc(table), bytes(16))
    with path.open("wb") as file:
        file.write(head)
        file.seek(end)
        file.write(table + footer + struct.pack("<I", crc(footer)))


def main() -> None:
    name, path = sys.argv[1], Path(sys.argv[2])
    if name == "sparse-index":
        sparse(path)
    else:
        path.write_bytes(MAKERS[name]())


if __name__ == "__main__":
    main()
