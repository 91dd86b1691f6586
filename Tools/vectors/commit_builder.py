# SPDX-License-Identifier: Apache-2.0
"""A commit: its blocks, its rows and their tables (sections 5 to 8)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .lz4_encoder import lz4
from .primitives import crc, varint
from .row_classes import BYTES, CLASSES, DEFAULTS, LATER_CLASSES, LATER_KEYS, REFERENCE, TEXT, Row, targets_of

if TYPE_CHECKING:
    from .archive_builder import Archive

Field = tuple[bytes | str, bytes | str] | tuple[bytes | str, bytes | str, int]  # name, value as read, form


class Commit:
    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.rows: dict[str, list[Row]] = {name: [] for name in CLASSES}
        self.blocks = bytearray()
        self.strings: dict[bytes, Row] = {}
        self.lists: dict[tuple, Row] = {}
        self.entries: list[tuple[bytes, Row]] = []
        self.buckets: int | None = None                            # how many; None: a good number
        self.plain = False                                         # base 0 and step 1 everywhere
        self.keep_defaults = False                                 # list every class and every key
        self.columns: dict[tuple[str, str], dict[str, Any]] = {}   # what to write otherwise than usual

    def add(self, of: str, **values: Any) -> Row:
        row = Row(of, **values)
        self.rows[of].append(row)
        return row

    def column(self, of: str, key: str, **how: Any) -> None:
        """`base`, `step`, `width`, `stored` (the numbers in the rows), `type`, `targets`, `listed`."""
        self.columns.setdefault((of, key), {}).update(how)

    # Strings and header lists

    def string(self, text: bytes | str | None) -> Row | None:
        if text is None:
            return None
        data = text.encode() if isinstance(text, str) else text
        if data not in self.strings:
            self.strings[data] = self.add("String", text=data)
        return self.strings[data]

    def headers(self, fields: Iterable[Field]) -> dict[str, Any]:
        """The values of `headers` and `fill` of a Request, Response or Redirect."""
        parts = [tuple(f.encode() if isinstance(f, str) else f for f in field[:2])
                 + (field[2] if len(field) > 2 else 0,) for field in fields]
        if not parts:
            return {}
        shape = tuple((name, form, value if form == 0 else None) for name, value, form in parts)
        if shape not in self.lists:
            names = [(self.string(name), form, self.string(value)) for name, form, value in shape]
            rows = [self.add("HeaderField", name=name, form=form, value=value) for name, form, value in names]
            self.lists[shape] = self.add("HeaderList", first=rows[0], count=len(rows))
        fill = [self.add("String", text=value) for _, value, form in parts if form == 1]
        return {"headers": self.lists[shape], "fill": fill[0] if fill else None}

    @staticmethod
    def shown_headers(fields: Iterable[Field]) -> list[list[str]]:
        return [[part if isinstance(part, str) else part.decode("latin-1") for part in field[:2]] for field in fields]

    # Blocks, bodies, dictionaries

    def block(self, data: bytes, raw: bool = False, dictionary: Row | None = None, stored: bytes | None = None,
              **other: Any) -> Row:
        if stored is None:
            stored = data if raw else lz4(data, dictionary.window if dictionary else b"")
            assert raw or len(stored) < len(data), "LZ4 makes this block longer: give raw=True"
        values = {"offset": len(self.blocks), "length": len(data), "checksum": crc(stored), "coding": 0 if raw else 1,
                  "dictionary": dictionary} | other
        self.blocks += stored
        return self.add("Block", **values)

    def body(self, data: bytes, block: Row | None = None, offset: int = 0, raw: bool = False,
             dictionary: Row | None = None, **other: Any) -> Row:
        """In `block`, or in blocks of its own."""
        size = 1 << self.archive.exponent
        if block is None and data:
            rows = [self.block(data[i:i + size], raw, dictionary) for i in range(0, len(data), size)]
            block = rows[0]
        digest = hashlib.md5(data, usedforsecurity=False)
        values = {"digest": digest.digest(), "block": block, "offset": offset, "length": len(data)} | other
        row = self.add("Body", **values)
        row.shown = {"digest": digest.hexdigest(), "length": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        return row

    def dictionary(self, data: bytes, name: str | None = None, body: Row | None = None, raw: bool = False) -> Row:
        row = self.add("Dictionary", body=body or self.body(data, raw=raw), name=self.string(name))
        row.window = data
        return row

    # Requests, answers, entries, metadata

    def request(self, method: str | None = None, headers: Iterable[Field] = (), body: Row | None = None) -> Row:
        headers = list(headers)
        row = self.add("Request", method=self.string(method), body=body, **self.headers(headers))
        row.shown = {"method": method, "requestHeaders": self.shown_headers(headers),
                     "requestBody": body.shown if body else None}
        return row

    def response(self, status: int = 200, body: Row | None = None, headers: Iterable[Field] = (), modified: int = 0,
                 of: str = "Response", **texts: str | None) -> Row:
        """`texts`: reason, mediaType, charset, address, codings, and target of a redirect."""
        headers = list(headers)
        row = self.add(of, status=status, body=body, modified=modified, **self.headers(headers),
                       **{key: self.string(text) for key, text in texts.items()})
        row.shown = {"kind": of.lower(), "status": status, "headers": self.shown_headers(headers), "modified": modified,
                     "body": body.shown if body else None} | texts
        return row

    def redirect(self, target: str, status: int = 301, **other: Any) -> Row:
        return self.response(status, of="Redirect", target=target, **other)

    def entry(self, key: str, answer: Row | None = None, request: Row | None = None, url: str | None = None,
              time: int = 0, role: int = 0) -> Row:
        row = self.add("Entry", request=request, url=self.string(url), answer=answer, time=time, role=role)
        row.shown = {"commit": self.archive.count, "key": key, "url": url, "role": role, "time": time,
                     **(answer.shown if answer else {}), **(request.shown if request else {})}
        row.shown["method"] = row.shown.get("method") or "GET"
        self.entries.append((key.encode(), row))
        return row

    def metadata(self, name: str | None, value: str | None = None, body: Row | None = None) -> None:
        self.add("Metadata", name=self.string(name), value=self.string(value), body=body)
        if name is not None:
            self.archive.metadata[name] = value if body is None else body.shown

    # Order, keys, hash table (sections 8.2 to 8.4)

    def finish(self) -> None:
        self.rows["Body"].sort(key=lambda row: row.values["digest"])

        def order(item: tuple[int, tuple[bytes, Row]]) -> tuple:
            number, (key, row) = item
            request = row.values["request"]
            body = request.values["body"] if request else None
            return (key, row.shown["method"].encode(), body.values["digest"] if body else b"",
                    -row.values["time"], -number)
        self.entries = [entry for _, entry in sorted(enumerate(self.entries), key=order)]
        self.rows["Entry"] = [row for _, row in self.entries]
        keys = [key for key, _ in self.entries]
        for i in range(0, len(keys), 16):
            self.add("KeyBlock", keys=self.key_block(keys[i:i + 16]))
        firsts: dict[bytes, int] = {}
        for i, key in enumerate(keys):
            firsts.setdefault(key, i)
        if firsts:
            count = self.buckets or 1 << max(0, (len(firsts) - 1).bit_length() - 1)
            contents: list[list[tuple[bytes, int]]] = [[] for _ in range(count)]
            for key, entry in firsts.items():
                contents[crc(key) % count].append((key, entry))
            for found in contents:
                self.add("Bucket", first=len(self.rows["Slot"]))
                for key, entry in found:
                    self.add("Slot", entry=entry, tag=crc(key) >> 24)

    @staticmethod
    def key_block(keys: Iterable[bytes]) -> bytes:
        out, before = b"", b""
        for key in keys:
            shared = next((i for i, (a, b) in enumerate(zip(before, key)) if a != b), min(len(before), len(key)))
            out += varint(shared) + varint(len(key) - shared) + key[shared:]
            before = key
        return out

    # The tables (section 6)

    def encode_tables(self) -> tuple[bytearray, list[dict[str, Any]]]:
        """INDX, and what CLSS is to say about it."""
        index, tables = bytearray(), []
        for name, keys in CLASSES.items():
            rows, heap, offset = self.rows[name], bytearray(), 0
            listed = []
            for key, kind in keys:
                how = self.columns.get((name, key), {})
                column = self.encode_column(rows, key, kind, heap, how)
                default = kind != TEXT and column.pop("default")
                if how.get("listed", not default or self.keep_defaults and key not in LATER_KEYS):
                    listed.append(column | {"name": key, "offset": offset})
                    offset += column["width"]
            first = len(index)
            for i in range(len(rows)):
                for column in listed:
                    value = column["stored"][i]
                    index += value if isinstance(value, bytes) else value.to_bytes(column["width"], "little")
            tables.append({"name": name, "width": offset, "rows": len(rows), "earlier": self.archive.earlier[name],
                           "first": first, "heap": len(index), "heapLength": len(heap), "keys": listed})
            index += heap
        if not self.keep_defaults:
            tables = self.used_only(tables)
        return index, [t for t in tables if t["rows"] or t["earlier"] or t["name"] not in LATER_CLASSES]

    def encode_column(self, rows: list[Row], key: str, kind: Any, heap: bytearray,
                      how: dict[str, Any]) -> dict[str, Any]:
        if kind == BYTES:
            values = [row.values[key] for row in rows]
            return {"type": BYTES, "width": 16, "base": 0, "step": 1, "targets": (), "stored": values,
                    "default": not any(map(any, values))} | how
        targets = targets_of(kind)
        numbers = []
        for row in rows:
            value = row.values.get(key)
            if kind == TEXT:
                numbers.append(len(heap))
                heap += value
            elif isinstance(value, Row):
                numbers.append(1 + targets.index(value.of) + len(targets) * value.number)
            else:
                numbers.append(DEFAULTS.get((row.of, key), 0) if value is None else value)
        low = how.get("base", 0 if self.plain and min(numbers, default=0) >= 0 else min(numbers, default=0))
        step = how.get("step", 1 if self.plain or "stored" in how
                       else max(1, math.gcd(*(number - low for number in numbers))))
        stored = how.get("stored", [(number - low) // step for number in numbers])
        least = (max(stored, default=0).bit_length() + 7) // 8
        return {"type": REFERENCE if targets else kind, "width": least, "base": low, "step": step, "targets": targets,
                "stored": stored, "default": all(n == DEFAULTS.get((row.of, key), 0) for n, row in zip(numbers, rows))
                } | how

    def used_only(self, tables: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The classes that have rows, now or earlier, and those that a listed key refers to."""
        names = {t["name"] for t in tables if t["rows"] or t["earlier"]}
        for table in tables:
            table["keys"] = table["keys"] if table["name"] in names and table["rows"] else []
        while more := {c for t in tables if t["name"] in names for k in t["keys"] for c in k["targets"]} - names:
            names |= more
        return [t for t in tables if t["name"] in names]
