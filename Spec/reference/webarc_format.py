# SPDX-License-Identifier: Apache-2.0
"""Sections 1, 3, 4, 6.1 and 10 of ../webarc-1.md, and the names of section 7: what can be parsed from bytes alone."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Any

# --- Section 1: terminology, errors --------------------------------------------------------------------------------

CODES = ("notAnArchive", "unsupportedVersion", "unsupportedFeature", "truncated", "damaged", "limitExceeded", "untrusted",
         "changed")


class ArchiveError(Exception):
    """The fault, as one of CODES, and its byte offset in the file (None if there is none)."""

    def __init__(self, code: str, message: str, offset: int | None = None) -> None:
        super().__init__(message)
        assert code in CODES
        self.code, self.message, self.offset = code, message, offset

    def __str__(self) -> str:
        return f"{self.code}: {self.message}" + ("" if self.offset is None else f" (at byte {self.offset})")


def damaged(message: str, offset: int | None = None) -> ArchiveError:
    return ArchiveError("damaged", message, offset)


def untrusted(message: str, offset: int | None = None) -> ArchiveError:
    return ArchiveError("untrusted", message, offset)


# --- Section 10: limits --------------------------------------------------------------------------------------------

MAX_FILE = 2**48 - 1
MAX_ROWS = 2**32 - 2
MAX_COMMITS = 1024
MAX_SECTIONS = 64
MAX_CLASS_TABLE, MAX_CLASSES, MAX_KEYS = 65_536, 64, 64
MAX_DICTIONARY = 65_536
MAX_STRING = 1_048_576
MAX_KEY = 65_535
MAX_FIELDS = 4096
MAX_HEADER_BYTES = 2**24
MAX_METADATA_BYTES = 2**24  # names and values with VALUE_COST for each: a limit that a reader MAY have
VALUE_COST = 64
MAX_EMPTY_ROWS = 65_536
MAX_KEY_BLOCK = 16 * (MAX_KEY + 6)  # follows from section 8.3: 16 items of two varints and a key

# --- Section 3: header ---------------------------------------------------------------------------------------------

SIGNATURE = b"\x89WEBARC\r\n\x1a\n"
HEADER_SIZE = 96


@dataclass(frozen=True)
class Slot:
    """A recovery slot. Not usable: all zeros, or its CRC is wrong."""

    offset: int
    number: int
    used: bool
    right: bool


def check_header(data: bytes) -> tuple[int, list[Slot]]:
    """The first 96 bytes of a file (fewer, if it is shorter) -> block exponent, recovery slots."""
    if data[:11] != SIGNATURE:
        plain = bytes(b & 0x7F for b in data[:16] if b != 0x0D)
        hint = plain.startswith(bytes(b & 0x7F for b in SIGNATURE if b != 0x0D))
        raise ArchiveError("notAnArchive", "the signature was changed by a transfer as text" if hint else
                           "the file does not begin with the signature", 0)
    if len(data) < HEADER_SIZE:
        raise ArchiveError("truncated", "the file ends inside its header", len(data))
    if data[11] != 1:
        raise ArchiveError("unsupportedVersion", f"major version {data[11]}", 11)
    if zlib.crc32(data[:28]) != int.from_bytes(data[28:32], "little"):
        raise damaged("the header's CRC is wrong", 28)
    exponent, required = data[13], int.from_bytes(data[16:20], "little")
    if required != 0:
        raise ArchiveError("unsupportedFeature", f"required features {required:#x}", 16)
    if not 12 <= exponent <= 20:
        raise damaged(f"block exponent {exponent}", 13)
    slots = []
    for at in (32, 64):
        raw = data[at:at + 32]
        offset, number, crc = struct.unpack("<QI16xI", raw)
        slots.append(Slot(offset, number, any(raw), zlib.crc32(raw[:28]) == crc))
    return exponent, slots


# --- Section 4: footer and section table ---------------------------------------------------------------------------

END_SIGNATURE = b"\x89WEBEND\n"
PAGE = 4096
KNOWN_SECTIONS = ("BLKS", "INDX", "ISUM", "CLSS")  # those that may be flagged as required


@dataclass(frozen=True)
class Footer:
    offset: int
    previous: int
    number: int
    sections: int
    start: int
    table: bytes

    @property
    def table_offset(self) -> int:
        return self.offset - 32 * self.sections


@dataclass(frozen=True)
class Section:
    offset: int
    length: int
    crc: int


def like_end_signature(data: bytes) -> bool:
    """Section 9: whether bytes are so much like a footer's signature that they were one."""
    return 2 * sum(a == b for a, b in zip(data, END_SIGNATURE)) >= len(END_SIGNATURE)


