# SPDX-License-Identifier: Apache-2.0
"""MRKL of a commit, made from the file that it ends (sections 13.1 and 13.2 of ../webarc-1.md)."""

from __future__ import annotations

from webarc_reader import Archive
from webarc_trust import GROUP, NOTHING_BEFORE, leaf_hash, parts, sections_with_leaves, sha256, statement_of


def leaves(archive: Archive) -> list[bytes]:
    """The hashes of the leaves that the tree of the last commit covers."""
    holder = archive.commits[-1]
    signed = [(commit, statement) for commit in archive.commits[:-1] if (statement := statement_of(archive, commit))]
    first, before = 0, NOTHING_BEFORE
    if signed:
        first, before = signed[-1][0].number + 1, sha256(signed[-1][1].section)
    hashes = [leaf_hash(b"HEAD", 0, archive.read_at(0, 32) + before)]
    for commit in archive.commits[first:]:
        for kind, section in sections_with_leaves(commit, holder):
            hashes += [leaf_hash(kind.encode(), offset, archive.read_at(offset, length))
                       for offset, length in parts(commit, kind, section)]
        start, end = commit.footer.table_offset, commit.footer.offset + 64
        hashes.append(leaf_hash(b"FOOT", start, archive.read_at(start, end - start)))
    return hashes


def tree(archive: Archive) -> bytes:
    level, hashes = 0, leaves(archive)
    out: list[bytes] = []
    while len(hashes) > 1:
        out += hashes
        hashes = [sha256(b"\1" + bytes([level]) + b"".join(hashes[at:at + GROUP])) for at in range(0, len(hashes), GROUP)]
        level += 1
    return b"".join(out)
