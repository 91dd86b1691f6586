# SPDX-License-Identifier: Apache-2.0
"""A second reader of the webarc archive format, version 1.1, written from ../webarc-1.md alone.

It favours clarity over speed. It is laid out in the order of the specification's sections, over several modules:

    webarc_format.py   1 errors, 10 limits, 3 header, 4 footer and section table, 6.1 class table, 7 names and types
    webarc_reader.py   4 index pages, 5 bodies and blocks, 6.2 values, 9 finding the newest whole commit
    webarc_entries.py  7 what the rows mean, 8 keys and lookup
    webarc_similar.py  8.5 the stored content that is most alike
    webarc_trust.py    13 trees, statements, opening with keys
    webarc_descriptions.py, webarc_verifier.py, webarc_vectors.py   the entries as JSON, verify, check-vectors
    webarc_tools.py    the command line: python3 webarc_reader.py list|extract|cat|verify|check-vectors ...

It needs Python 3.11 and the package `lz4`. No length, count or offset is used before it is checked.
"""

from __future__ import annotations

import bisect
import hashlib
import os
import sys
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import lz4.block

from webarc_format import (END_SIGNATURE, HEADER_SIZE, MAX_DICTIONARY, MAX_FILE, MAX_ROWS, MAX_STRING, PAGE, SCHEMA,
                           ArchiveError, Footer, Table, check_header, damaged, like_end_signature, parse_class_table,
                           parse_footer, parse_sections)
from webarc_trust import Trust

# --- A commit (sections 4 and 6) -----------------------------------------------------------------------------------


class Commit:
    def __init__(self, archive: Archive, footer: Footer) -> None:
        self.archive, self.footer, self.number = archive, footer, footer.number
        self.sections, self.all_sections = parse_sections(footer)
        self.index, self.sums, self.blocks = (self.sections[kind] for kind in ("INDX", "ISUM", "BLKS"))
        self.pages: OrderedDict[int, bytes] = OrderedDict()
        self.key_blocks: OrderedDict[int, Any] = OrderedDict()
        self.tables: dict[str, Table] = {}
        if "CLSS" in self.sections:
            classes = self.sections["CLSS"]
            data = archive.read_at(classes.offset, classes.length)
            if zlib.crc32(data) != classes.crc:
                raise damaged("the class table's CRC is wrong", classes.offset)
            self.tables = parse_class_table(data, classes.offset, self.index.length)

    def page(self, number: int) -> bytes:
        """Section 4, index pages: a checked copy of one page, which nothing else can change."""
        data = self.pages.get(number)
        if data is None:
            at = self.index.offset + number * PAGE
            data = self.archive.read_at(at, min(PAGE, self.index.offset + self.index.length - at))
            if zlib.crc32(data) != int.from_bytes(self.archive.read_at(self.sums.offset + 4 * number, 4), "little"):
                raise damaged(f"page {number} of the index of commit {self.number}: wrong CRC", at)
            if self.archive.trust is not None:
                self.archive.trust.prove_page(self, number)
            self.pages[number] = data
            if len(self.pages) > 1024:
                self.pages.popitem(last=False)
        return data

    def index_bytes(self, offset: int, length: int) -> bytes:
        """Bytes of INDX; the caller has checked that they lie inside."""
        if length == 0:
            return b""
        first, last = offset // PAGE, (offset + length - 1) // PAGE
        joined = b"".join(self.page(p) for p in range(first, last + 1))
        return joined[offset - first * PAGE:offset - first * PAGE + length]

    def count(self, name: str) -> int:
        return self.tables[name].rows if name in self.tables else 0

    def row(self, name: str, local: int) -> Row:
        """A row by its number within this commit."""
        if not 0 <= local < self.count(name):
            raise damaged(f"commit {self.number} has no row {local} of {name}", self.index.offset)
        return Row(self, self.tables[name], local)

    def rows(self, name: str) -> Iterator[Row]:
        return (self.row(name, i) for i in range(self.count(name)))


# --- Section 6.2: rows and values ----------------------------------------------------------------------------------