def parse_footer(raw: bytes, at: int, wanted: int | None) -> tuple[Footer, int] | None:
    """The footer at `at` without its section table, and the CRC of that table.

    None if it is not intact (section 9), or not that of the wanted commit.
    """
    signature, own, previous, number, count, start, table_crc, crc = struct.unpack("<8sQQIIQI16xI", raw)
    if signature != END_SIGNATURE or zlib.crc32(raw[:60]) != crc or own != at or wanted not in (None, number):
        return None
    if number >= MAX_COMMITS or (previous == 0) != (number == 0) or start != (96 if number == 0 else previous + 64):
        raise damaged("the numbers and offsets of a footer contradict each other", at)
    if count > MAX_SECTIONS or start + 32 * count > at:
        raise damaged(f"{count} sections, or a section table that begins before its commit", at)
    return Footer(at, previous, number, count, start, b""), table_crc


def parse_sections(footer: Footer) -> tuple[dict[str, Section], list[tuple[str, Section]]]:
    """The sections of a commit whose section table has the right CRC: by their types, and in the order of the table."""
    found: dict[str, Section] = {}
    listed: list[tuple[str, Section]] = []
    types: set[bytes] = set()
    end = footer.start
    for i in range(footer.sections):
        at = footer.table_offset + 32 * i
        kind, flags, offset, length, crc = struct.unpack_from("<4sIQQI", footer.table, 32 * i)
        if not kind.isascii() or kind in types:
            raise damaged(f"section type {kind!r} is not ASCII, or stands twice", at)
        if offset < end or offset + length > footer.table_offset:
            raise damaged(f"section {kind!r} is out of order or out of bounds", at)
        types.add(kind)
        end = offset + length
        if flags & 1 and kind.decode() not in KNOWN_SECTIONS:
            raise ArchiveError("unsupportedFeature", f"unknown required section {kind!r}", at)
        found[kind.decode()] = Section(offset, length, crc)
        listed.append((kind.decode(), found[kind.decode()]))
    empty = Section(footer.start, 0, 0)
    if ("INDX" in found) != ("ISUM" in found):
        raise damaged("one of INDX and ISUM is missing", footer.table_offset)
    for kind in ("BLKS", "INDX", "ISUM"):
        found.setdefault(kind, empty)
    if found["ISUM"].length != 4 * -(-found["INDX"].length // PAGE):
        raise damaged("ISUM has not one sum for each page of INDX", found["ISUM"].offset)
    if "CLSS" in found and found["CLSS"].length > MAX_CLASS_TABLE:
        raise damaged("the class table is too long", found["CLSS"].offset)
    return found, listed


# --- Section 7, the names: key -> type, default, classes a reference may lead to --------------------------------------

INTEGER, TIME, REFERENCE, BYTES, TEXT = 1, 2, 3, 4, 5
_Spec = tuple[int, int, tuple[str, ...]]  # the default of bytes is that many zeros


def _to(*targets: str) -> _Spec:
    return REFERENCE, 0, targets


_INT: _Spec = (INTEGER, 0, ())
_TIME: _Spec = (TIME, 0, ())
_TEXT: _Spec = (TEXT, 0, ())
_STR = _to("String")
_RESPONSE: dict[str, _Spec] = {
    "status": (INTEGER, 200, ()), "reason": _STR, "headers": _to("HeaderList"), "fill": _STR, "mediaType": _STR,
    "charset": _STR, "body": _to("Body"), "modified": _TIME, "address": _STR, "codings": _STR,
    "version": _STR, "head": _to("Body"), "wire": _to("Body"), "truncated": _STR, "absent": _STR, "derived": _INT}
SCHEMA: dict[str, dict[str, _Spec]] = {
    "Entry": {"request": _to("Request"), "url": _STR, "answer": _to("Response", "Redirect"), "time": _TIME,
              "role": _INT, "failure": _STR},
    "Request": {"method": _STR, "headers": _to("HeaderList"), "fill": _STR, "body": _to("Body"), "version": _STR,
                "head": _to("Body"), "wire": _to("Body")},
    "Response": _RESPONSE,
    "Redirect": {**_RESPONSE, "status": (INTEGER, 301, ()), "target": _STR},
    "HeaderList": {"first": _to("HeaderField"), "count": _INT},
    "HeaderField": {"name": _STR, "form": _INT, "value": _STR},
    "String": {"text": _TEXT},
    "Body": {"digest": (BYTES, 16, ()), "block": _to("Block"), "offset": _INT, "length": _INT},
    "Block": {"offset": _INT, "length": _INT, "checksum": _INT, "coding": _INT, "dictionary": _to("Dictionary")},
    "Dictionary": {"body": _to("Body"), "name": _STR},
    "Metadata": {"name": _STR, "value": _STR, "body": _to("Body")},
    "KeyBlock": {"keys": _TEXT},
    "Bucket": {"first": _INT},
    "Slot": {"entry": _INT, "tag": _INT},
    "Record": {"version": _STR, "headers": _to("HeaderList"), "fill": _STR, "head": _to("Body"), "entry": _to("Entry"),
               "part": _INT, "block": _to("Body"), "end": _STR},
    "Page": {"url": _STR, "time": _TIME, "title": _STR, "text": _to("Body"), "screenshot": _to("Body"), "status": _INT,
             "seed": _INT, "depth": _INT},
}

# --- Section 6.1: class table --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Key:
    type: int
    width: int
    offset: int
    base: int
    step: int
    targets: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A class in one commit: `rows` rows of `width` bytes, numbered from `earlier`."""

    name: str
    width: int
    rows: int
    earlier: int
    first: int
    heap: int
    heap_length: int
    keys: dict[str, Key]  # only those of SCHEMA


def parse_class_table(data: bytes, at: int, index_length: int) -> dict[str, Table]:
    position = 0

    def take(layout: str) -> tuple[Any, ...]:
        nonlocal position
        size = struct.calcsize("<" + layout)
        if size > len(data) - position:
            raise damaged("the class table ends too early", at + len(data))
        position += size
        return struct.unpack_from("<" + layout, data, position - size)

    def take_name() -> str:
        (length,) = take("B")
        (name,) = take(f"{length}s")
        if not 1 <= length <= 63 or not all(0x20 < b < 0x7F for b in name):
            raise damaged(f"the name {name!r} of a class or key", at + position - length)
        return str(name, "ascii")

    (count,) = take("H")
    if count > MAX_CLASSES:
        raise damaged(f"{count} classes", at)
    names: list[str] = []
    raw: list[tuple[tuple[int, ...], dict[str, tuple[tuple[int, ...], tuple[int, ...], int]]]] = []
    for _ in range(count):
        name = take_name()
        if name in names:
            raise damaged(f"class {name} stands twice", at + position)
        names.append(name)
        head = width, rows, earlier, first, heap, heap_length, key_count = take("HIIQQQB")
        if width > 1024 or key_count > MAX_KEYS or earlier + rows > MAX_ROWS or width == 0 and rows > MAX_EMPTY_ROWS:
            raise damaged(f"class {name} is too wide, or has too many rows or keys", at + position)
        if first + rows * width > index_length or heap + heap_length > index_length:
            raise damaged(f"class {name} lies outside INDX", at + position)
        keys: dict[str, tuple[tuple[int, ...], tuple[int, ...], int]] = {}
        for _ in range(key_count):
            key = take_name()
            values = _, key_width, offset, _, step, target_count = take("BBHqqB")
            targets = take(f"{target_count}B")
            if key in keys or offset + key_width > width or step < 1 or target_count > 4:
                raise damaged(f"key {name}.{key}", at + position)
            keys[key] = values, targets, at + position
        raw.append((head, keys))
    if position != len(data):
        raise damaged("the class table has bytes left over", at + position)
    parts = sorted((start, length) for name, (head, _) in zip(names, raw) if name in SCHEMA
                   for start, length in ((head[3], head[1] * head[0]), (head[4], head[5])) if length)
    if any(start + length > after for (start, length), (after, _) in zip(parts, parts[1:])):
        raise damaged("rows or heaps of classes share bytes", at)

    tables: dict[str, Table] = {}  # only now are all classes' names known
    for name, (head, keys) in zip(names, raw):
        known: dict[str, Key] = {}
        for key, (values, targets, where) in keys.items():
            spec = SCHEMA.get(name, {}).get(key)
            if spec is None:
                continue
            kind, key_width, offset, base, step, _ = values
            found = Key(kind, key_width, offset, base, step, spec[2])
            if kind != spec[0]:
                raise damaged(f"key {name}.{key} has type {kind}", where)
            if kind != BYTES and key_width > 8:
                raise damaged(f"key {name}.{key} is too wide", where)
            if kind == BYTES and (key_width != spec[1] or base != 0 or step != 1):
                raise damaged(f"key {name}.{key} has a wrong width, base or step", where)
            if tuple(names[t] if t < count else None for t in targets) != spec[2]:
                raise damaged(f"key {name}.{key} refers to another class than section 7 says", where)
            known[key] = found
        tables[name] = Table(name, head[0], head[1], head[2], head[3], head[4], head[5], known)
    return tables
