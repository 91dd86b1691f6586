# SPDX-License-Identifier: Apache-2.0
"""An archive with trees and statements (section 13)."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from typing import Any

from .archive_builder import Archive
from .commit_builder import Commit
from .ed25519_signer import Signer
from .primitives import SECOND

PIECE = 65_536


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def endorsement(old: Signer, new: Signer) -> bytes:
    return new.key + old.key + old.sign(b"webarc endorsement" + new.key)


class SignedArchive(Archive):
    def __init__(self, **fields: Any) -> None:
        super().__init__(minor=1, **fields)
        self.waiting: list[tuple[Commit, list[dict[str, Any]], int, int]] = []  # what the next tree covers
        self.root = bytes(32)
        self.before = bytes(32)                      # of the newest statement, its hash

    def plain(self, commit: Commit, **changes: Any) -> SignedArchive:
        """A commit without a signature."""
        found: list[dict[str, Any]] = []
        before = changes.pop("parts", None)

        def parts(pieces: list[dict[str, Any]]) -> None:
            if before:
                before(pieces)
            found.append(pieces)  # type: ignore[arg-type]
        self.add(commit, parts=parts, **changes)
        self.waiting.append((commit, found[0], self.footers[-1] - 32 * len(found[0]), len(self.data)))  # type: ignore
        return self

    def sign(self, commit: Commit | None, signers: Iterable[Signer], series: str = "example.org", sequence: int = 1,
             endorsements: Iterable[bytes] = (), statement: dict[str, Any] | None = None, alone: bool = False) -> SignedArchive:
        """A signed commit. `alone`: it holds nothing but tree and statement. `statement`: fields to be wrong."""
        signers, endorsed = list(signers), b"".join(endorsements)
        own: dict[str, Any] = {"type": b"MRKL", "flags": 0, "data": b""}
        sign = {"type": b"SIGN", "flags": 0, "data": bytes(152 + 96 * len(signers) + len(endorsed))}
        commit = commit or self.commit()

        def parts(pieces: list[dict[str, Any]]) -> None:
            if alone:
                pieces.clear()
            count = 2 + sum(self.leaf_count(*one[:2]) + 1 for one in self.waiting) + self.leaf_count(commit, pieces)
            length, level = 0, count
            while level > 1:
                length, level = length + 32 * level, -(-level // 128)
            own["data"] = bytes(length)
            pieces += [own, sign]
        self.plain(commit, parts=parts)
        covered, self.waiting = self.waiting, []
        level = [self.leaf(b"HEAD", 0, bytes(self.data[:32]) + self.before)]
        for one, pieces, table, end in covered:
            level += self.leaves(one, [piece for piece in pieces if piece not in (own, sign)])
            level.append(self.leaf(b"FOOT", table, bytes(self.data[table:end])))
        leaves, tree = len(level), b""
        for depth in range(9):
            if len(level) == 1:
                break
            tree += b"".join(level)
            level = [sha(b"\1" + bytes([depth]) + b"".join(level[i:i + 128])) for i in range(0, len(level), 128)]
        self.root = level[0]
        values = {"label": b"webarc statement", "root": self.root, "leaves": leaves, "covered": len(self.data),
                  "sequence": sequence, "time": 1_750_000_000 * SECOND, "commit": self.count - 1, "n": len(signers),
                  "m": len(endorsed) // 128, "series": series.encode()} | (statement or {})
        message = struct.pack("<16s32sQQQqIHH64s", *values.values())
        signatures = b"".join(signer.key + signer.sign(message) for signer in signers)
        for piece, data in ((own, tree), (sign, message + signatures + endorsed)):
            assert len(data) == piece["length"]
            self.data[piece["offset"]:piece["offset"] + piece["length"]] = data
        self.before = sha(message + signatures + endorsed)
        return self

    @staticmethod
    def leaf_count(commit: Commit, pieces: list[dict[str, Any]]) -> int:
        blocks = len(commit.rows["Block"])
        return sum(blocks if blocks and piece["type"] == b"BLKS" else -(-len(piece["data"]) // PIECE) for piece in pieces)

    @staticmethod
    def leaf(kind: bytes, offset: int, data: bytes) -> bytes:
        return sha(b"\0" + kind + struct.pack("<QQ", offset, len(data)) + sha(data))

    def leaves(self, commit: Commit, pieces: list[dict[str, Any]]) -> list[bytes]:
        found = []
        for piece in pieces:
            start, end = piece["offset"], piece["offset"] + piece["length"]
            if piece["type"] == b"BLKS" and commit.rows["Block"]:
                starts = [start + row.values["offset"] for row in commit.rows["Block"]]
            else:
                starts = list(range(start, end, PIECE))
            for at, after in zip(starts, starts[1:] + [end]):
                found.append(self.leaf(piece["type"], at, bytes(self.data[at:after])))
        return found