class Row:
    def __init__(self, commit: Commit, table: Table, local: int) -> None:
        self.commit, self.table, self.local = commit, table, local
        start = table.first + local * table.width
        self.at = commit.index.offset + start  # for errors
        self.raw = commit.index_bytes(start, table.width)

    @property
    def number(self) -> int:
        return self.table.earlier + self.local

    def after(self, count: int) -> Row:
        """A later row of the same commit."""
        return self.commit.row(self.table.name, self.local + count)

    def integer(self, name: str, low: int = -2**63, high: int = 2**63 - 1) -> int:
        """The stored number of a key of any type but bytes; `low` and `high` are its legal values."""
        key = self.table.keys.get(name)
        if key is None:
            return SCHEMA[self.table.name][name][1]
        stored = int.from_bytes(self.raw[key.offset:key.offset + key.width], "little")
        value = key.base + key.step * stored
        if not low <= value <= high:
            raise damaged(f"{self.table.name}.{name} is {value}", self.at)
        return value

    def octets(self, name: str) -> bytes:
        key = self.table.keys.get(name)
        return bytes(SCHEMA[self.table.name][name][1]) if key is None else self.raw[key.offset:key.offset + key.width]

    def ref(self, name: str) -> Row | None:
        value = self.integer(name, 0)
        if value == 0:
            return None
        targets = self.table.keys[name].targets
        target, number = targets[(value - 1) % len(targets)], (value - 1) // len(targets)
        own = self.commit.tables[target]
        if number >= own.earlier + own.rows:
            raise damaged(f"{self.table.name}.{name} refers to {target} {number}, which is not there yet", self.at)
        return self.commit.archive.row(target, number)

    def text(self, name: str, limit: int) -> bytes:
        start = self.integer(name)
        end = self.table.heap_length
        if self.local + 1 < self.table.rows:
            end = self.after(1).integer(name)
        if not 0 <= start <= end <= self.table.heap_length or end - start > limit:
            raise damaged(f"the text of {self.table.name} {self.number}", self.at)
        return self.commit.index_bytes(self.table.heap + start, end - start)

    def string(self, name: str) -> bytes | None:
        """The text of the String that a reference leads to."""
        row = self.ref(name)
        return None if row is None else row.text("text", MAX_STRING)


# --- Section 5: a block ---------------------------------------------------------------------------------------------


def decoded_block(stored: bytes, coding: int, length: int, window: bytes, name: str, at: int | None) -> bytes:
    """A block of coding 0 or 1 from its stored bytes and its dictionary."""
    if coding == 0:
        data = stored
    else:
        if len(stored) >= length:
            raise damaged(f"{name} is not shorter than what it decodes to", at)
        try:
            data = lz4.block.decompress(stored, uncompressed_size=length, dict=window)
        except lz4.block.LZ4BlockError as error:
            raise damaged(f"{name}: {error}", at) from None
    if len(data) != length:
        raise damaged(f"{name} decodes to {len(data)} bytes, not {length}", at)
    return data


# --- The archive: section 9 (finding the newest whole commit), section 5 (bodies) -----------------------------------


def parts(path: str) -> list[str]:
    """Section 14: the files of an archive, all parts if the first is named and there is a second."""
    archive, number = path[:-4], path[-4:]
    if number != ".001" or not os.path.exists(f"{archive}.002"):
        return [path]
    names = [f"{archive}.{number:03}" for number in range(1, 1000)]
    there = [name for name in names if os.path.exists(name)]
    if there != names[:len(there)]:
        missing = next(name for name in names if name not in there)
        raise ArchiveError("truncated", f"the part {missing} is missing", None)
    return there


def check_parts(lengths: list[int]) -> None:
    """Section 14: all parts but the last have the same length."""
    for number, length in enumerate(lengths[1:], 2):
        if length > lengths[0] or length == 0 or number < len(lengths) and length != lengths[0]:
            raise ArchiveError("truncated", f"part {number} has {length} bytes, and part 1 {lengths[0]}", None)


