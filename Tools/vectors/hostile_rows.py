# SPDX-License-Identifier: Apache-2.0
"""Hostile archives: rows that take no bytes, or that share what they refer to."""

from __future__ import annotations

import random

from .archive_builder import Archive
from .commit_builder import Commit
from .hostile_makers import MEBIBYTE, finished, hostile
from .lz4_encoder import lz4_sequence

CLASSES = ["Request", "Response", "Redirect", "Body", "HeaderField", "HeaderList"]


def free_rows(commits: int, names: list[str], damaged: bool = False) -> bytes:
    """Each of some classes has 65,536 rows that take no room."""
    archive = Archive()
    for _ in range(commits):
        c = archive.commit()
        block = c.block(b"x" * 64, raw=True)
        if damaged:
            block.values["checksum"] = 1
        body = c.add("Body", digest=bytes(16), block=block, offset=0, length=64)
        body.shown = {"digest": "0" * 32, "length": 64, "sha256": ""}
        redirect = c.redirect("http://example.org/x", body=body)
        c.entry("http://example.org/", redirect, c.request(body=body))
        c.response(body=body)
        field = c.add("HeaderField", name=c.string("http://example.org/x"), form=0, value=None)
        c.add("HeaderList", first=field, count=1)
        with_rows(archive, c, **{name: 65_536 for name in names})
    return bytes(archive.data)


@hostile
def free_rows_of_one_commit() -> bytes:
    """All bodies have one digest, which is not theirs."""
    return free_rows(1, ["Body"])


@hostile
def free_rows_of_damaged_blocks() -> bytes:
    """All bodies have one digest, and none can be read."""
    return free_rows(1, ["Body"], damaged=True)


@hostile
def free_rows_of_many_commits() -> bytes:
    """A file of some kilobytes has millions of rows."""
    return free_rows(64, CLASSES)


@hostile
def lists_in_every_row() -> bytes:
    """Responses that take lists of the same four thousand fields in turn."""
    c = Archive(exponent=12).commit()
    name = c.string("x")
    fields = [c.add("HeaderField", name=name, form=0, value=None) for _ in range(4096)]
    lists = [c.add("HeaderList", first=fields[0], count=4096) for _ in range(128)]
    for number in range(300_000):
        row = c.add("Response", status=200, headers=lists[number % 128])
        row.shown = {}
        if number == 0:
            c.entry("http://h/", row)
    return finished(c)


def with_rows(archive: Archive, c: Commit, **counts: int) -> None:
    """Adds a commit some of whose classes have more rows, which take no room."""
    def tables(listed: list[dict]) -> None:
        for table in listed:
            if table["name"] in counts:
                assert table["width"] == 0, table
                table["rows"] = counts[table["name"]]

    archive.add(c, tables=tables)
    for name, count in counts.items():
        archive.earlier[name] += count - len(c.rows[name])


@hostile
def blocks_that_are_none() -> bytes:
    """Thousands of bodies of the same blocks, among blocks of a mebibyte each that take no bytes."""
    archive = Archive(exponent=20)
    c = archive.commit()
    blocks = [c.block(bytes(MEBIBYTE)) for _ in range(5)]
    end = len(c.blocks)
    for _ in range(20_000):
        c.add("Block", offset=end, length=MEBIBYTE, checksum=blocks[0].values["checksum"], coding=1, dictionary=None)
    body = c.add("Body", digest=bytes(16), block=blocks[0], offset=0, length=5 * MEBIBYTE)
    body.shown = {"digest": "0" * 32, "length": 5 * MEBIBYTE, "sha256": ""}
    c.entry("http://h/", c.response(body=body))
    with_rows(archive, c, Body=6000)
    return bytes(archive.data)


@hostile
def responses_of_no_bytes() -> bytes:
    """A million responses without bytes, each with all of its fields."""
    archive = Archive(exponent=16)
    for number in range(17):
        c = archive.commit()
        body = c.body(bytes(65_536), raw=True)
        response = c.response(body=body, headers=[("A", "b")], modified=1)
        text = c.string("text/plain")
        for key in ("reason", "mediaType", "charset", "codings", "address"):
            response.values[key] = text
        c.entry(f"http://h/{number}", response)
        with_rows(archive, c, Response=64_000)
    return bytes(archive.data)


@hostile
def lists_of_no_bytes() -> bytes:
    """A million empty header lists, each of which is an object and an array in other formats."""
    archive = Archive(exponent=16)
    for number in range(17):
        c = archive.commit()
        c.entry(f"http://h/{number}", c.response(body=c.body(bytes(65_536), raw=True)))
        c.add("HeaderList", first=None, count=0)
        with_rows(archive, c, HeaderList=64_000)
    return bytes(archive.data)


@hostile
def dictionaries_of_one_name() -> bytes:
    """Dictionaries of a few bytes, all of which share a long name that is not UTF-8."""
    archive = Archive(exponent=12)
    c = archive.commit()
    name = b"\xFF" * 345_000
    for number in range(2000):
        text = number.to_bytes(2, "little") * 20
        block = c.block(text + b"!", dictionary=c.dictionary(text, name=name))
        c.entry(f"http://h/{number}", c.response(body=c.body(text + b"!", block=block)))
    archive.add(c)
    c = archive.commit()
    c.entry("http://h/", c.response(body=c.body(b"x", raw=True)))
    return finished(c)


