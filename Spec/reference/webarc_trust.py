# SPDX-License-Identifier: Apache-2.0
"""Section 13 of ../webarc-1.md: trees, statements, and opening with keys."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webarc_ed25519 import verify
from webarc_format import ArchiveError, Section, untrusted

if TYPE_CHECKING:
    from webarc_reader import Archive, Commit

PIECE, GROUP, HASH = 65_536, 128, 32
LABEL, ENDORSEMENT = b"webarc statement", b"webarc endorsement"
NOTHING_BEFORE = bytes(HASH)


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


# --- 13.1 Leaves ---------------------------------------------------------------------------------------------------


def leaf_hash(kind: bytes, offset: int, data: bytes) -> bytes:
    return sha256(b"\0" + kind + struct.pack("<QQ", offset, len(data)) + sha256(data))


def pieces(section: Section) -> Iterator[tuple[int, int]]:
    """Offset and length of each piece of a section."""
    for start in range(0, section.length, PIECE):
        yield section.offset + start, min(PIECE, section.length - start)


def stored_blocks(commit: Commit) -> Iterator[tuple[int, int]]:
    """Offset and length of the stored bytes of each block."""
    starts = [row.integer("offset", 0, commit.blocks.length) for row in commit.rows("Block")]
    for start, end in zip(starts, starts[1:] + [commit.blocks.length]):
        if start >= end:
            raise untrusted("a block without stored bytes", commit.blocks.offset)
        yield commit.blocks.offset + start, end - start


def sections_with_leaves(commit: Commit, holder: Commit) -> list[tuple[str, Section]]:
    """The sections of a commit that the tree of another one, or its own, covers."""
    return [(kind, section) for kind, section in commit.all_sections
            if commit is not holder or kind not in ("MRKL", "SIGN")]


def parts(commit: Commit, kind: str, section: Section) -> list[tuple[int, int]]:
    """Offset and length of the leaves of a section."""
    return list(stored_blocks(commit) if kind == "BLKS" and commit.count("Block") else pieces(section))


# --- 13.2 Tree -----------------------------------------------------------------------------------------------------


class Tree:
    """The hashes of MRKL, read and proved group by group."""

    def __init__(self, archive: Archive, section: Section, leaves: int, root: bytes) -> None:
        self.archive, self.section, self.root = archive, section, root
        self.starts, self.counts = [0], [leaves]  # of each level, in hashes
        while self.counts[-1] > 1:
            self.starts.append(self.starts[-1] + self.counts[-1])
            self.counts.append(-(-self.counts[-1] // GROUP))
        if section.length != HASH * self.starts[-1]:
            raise untrusted(f"a tree of {section.length} bytes for {leaves} leaves", section.offset)
        self.proved: set[tuple[int, int]] = set()

    def prove(self, level: int, number: int, wanted: bytes) -> bool:
        """Returns whether hash `number` of a level is `wanted`."""
        if level == len(self.counts) - 1:
            return wanted == self.root
        group = number // GROUP
        start, count = group * GROUP, min(GROUP, self.counts[level] - group * GROUP)
        data = self.archive.read_at(self.section.offset + HASH * (self.starts[level] + start), HASH * count)
        place = HASH * (number - start)
        if data[place:place + HASH] != wanted:
            return False
        if (level, group) not in self.proved:
            if not self.prove(level + 1, group, sha256(b"\1" + bytes([level]) + data)):
                return False
            self.proved.add((level, group))
        return True


# --- 13.3 Statement ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Statement:
    section: bytes
    message: bytes
    root: bytes
    leaves: int
    sequence: int
    time: int
    series: str
    signatures: list[tuple[bytes, bytes]]
    endorsements: list[tuple[bytes, bytes, bytes]]

    def signers(self, trusted: set[bytes]) -> tuple[dict[bytes, bytes], list[set[bytes]]]:
        """The keys of right signatures that speak for trusted keys, with the keys that are shown for them; and the pairs of
        keys that right endorsements join."""
        speaks = {key: {key} for key in trusted}
        right: set[tuple[bytes, bytes]] = set()
        for _ in self.endorsements:
            for new, old, signature in self.endorsements:
                if old in speaks and ((old, new) in right or verify(old, ENDORSEMENT + new, signature)):
                    right.add((old, new))
                    speaks[new] = speaks.get(new, set()) | speaks[old]
        return {key: key if key in trusted else min(speaks[key]) for key, signature in self.signatures
                if key in speaks and verify(key, self.message, signature)}, [set(pair) for pair in right]


def count_signers(keys: Iterable[bytes], joined: list[set[bytes]]) -> int:
    """How many signers keys are, where those count once that endorsements join."""
    groups = [{key} for key in keys]
    for pair in joined:
        touched = [group for group in groups if group & pair]
        groups = [group for group in groups if not group & pair] + [pair.union(*touched)]
    return sum(any(key in group for key in keys) for group in groups)


def parse_statement(data: bytes, end: int, number: int) -> Statement | None:
    """The statement of the commit with this number and this end; None if it breaks a rule."""
    if len(data) < 152:
        return None
    label, root, leaves, covered, sequence, time, commit, n, m, name = struct.unpack("<16s32sQQQqIHH64s", data[:152])
    series = name.rstrip(b"\0")
    if label != LABEL or covered != end or commit != number or not 1 <= n <= 16 or m > 16 or leaves < 2:
        return None
    if len(data) != 152 + 96 * n + 128 * m or not series or b"\0" in series:
        return None
    try:
        text = series.decode()
    except UnicodeDecodeError:
        return None
    signatures = [(data[at:at + 32], data[at + 32:at + 96]) for at in range(152, 152 + 96 * n, 96)]
    endorsements = [(data[at:at + 32], data[at + 32:at + 64], data[at + 64:at + 128])
                    for at in range(152 + 96 * n, len(data), 128)]
    return Statement(data, data[:152], root, leaves, sequence, time, text, signatures, endorsements)


def statement_of(archive: Archive, commit: Commit) -> Statement | None:
    """The statement of a signed commit; None if it is not signed."""
    sign = commit.sections.get("SIGN")
    if sign is None or "MRKL" not in commit.sections or sign.length > 152 + 16 * (96 + 128):
        return None
    return parse_statement(archive.read_at(sign.offset, sign.length), commit.footer.offset + 64, commit.number)


# --- 13.4 Opening with keys ----------------------------------------------------------------------------------------


class Trust:
    """The proofs of an archive that was opened with keys. Cuts off the commits that the keys do not vouch for."""

    def __init__(self, archive: Archive, keys: set[bytes], threshold: int = 1) -> None:
        self.archive = archive
        self.signed = [(commit, statement) for commit in archive.commits if (statement := statement_of(archive, commit))]
        self.trees: dict[int, Tree] = {}                       # by the number of a covered commit
        self.first: dict[int, int] = {}                        # the first leaf of a covered commit
        self.proved: set[tuple[int, int]] = set()
        self.commit, self.used, self.signers = self.find(keys, threshold)
        self.ignored = [commit.number for commit in archive.commits[self.commit.number + 1:]
                        if any(table.rows for table in commit.tables.values())]
        del archive.commits[self.commit.number + 1:]

    def find(self, keys: set[bytes], threshold: int) -> tuple[Commit, Statement, set[bytes]]:
        signers: dict[bytes, bytes] = {}
        joined: list[set[bytes]] = []
        after: tuple[Commit, Statement] | None = None
        failure: ArchiveError | None = None
        for commit, statement in reversed(self.signed):
            if signers and after and not self.leads(*after, sha256(statement.section)):
                signers, joined = {}, []
            own, pairs = statement.signers(keys)
            signers, joined = own | signers, joined + pairs
            if count_signers(signers, joined) >= threshold:
                try:
                    self.prove_to_the_beginning(commit, statement)
                    return commit, statement, set(signers.values())
                except ArchiveError as error:
                    failure, signers, joined = failure or error, {}, []
            after = commit, statement
        raise failure or untrusted("no commit that enough of the trusted keys signed", None)

    def leads(self, commit: Commit, statement: Statement, before: bytes) -> bool:
        """Returns whether the tree of a commit covers the previous statement."""
        try:
            tree = Tree(self.archive, commit.sections["MRKL"], statement.leaves, statement.root)
        except ArchiveError:
            return False
        return tree.prove(0, 0, leaf_hash(b"HEAD", 0, self.archive.read_at(0, 32) + before))

    def prove_to_the_beginning(self, last: Commit, used: Statement) -> None:
        """Proves header, ends and class tables, from a commit to the oldest."""
        signed = [(c, s) for c, s in self.signed if c.number <= last.number]
        root: bytes = used.root
        while signed:
            commit, statement = signed.pop()
            before = signed[-1] if signed else None
            covered = self.archive.commits[before[0].number + 1 if before else 0:commit.number + 1]
            leaves = 1
            for one in covered:
                self.first[one.number] = leaves
                leaves += self.leaf_count(one, commit)
            if leaves != statement.leaves:
                raise untrusted(f"{leaves} leaves, and a statement of {statement.leaves}", commit.footer.offset)
            tree = Tree(self.archive, commit.sections["MRKL"], leaves, root)
            hashed = sha256(before[1].section) if before else NOTHING_BEFORE
            if not tree.prove(0, 0, leaf_hash(b"HEAD", 0, self.archive.read_at(0, 32) + hashed)):
                raise untrusted("the header is not the one that was signed", 0)
            root = before[1].root if before else b""
            for one in covered:
                self.trees[one.number] = tree
                self.prove_ends(one, commit)

    def leaf_count(self, commit: Commit, holder: Commit) -> int:
        count, end = 1, commit.footer.start
        for kind, section in commit.all_sections:
            if section.offset != end:
                raise untrusted("bytes between sections", end)
            end = section.offset + section.length
        if end != commit.footer.table_offset:
            raise untrusted("bytes between sections", end)
        for kind, section in sections_with_leaves(commit, holder):
            blocks = commit.count("Block") if kind == "BLKS" else 0
            count += blocks or -(-section.length // PIECE)
        return count

    def first_leaf(self, commit: Commit, wanted: str) -> int:
        holder = self.holder(commit)
        number = self.first[commit.number]
        for kind, section in sections_with_leaves(commit, holder):
            if kind == wanted:
                break
            blocks = commit.count("Block") if kind == "BLKS" else 0
            number += blocks or -(-section.length // PIECE)
        return number

    def holder(self, commit: Commit) -> Commit:
        return next(c for c, _ in self.signed if c.number >= commit.number)

    def check(self, commit: Commit, number: int, kind: str, offset: int, data: bytes) -> None:
        if not self.trees[commit.number].prove(0, number, leaf_hash(kind.encode(), offset, data)):
            raise untrusted(f"{kind} of commit {commit.number} is not what was signed", offset)

    def prove_ends(self, commit: Commit, holder: Commit) -> None:
        start, end = commit.footer.table_offset, commit.footer.offset + 64
        number = self.first[commit.number] + self.leaf_count(commit, holder) - 1
        self.check(commit, number, "FOOT", start, self.archive.read_at(start, end - start))
        if "CLSS" in commit.sections:
            self.prove_section(commit, "CLSS")

    def prove_section(self, commit: Commit, kind: str) -> None:
        first = self.first_leaf(commit, kind)
        section = dict(commit.all_sections)[kind]
        for i, (offset, length) in enumerate(pieces(section)):
            self.check(commit, first + i, kind, offset, self.archive.read_at(offset, length))

    # Afterwards: what is touched, and everything

    def prove_page(self, commit: Commit, page: int) -> None:
        """The piece of INDX that holds a page of 4,096 bytes."""
        piece = page * 4096 // PIECE
        if (commit.number, piece) in self.proved:
            return
        offset = commit.index.offset + piece * PIECE
        length = min(PIECE, commit.index.offset + commit.index.length - offset)
        self.check(commit, self.first_leaf(commit, "INDX") + piece, "INDX", offset, self.archive.read_at(offset, length))
        self.proved.add((commit.number, piece))

    def prove_block(self, commit: Commit, row: int, offset: int, stored: bytes) -> None:
        self.check(commit, self.first_leaf(commit, "BLKS") + row, "BLKS", offset, stored)

    def prove_all(self) -> Iterator[ArchiveError]:
        """Proves every leaf, and gives what is wrong."""
        for commit in self.archive.commits:
            for kind, section in sections_with_leaves(commit, self.holder(commit)):
                try:
                    leaves = parts(commit, kind, section)
                except ArchiveError as error:
                    yield error
                    continue
                first = self.first_leaf(commit, kind)
                for i, (offset, length) in enumerate(leaves):
                    try:
                        self.check(commit, first + i, kind, offset, self.archive.read_at(offset, length))
                    except ArchiveError as error:
                        yield error