class Archive:
    def __init__(self, path: str | os.PathLike[str], keys: set[bytes] | None = None, threshold: int = 1) -> None:
        """`keys`: trusted public keys of 32 bytes; None: read without keys."""
        self.trust: Trust | None = None
        self.files = [open(part, "rb") for part in parts(os.fspath(path))]
        try:
            self.lengths = [os.fstat(file.fileno()).st_size for file in self.files]
            check_parts(self.lengths)
            self.length = sum(self.lengths)
            if self.length > MAX_FILE:
                raise damaged("the file is too long", MAX_FILE)
            self.exponent, self.slots = check_header(self.read_at(0, min(HEADER_SIZE, self.length)))
            self.torn_tail = False
            self.last_commit_damaged = False
            self.commits = [Commit(self, footer) for footer in self._footers()]
            if keys is not None:
                self.trust = Trust(self, keys, threshold)
            self._count_rows()
        except BaseException:
            self.close()
            raise
        self._decoded: OrderedDict[int, bytes] = OrderedDict()

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for file in self.files:
            file.close()

    def read_at(self, offset: int, length: int) -> bytes:
        if offset + length > self.length:
            raise damaged("something lies behind the end of the file", self.length)
        data = b""
        while len(data) < length:
            number, start = divmod(offset + len(data), self.lengths[0])
            self.files[number].seek(start)
            piece = self.files[number].read(min(length - len(data), self.lengths[number] - start))
            if not piece:
                raise damaged("the file has become shorter", offset + len(data))
            data += piece
        return data

    # Section 9

    def intact_footer(self, at: int, wanted: int | None = None) -> Footer | None:
        """The footer at this place, if it and its section table are intact, and if it is that of the wanted commit."""
        if at < 0 or at + 64 > self.length:
            return None
        parsed = parse_footer(self.read_at(at, 64), at, wanted)
        if parsed is None:
            return None
        footer, crc = parsed
        table = self.read_at(footer.table_offset, 32 * footer.sections)
        return None if zlib.crc32(table) != crc else Footer(
            at, footer.previous, footer.number, footer.sections, footer.start, table)

    def _footers(self) -> list[Footer]:
        newest = self.intact_footer(self.length - 64) if self.length >= HEADER_SIZE + 64 else None
        if newest is None:
            self.torn_tail = True
            for slot in sorted((s for s in self.slots if s.used and s.right), key=lambda s: -s.number):
                newest = self.intact_footer(slot.offset, slot.number)
                if newest is not None:
                    break
        if newest is None:
            raise ArchiveError("truncated", "there is no whole commit", self.length)
        known = max((slot.number for slot in self.slots if slot.used and slot.right), default=0)
        self.last_commit_damaged = known > newest.number or (
            self.torn_tail and like_end_signature(self.read_at(self.length - 64, len(END_SIGNATURE))))
        footers = [newest]
        while footers[0].number > 0:
            before = self.intact_footer(footers[0].previous, footers[0].number - 1)
            if before is None:
                raise damaged("the footer of an earlier commit is not intact", footers[0].previous)
            footers.insert(0, before)
        return footers

    # Section 6.1, last paragraph

    def _count_rows(self) -> None:
        self.totals: dict[str, list[int]] = {}  # for each class: rows up to and including each commit
        for i, commit in enumerate(self.commits):
            for name, table in commit.tables.items():
                if name not in SCHEMA:
                    continue
                totals = self.totals.setdefault(name, [0] * i)
                if table.earlier != (totals[-1] if totals else 0) or table.earlier + table.rows > MAX_ROWS:
                    raise damaged(f"the row count of {name} in commit {i}", commit.sections["CLSS"].offset)
                totals.append(table.earlier + table.rows)
            for totals in self.totals.values():
                if len(totals) == i:
                    totals.append(totals[-1] if totals else 0)

    def row(self, name: str, number: int) -> Row:
        """A row by its number through all commits."""
        totals = self.totals[name]
        i = bisect.bisect_right(totals, number)
        return self.commits[i].row(name, number - (totals[i - 1] if i else 0))

    # Section 5

    def stored_block(self, row: Row) -> tuple[int, bytes]:
        """The place and the stored bytes of a block."""
        commit, number = row.commit, row.number
        start = row.integer("offset", 0, commit.blocks.length)
        last = row.local + 1 == row.table.rows
        end = commit.blocks.length if last else row.after(1).integer("offset", 0, commit.blocks.length)
        at = commit.blocks.offset + start
        if row.local == 0 and start != 0 or not 1 <= end - start <= row.integer("length", 1, 2**self.exponent):
            raise damaged(f"block {number} has the stored length {end - start}", at)
        stored = self.read_at(at, end - start)
        if zlib.crc32(stored) != row.integer("checksum"):
            raise damaged(f"block {number}: wrong CRC", at)
        if self.trust is not None:
            self.trust.prove_block(commit, row.local, at, stored)
        return at, stored

    def block(self, row: Row, may_have_dictionary: bool = True) -> bytes:
        number = row.number
        length = row.integer("length", 1, 2**self.exponent)
        coding = row.integer("coding")
        if coding not in (0, 1):
            raise ArchiveError("unsupportedFeature", f"block {number} has coding {coding}", row.at)
        dictionary = row.ref("dictionary")
        if dictionary is not None and not may_have_dictionary:
            raise damaged("the block of a dictionary has a dictionary", row.at)
        if number in self._decoded:
            return self._decoded[number]
        at, stored = self.stored_block(row)
        window = b"" if coding == 0 or dictionary is None else self.dictionary(dictionary)
        data = decoded_block(stored, coding, length, window, f"block {number}", at)
        self._decoded[number] = data
        if len(self._decoded) > 8:
            self._decoded.popitem(last=False)
        return data

    def dictionary(self, row: Row) -> bytes:
        body = row.ref("body")
        if body is None:
            raise damaged("a dictionary without a body", row.at)
        block, length = body.ref("block"), body.integer("length", 1, MAX_DICTIONARY)
        if block is None or body.integer("offset", 0) != 0 or length != block.integer("length", 1, 2**self.exponent):
            raise damaged("a dictionary that is not the whole of one block", body.at)
        return self.block(block, may_have_dictionary=False)

    def body_part(self, body: Row, start: int, end: int) -> Iterator[bytes]:
        """Some bytes of a body, which are inside it. Their digest is not computed."""
        length, block = body.integer("length", 0, MAX_FILE), body.ref("block")
        offset = body.integer("offset", 0, MAX_FILE) if length > 0 else 0
        full = 2**self.exponent
        if (length == 0) != (block is None):
            raise damaged("a body of length 0 has no block, every other one has", body.at)
        if block is not None and offset + length <= block.integer("length", 1, full):
            yield self.block(block)[offset + start:offset + end]
        elif block is not None:
            count = -(-length // full)
            if offset != 0 or block.local + count > block.table.rows:
                raise damaged("a body of several blocks does not begin a block, or has too few", body.at)
            for i in range(start // full, -(-end // full)):
                row = block.after(i)
                want = min(full, length - i * full)
                have = row.integer("length", 1, full)
                if have < want or (have != full and i < count - 1):
                    raise damaged("a block of a body of several blocks is too short", row.at)
                yield self.block(row)[max(0, start - i * full):min(want, end - i * full)]

    def body_chunks(self, body: Row) -> Iterator[bytes]:
        """The bytes of a body. If the digest is wrong that shows at the end: then drop what came before."""
        digest = hashlib.md5(usedforsecurity=False)
        for chunk in self.body_part(body, 0, body.integer("length", 0, MAX_FILE)):
            digest.update(chunk)
            yield chunk
        if digest.digest() != body.octets("digest"):
            raise damaged(f"body {body.number}: wrong digest", body.at)

    def body(self, body: Row) -> bytes:
        return b"".join(self.body_chunks(body))


if __name__ == "__main__":
    import webarc_tools

    sys.exit(webarc_tools.main())
