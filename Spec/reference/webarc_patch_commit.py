# SPDX-License-Identifier: Apache-2.0
"""A record of kind 1: a commit of the new archive that is rebuilt (../patch-1.md section 3)."""

from __future__ import annotations

import os
import zlib
from typing import BinaryIO

from webarc_compression import HIGHEST_LEVEL
from webarc_format import ArchiveError, Footer, Section, Table, damaged, parse_class_table, parse_footer, parse_sections
from webarc_patch_blocks import Blocks
from webarc_patch_bodies import Layout, block_ends, parse_bodies
from webarc_patch_index import Index, index_stream, page_sums
from webarc_patch_old import OldArchive, ranked
from webarc_patch_stream import NOTHING, Cursor, Other
from webarc_patch_tree import tree
from webarc_reader import Archive, Commit
from webarc_trust import parse_statement

FOOTER, SECTION = 64, 32
# Streams, and sections but BLKS, are made in memory: no more of it than section 3 allows.
MEMORY, MEMORY_TIMES, INDEX_TIMES = 16 << 20, 32, 4
REBUILT = ("BLKS", "INDX", "ISUM")


class Ends:
    """The stream *ends*: what a commit has besides blocks and index."""

    def __init__(self, stream: Cursor, start: int, new_length: int, tree_follows: bool) -> None:
        self.raw = stream.take(FOOTER)
        at = int.from_bytes(self.raw[8:16], "little")
        parsed = parse_footer(self.raw, at, None) if at + FOOTER <= new_length else None
        if parsed is None or parsed[0].start != start:
            raise stream.damaged("it begins with no footer of this commit")
        bare, checksum = parsed
        table = stream.take(SECTION * bare.sections)
        if zlib.crc32(table) != checksum:
            raise stream.damaged("the section table's CRC is wrong")
        self.footer = Footer(at, bare.previous, bare.number, bare.sections, start, table)
        self.sections, self.listed = parse_sections(self.footer)
        end = start
        for kind, section in self.listed:
            if section.offset != end:
                raise stream.damaged(f"a gap before section {kind}")
            end += section.length
        if tree_follows and "MRKL" not in self.sections:
            raise stream.damaged("the tree follows, and there is none")
        order = [kind for kind, _ in self.listed if kind in REBUILT]
        if end != self.footer.table_offset or order != sorted(order):
            raise stream.damaged("sections with a gap behind them, or out of order")
        self.others = [(section, stream.take(section.length)) for kind, section in self.listed
                       if kind not in REBUILT and not (tree_follows and kind == "MRKL")]
        stream.end()
        if tree_follows and not any(section == self.sections.get("SIGN") and parse_statement(data, at + FOOTER, bare.number)
                                    for section, data in self.others):
            raise stream.damaged("the tree follows, and no statement has its root")

    def tables(self) -> dict[str, Table]:
        classes = self.sections.get("CLSS")
        for section, data in self.others:
            if section == classes:
                if zlib.crc32(data) != section.crc:
                    raise damaged("patch: the class table's CRC is wrong")
                return parse_class_table(data, section.offset, self.sections["INDX"].length)
        return {}


def ends_stream(commit: Commit) -> bytes:
    """The stream of a commit of the old archive."""
    read = commit.archive.read_at
    return b"".join([read(commit.footer.offset, FOOTER), commit.footer.table,
                     *(read(section.offset, section.length) for kind, section in commit.all_sections
                       if kind not in (*REBUILT, "MRKL"))])


class CommitBuilder:
    """Writes a commit behind the ones that the new file has already."""

    def __init__(self, cursor: Cursor, out: BinaryIO, old: OldArchive, full: int, new_length: int) -> None:
        self.cursor, self.out, self.old, self.full, self.new_length = cursor, out, old, full, new_length
        self.start = out.tell()
        flags, self.level = cursor.byte(), cursor.byte()
        if self.level > HIGHEST_LEVEL:
            raise cursor.damaged(f"the level {self.level} of LZ4")
        self.hash_follows, self.tree_follows = bool(flags & 1), bool(flags & 2)
        self.template = old.commit(cursor.number())
        indexes = sum(commit.index.length for commit in old.archive.commits)
        self.limit = MEMORY + MEMORY_TIMES * (cursor.length - cursor.position) + INDEX_TIMES * indexes

    def stream(self, other: bytes, name: str) -> Cursor:
        return self.cursor.stream(Other.of(other), self.limit, f"patch, stream of {name}")

    def build(self) -> None:
        ends = Ends(self.stream(ends_stream(self.template), "ends"), self.start, self.new_length, self.tree_follows)
        for kind, section in ends.listed:
            if kind != "BLKS" and section.length > self.limit:
                raise ArchiveError("limitExceeded", f"patch: a section {kind} of {section.length} bytes is not built")
        places = ranked([self.template])
        full = 2**self.old.archive.exponent
        bodies = parse_bodies(self.cursor.stream(NOTHING, self.limit, "patch, stream of bodies"), self.old)
        layout = Layout(bodies, self.stream(block_ends(self.template, places, full), "block ends"), self.full)
        ranks = [0] * len(places)
        for rank, place in enumerate(places):
            ranks[place.row - self.template.tables["Body"].earlier] = rank
        index = Index(ends.tables(), self.stream(index_stream(self.template, ranks, self.hash_follows), "index"), layout,
                      self.hash_follows)
        self.write(ends, layout, index)

    def write(self, ends: Ends, layout: Layout, index: Index) -> None:
        section = ends.sections["BLKS"]
        self.out.seek(section.offset)
        left = section.length

        def write_block(stored: bytes) -> None:
            nonlocal left
            left -= len(stored)
            if left < 0:
                raise damaged("patch: the blocks are longer than their section")
            self.out.write(stored)
        blocks = Blocks(self.cursor, self.old, layout, index, self.level, write_block)
        if left:
            raise damaged(f"patch: the blocks are {left} bytes shorter than their section")
        encoded = index.encoded(ends.sections["INDX"].length, blocks.digests, blocks.offsets, blocks.checksums)
        for section, data in ends.others:
            self.put(section, data)
        self.put(ends.sections["INDX"], encoded)
        self.put(ends.sections["ISUM"], page_sums(encoded))
        self.out.seek(ends.footer.table_offset)
        self.out.write(ends.footer.table + ends.raw)
        if self.tree_follows:
            self.out.flush()
            with Archive(self.out.name) as archive:
                self.put(ends.sections["MRKL"], tree(archive))
        self.out.seek(0, os.SEEK_END)

    def put(self, section: Section, data: bytes) -> None:
        if len(data) != section.length:
            raise damaged(f"patch: a section of {section.length} bytes has {len(data)}")
        self.out.seek(section.offset)
        self.out.write(data)