@hostile
def long_blocks_among_short_ones() -> bytes:
    """Blocks of two letters, which take the slowest levels long, where an evenly spread sample meets nothing else."""
    chance = random.Random(5)
    archive = Archive(exponent=20)
    c = archive.commit()
    dictionary = c.dictionary(bytes(chance.choice(b"ab") for _ in range(65_536)), raw=True)
    matches = [lz4_sequence(bytes([chance.choice(b"ab")]), chance.randrange(60_000, 65_536), 400) for _ in range(2600)]
    long = b"".join(matches) + lz4_sequence(b"b" * (MEBIBYTE - 2600 * 401))
    short = lz4_sequence(b"", 65_535, 55) + lz4_sequence(b"aaaaa")
    for number in range(100):
        block = c.block(bytes(MEBIBYTE), stored=long, dictionary=dictionary)
        c.entry(f"http://h/{number}", c.response(body=c.body(bytes(MEBIBYTE), block)))
        for _ in range(25):
            c.block(bytes(60), stored=short, dictionary=dictionary)
    return finished(c)


@hostile
def metadata_of_one_long_name() -> bytes:
    """Thousands of names of metadata, one of which is as long as a string can be."""
    c = Archive().commit()
    c.entry("http://h/", c.response(body=c.body(b"x", raw=True)))
    c.metadata("n" * 1_000_000, "v")
    for number in range(3000):
        c.metadata(f"{number}", "v")
    return finished(c)


@hostile
def lists_of_long_names() -> bytes:
    """Header lists of as many fields as there may be, each of whose names and values is as long as a string can be."""
    archive = Archive(exponent=20)
    for number in range(200):
        c = archive.commit()
        if number == 0:
            long = c.string("a" * 1_000_000)
            first = [c.add("HeaderField", name=long, form=0, value=long) for _ in range(4096)][0]
            for _ in range(129):
                headers = c.add("HeaderList", first=first, count=4096)
            c.strings.clear()
        response = c.response(body=c.body(b"x", raw=True))
        response.values["headers"] = headers
        c.entry(f"http://h/{number}", response)
        archive.add(c)
    return bytes(archive.data)


@hostile
def bodies_of_one_digest_in_turn() -> bytes:
    """Short bodies of one digest, in turn in more large blocks than a reader keeps."""
    archive = Archive(exponent=20)
    c = archive.commit()
    blocks = [c.block(bytes([n]) * MEBIBYTE) for n in range(20)]
    for number in range(4000):
        body = c.body(bytes([number % 20]) * 4, digest=bytes(16), block=blocks[number % 20], offset=number)
        c.entry(f"http://h/{number:04d}", c.response(body=body))
    archive.add(c)
    c = archive.commit()
    c.entry("http://h/", c.response(body=c.body(b"x", raw=True)))
    return finished(c)


@hostile
def bytes_in_no_block() -> bytes:
    """Bytes of BLKS in a commit without rows of Block."""
    c = Archive().commit()
    c.blocks += b"no block has these"
    c.entry("http://h/", c.response(204))
    return finished(c)


def of_one_digest(count: int, shortest: int, step: int) -> bytes:
    """Bodies of zeros that name one digest, which is not theirs, of this length and each longer one by a step."""
    c = Archive(exponent=20).commit()
    block = c.block(bytes(count + step * count))
    for number in range(count):
        body = c.add("Body", digest=b"\1" * 16, block=block, offset=number, length=shortest + step * number)
        body.shown = {"digest": "01" * 16, "length": 0, "sha256": ""}
        if number == 0:
            c.entry("http://h/", c.response(body=body))
    return finished(c)


@hostile
def lengths_of_one_digest() -> bytes:
    """Bodies of one digest and all lengths from 2 on."""
    return of_one_digest(60_000, 2, 1)


@hostile
def bodies_of_one_length() -> bytes:
    """Bodies of one byte, which fill a block, and name one digest."""
    return of_one_digest(60_000, 1, 0)


@hostile
def rows_of_wrong_values() -> bytes:
    """A million rows without bytes, in each of which each reference is wrong."""
    archive = Archive(exponent=16)
    for number in range(17):
        c = archive.commit()
        body = c.add("Body", digest=bytes(16), block=c.block(bytes(65_536), raw=True), offset=0, length=65_536)
        body.shown = {"digest": "0" * 32, "length": 65_536, "sha256": ""}
        c.entry(f"http://h/{number}", c.response(body=body))
        for key in ("reason", "headers", "fill", "mediaType", "charset", "codings", "address", "body"):
            c.column("Response", key, base=10**7, width=0, stored=[0])
        with_rows(archive, c, Response=64_000)
    return bytes(archive.data)


@hostile
def rows_of_many_findings() -> bytes:
    """A million rows without bytes, each of which suffers from the same sixteen damaged blocks."""
    archive = Archive(exponent=12)
    body = None
    for number in range(17):
        c = archive.commit()
        if body is None:
            blocks = [c.block(bytes([n]) * 4096) for n in range(17)]
            for block in blocks:
                block.values["checksum"] = 1
            body = c.add("Body", digest=bytes(16), block=blocks[0], offset=0, length=17 * 4096)
            body.shown = {"digest": "0" * 32, "length": 17 * 4096, "sha256": ""}
        response = c.response(body=body)
        c.entry(f"http://h/{number}", response, c.request(body=body))
        # An archive may have a row for each of its bytes.
        for _ in range(15):
            c.block(bytes(4096), raw=True)
        with_rows(archive, c, Response=31_000, Request=31_000)
    return bytes(archive.data)


@hostile
def folders_in_many_commits() -> bytes:
    """Folders that lead elsewhere by the thousand, whose index files could be in any of a thousand commits."""
    archive = Archive(exponent=12)
    for number in range(1000):
        c = archive.commit()
        c.entry(f"http://b/{number}", c.response(204) if number == 0 else None)
        archive.add(c)
    c = archive.commit()
    elsewhere = c.redirect("http://a/elsewhere")
    for number in range(20_000):
        c.entry(f"http://a/{number}/", elsewhere, role=1)
    return finished(c)
