# SPDX-License-Identifier: Apache-2.0
"""A program that applies webarc patches, version 1, written from ../patch-1.md alone.

    python3 webarc_patch.py OLD PATCH -o NEW

makes the new archive from the old one and a patch, byte for byte, or no file. It favours clarity over speed.

    webarc_patch.py           1 what it does, 2 header
    webarc_patch_stream.py    2 numbers, frames, packed streams
    webarc_patch_old.py       2 identity, 3 ranks: the old archive
    webarc_patch_commit.py    3 records of kind 1
    webarc_patch_bodies.py    3 bodies and block ends
    webarc_patch_index.py     4 the index
    webarc_patch_blocks.py    5 dictionaries and chunks
    webarc_patch_tree.py      webarc-1.md section 13.2: the tree of a signed commit
    webarc_compression.py     libzstd and liblz4

It needs Python 3.11, the package `lz4`, and the libraries libzstd and liblz4, the latter in the version of the patch's writer
unless the patch is portable. Exit status: 0; 1 if the archive cannot be made; 2 if one of the files is no archive or no patch.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import struct
import sys
import zlib
from dataclasses import dataclass
from typing import BinaryIO

from webarc_format import HEADER_SIZE, MAX_COMMITS, MAX_FILE, ArchiveError, check_header, damaged
from webarc_patch_commit import CommitBuilder
from webarc_patch_old import READ_AT_ONCE, OldArchive
from webarc_patch_stream import Cursor
from webarc_reader import Archive

SIGNATURE = b"\x89WEBPT\r\n"
SIZE = 208


@dataclass(frozen=True)
class Header:
    old_length: int
    identity: bytes
    new_length: int
    sha256: bytes
    kept: int
    header: bytes
    exponent: int
    records: int


def parse_header(data: bytes) -> Header:
    """Section 2. Fewer bytes than 208, if the file is shorter."""
    if data[:8] != SIGNATURE:
        raise ArchiveError("notAnArchive", "the file does not begin with the signature of a patch", 0)
    if len(data) < SIZE:
        raise ArchiveError("truncated", "the patch ends inside its header", len(data))
    if data[8] != 1:
        raise ArchiveError("unsupportedVersion", f"patch of major version {data[8]}", 8)
    old, identity, new, sha256, kept, header, records, crc = struct.unpack_from("<Q32sQ32sQ96sII", data, 16)
    if zlib.crc32(data[:204]) != crc:
        raise damaged("patch: the header's CRC is wrong", 204)
    try:
        exponent, _ = check_header(header)
    except ArchiveError as error:
        code = error.code if error.code.startswith("unsupported") else "damaged"
        raise ArchiveError(code, f"patch: the header of the new archive: {error.message}", 104) from None
    if not HEADER_SIZE <= kept <= new <= MAX_FILE:
        raise damaged(f"patch: {kept} of {new} bytes are kept", 56)
    if records > MAX_COMMITS:
        raise damaged(f"patch: {records} commits", 200)
    return Header(old, identity, new, sha256, kept, header, exponent, records)


class Patcher:
    """An old archive and a patch that was made for it."""

    def __init__(self, archive: Archive, file: BinaryIO) -> None:
        length = os.fstat(file.fileno()).st_size
        self.old, self.cursor = OldArchive(archive), Cursor(file, length, "patch", is_file=True)
        self.header = parse_header(self.cursor.take(min(SIZE, length)))
        if self.header.old_length != self.old.length or self.header.identity != self.old.identity():
            raise ArchiveError("changed", "the patch was made from a different archive")
        if self.header.kept not in (HEADER_SIZE, *(commit.footer.offset + 64 for commit in archive.commits)):
            raise damaged(f"patch: the {self.header.kept} bytes that are kept end in no commit's end", 96)

    def write(self, out: BinaryIO) -> None:
        """Writes the new archive, and proves it."""
        header, cursor = self.header, self.cursor
        out.write(header.header)
        for piece in self.old.pieces(HEADER_SIZE, header.kept):
            out.write(piece)
        for _ in range(header.records):
            match cursor.byte():
                case 0:
                    start = out.tell()
                    for part in cursor.packed(self.old.behind(start), header.new_length - start, "the length of a commit"):
                        out.write(part)
                case 1:
                    CommitBuilder(cursor, out, self.old, 2**header.exponent, header.new_length).build()
                case kind:
                    raise cursor.damaged(f"a record of kind {kind}")
        cursor.end()
        if out.tell() != header.new_length:
            raise damaged(f"patch: the new archive has {out.tell()} bytes, not {header.new_length}")
        out.seek(0)
        digest = hashlib.sha256()
        while data := out.read(READ_AT_ONCE):
            digest.update(data)
        if digest.digest() != header.sha256:
            raise damaged("the patch gives another archive than the one that it was made of: the old archive or the patch is damaged, "
                          "or liblz4 compresses otherwise than in the version of the patch's writer")


def apply(old: str | os.PathLike[str], patch: str | os.PathLike[str], new: str | os.PathLike[str]) -> None:
    """Makes `new`, which must not be there yet."""
    with Archive(old) as archive, open(patch, "rb") as file:
        patcher = Patcher(archive, file)
        if os.path.lexists(new):
            raise FileExistsError(f"{os.fsdecode(new)} is there already")
        partial = os.fsdecode(new) + ".partial"
        with open(partial, "x+b") as out:
            try:
                patcher.write(out)
                out.flush()
                os.fsync(out.fileno())
                os.rename(partial, new)
            except BaseException:
                os.unlink(partial)
                raise


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("patch")
    parser.add_argument("-o", dest="new", required=True, help="the name of the new archive, which is not there yet")
    arguments = parser.parse_args()
    try:
        apply(arguments.old, arguments.patch, arguments.new)
    except ArchiveError as error:
        print(error, file=sys.stderr)
        return 2 if error.code == "notAnArchive" else 1
    except OSError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
