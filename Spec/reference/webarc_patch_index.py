# SPDX-License-Identifier: Apache-2.0
"""The stream *index* of a commit, and INDX that is made of it (../patch-1.md section 4)."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence

from webarc_entries import KeyBlock
from webarc_format import BYTES, MAX_KEY_BLOCK, PAGE, SCHEMA, Key, Table, damaged
from webarc_patch_bodies import Layout
from webarc_patch_stream import MASK, Cursor, signed_leb128
from webarc_reader import Commit

LEFT_OUT = {"Body": ("digest", "block", "offset", "length"), "Block": ("offset", "length", "checksum")}
HASH_TABLE = {"Bucket": ("first",), "Slot": ("entry", "tag")}
BODY = "body"  # the name of each key that leads to a row of Body


def sent_tables(tables: dict[str, Table], hash_follows: bool) -> Iterator[tuple[Table, list[tuple[str, Key]]]]:
    """The tables of the stream in their order, with the keys whose values it has."""
    left_out = LEFT_OUT | HASH_TABLE if hash_follows else LEFT_OUT
    for name in SCHEMA:
        if name in tables:
            yield tables[name], [(key, found) for key, found in tables[name].keys.items()
                                 if key not in left_out.get(name, ()) and (found.width or key == BODY)]


def as_signed(value: int) -> int:
    """A number modulo 2^64, as one of 64 bits with a sign."""
    return (value & MASK ^ 2**63) - 2**63


def renumbered(value: int, earlier: int, numbers: list[int]) -> int:
    """A reference to a body of a commit with the rank of the body for its row, or the reverse. Others stay."""
    number = value - 1 - earlier
    return earlier + numbers[number] + 1 if 0 <= number < len(numbers) else value


def earlier_bodies(tables: dict[str, Table]) -> int:
    return tables["Body"].earlier if "Body" in tables else 0


def index_stream(commit: Commit, ranks: list[int], hash_follows: bool) -> bytes:
    """The stream of a commit of the old archive. `ranks`: of each row of Body its rank in the commit."""
    earlier = earlier_bodies(commit.tables)
    out = bytearray()
    for table, keys in sent_tables(commit.tables, hash_follows):
        rows = commit.index_bytes(table.first, table.rows * table.width)
        for name, key in keys:
            before = 0
            for start in range(key.offset, key.offset + table.rows * table.width, table.width) if table.width else [0] * table.rows:
                value = int.from_bytes(rows[start:start + key.width], "little")
                if name == BODY:
                    value = renumbered(key.base + key.step * value, earlier, ranks)
                out += signed_leb128(as_signed(value - before))
                before = value
        out += commit.index_bytes(table.heap, table.heap_length)
    return bytes(out)


class Index:
    """The index of a new commit: first what the stream has, then, when the bodies and blocks are known, all of it."""

    def __init__(self, tables: dict[str, Table], stream: Cursor, layout: Layout, hash_follows: bool) -> None:
        self.tables, self.layout, self.hash_follows = tables, layout, hash_follows
        self.columns: dict[tuple[str, str], list[int]] = {}
        self.heaps: dict[str, bytes] = {}
        for table, keys in sent_tables(tables, hash_follows):
            for name, _ in keys:
                values: list[int] = []
                value = 0
                for _ in range(table.rows):
                    value = value + stream.signed() & MASK
                    values.append(as_signed(value) if name == BODY else value)
                self.columns[table.name, name] = values
            self.heaps[table.name] = stream.take(table.heap_length)
        stream.end()
        for name, count in (("Body", len(layout.bodies)), ("Block", layout.block_count)):
            if self.rows(name) != count:
                raise damaged(f"patch: {self.rows(name)} rows of {name}, and {count} in the streams")

    def rows(self, name: str) -> int:
        return self.tables[name].rows if name in self.tables else 0

    def values(self, name: str, key: str) -> list[int]:
        """The values of a key that is no reference to a body."""
        found = self.tables[name].keys.get(key) if name in self.tables else None
        if found is None:
            return [SCHEMA[name][key][1]] * self.rows(name)
        stored = self.columns.get((name, key), [0] * self.rows(name))
        return [found.base + found.step * value for value in stored]

    def dictionaries(self) -> list[int]:
        """For each row of Dictionary the rank of its body in the commit."""
        earlier = earlier_bodies(self.tables)
        values = self.columns.get(("Dictionary", BODY), [0] * self.rows("Dictionary"))
        if any(value <= earlier for value in values):
            raise damaged("patch: a dictionary whose body is not of its commit")
        return [value - 1 - earlier for value in values]

    def dictionaries_of_blocks(self) -> list[int | None]:
        """For each block the rank of its dictionary's body."""
        bodies = self.dictionaries()
        earlier = self.tables["Dictionary"].earlier if "Dictionary" in self.tables else 0
        found: list[int | None] = []
        for value in self.values("Block", "dictionary"):
            if value != 0 and not 0 <= value - 1 - earlier < len(bodies):
                raise damaged(f"patch: a block with dictionary {value}, which is not of its commit")
            found.append(bodies[value - 1 - earlier] if value else None)
        return found

    # When the blocks are there

    def encoded(self, length: int, digests: list[bytes], offsets: list[int], checksums: list[int]) -> bytes:
        """INDX. `digests`: of the bodies, by rank."""
        index = bytearray(length)
        layout = self.layout
        order = sorted(range(len(digests)), key=digests.__getitem__)
        row_of_rank = [0] * len(order)
        for row, rank in enumerate(order):
            row_of_rank[rank] = row
        earlier = earlier_bodies(self.tables)
        for (name, key), values in self.columns.items():
            if key == BODY:
                values = [self.stored(name, key, renumbered(value, earlier, row_of_rank)) for value in values]
            self.put(index, name, key, values)
        for name, heap in self.heaps.items():
            index[self.tables[name].heap:self.tables[name].heap + len(heap)] = heap
        if order:
            self.put_digests(index, [digests[rank] for rank in order])
            first = self.tables["Block"].earlier + 1 if "Block" in self.tables else 0
            found = [layout.place(rank) if layout.bodies[rank].length else None for rank in order]
            self.put_values(index, "Body", "block", [place[0] + first if place else 0 for place in found])
            self.put_values(index, "Body", "offset", [place[1] if place else 0 for place in found])
            self.put_values(index, "Body", "length", [layout.bodies[rank].length for rank in order])
        self.put_values(index, "Block", "offset", offsets)
        self.put_values(index, "Block", "length", [layout.block_length(block) for block in range(layout.block_count)])
        self.put_values(index, "Block", "checksum", checksums)
        if self.hash_follows:
            self.put_hash_table(index)
        return bytes(index)

    def stored(self, name: str, key: str, value: int) -> int:
        found = self.tables[name].keys[key]
        number, rest = divmod(value - found.base, found.step)
        if rest or not 0 <= number < 256**found.width:
            raise damaged(f"patch: {name}.{key} cannot hold {value}")
        return number

    def put_values(self, index: bytearray, name: str, key: str, values: Sequence[int]) -> None:
        if key in self.tables[name].keys if name in self.tables else False:
            self.put(index, name, key, [self.stored(name, key, value) for value in values])
        elif any(value != SCHEMA[name][key][1] for value in values):
            raise damaged(f"patch: {name}.{key} is not listed, and is not its default")

    def put(self, index: bytearray, name: str, key: str, stored: Sequence[int]) -> None:
        table, found = self.tables[name], self.tables[name].keys[key]
        if stored and max(stored) >= 256**found.width:
            raise damaged(f"patch: {name}.{key} cannot hold {max(stored)}")
        for row, value in enumerate(stored):
            at = table.first + row * table.width + found.offset
            index[at:at + found.width] = value.to_bytes(found.width, "little")

    def put_digests(self, index: bytearray, digests: list[bytes]) -> None:
        table = self.tables["Body"]
        found = table.keys.get("digest")
        if found is None:
            raise damaged("patch: Body.digest is not listed")
        assert found.type == BYTES
        for row, digest in enumerate(digests):
            at = table.first + row * table.width + found.offset
            index[at:at + found.width] = digest

    # Section 4, bit 0 of the flags

    def first_rows(self) -> dict[bytes, int]:
        """The keys of the entries, each with its first row."""
        positions = self.values("KeyBlock", "keys")
        heap = self.heaps.get("KeyBlock", b"")
        found: dict[bytes, int] = {}
        before = b""
        entries = self.rows("Entry")
        if -(-entries // 16) > len(positions):
            raise damaged("patch: fewer key blocks than the entries have")
        for number, start in zip(range(-(-entries // 16)), positions):
            end = positions[number + 1] if number + 1 < len(positions) else len(heap)
            if not 0 <= start <= end <= len(heap) or end - start > MAX_KEY_BLOCK:
                raise damaged(f"patch: the text of key block {number}")
            items = min(16, entries - 16 * number)
            block = KeyBlock(heap[start:end], items, None)
            if block.error is not None:
                raise block.error
            for item, key in enumerate(block.keys):
                if key < before:
                    raise damaged("patch: keys out of order")
                before = key
                found.setdefault(key, 16 * number + item)
        return found

    def put_hash_table(self, index: bytearray) -> None:
        keys = self.first_rows()
        count = 1 << max(0, (len(keys) - 1).bit_length() - 1) if keys else 0
        buckets: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        for key, row in keys.items():  # in the order of their first rows
            hashed = zlib.crc32(key)
            buckets[hashed % count].append((row, hashed >> 24))
        if self.rows("Bucket") != count or self.rows("Slot") != len(keys):
            raise damaged(f"patch: {self.rows('Bucket')} buckets and {self.rows('Slot')} slots for {len(keys)} keys")
        firsts: list[int] = []
        slots: list[tuple[int, int]] = []
        for bucket in buckets:
            firsts.append(len(slots))
            slots += bucket
        self.put_values(index, "Bucket", "first", firsts)
        self.put_values(index, "Slot", "entry", [row for row, _ in slots])
        self.put_values(index, "Slot", "tag", [tag for _, tag in slots])


def page_sums(index: bytes) -> bytes:
    """ISUM."""
    return b"".join(zlib.crc32(index[at:at + PAGE]).to_bytes(4, "little") for at in range(0, len(index), PAGE))
