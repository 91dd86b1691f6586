# SPDX-License-Identifier: Apache-2.0
"""The peers that make patches between two files of any kind, and what they made of the same files before."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from .bench import Bench, length
from .command import Cost, Words
from .machine import version

# Tools by name, each with its package.
TOOLS = {"xdelta3 -9": "xdelta3", "zstd -19 --patch-from": "zstd", "bsdiff": "bsdiff"}
# The window that zstd takes at least, and at most, as powers of two.
LEAST_WINDOW, GREATEST_WINDOW = 25, 31


@dataclass
class Delta:
    tool: str
    length: float
    cost: Cost


def words(tool: str, old: Path, new: Path, patch: Path) -> Words:
    if tool == "xdelta3 -9":
        # Its window of 64 MiB: with one for all of a longer file, it takes longer and finds less.
        return ["xdelta3", "-q", "-e", "-9", "-s", old, new, patch]
    if tool == "zstd -19 --patch-from":
        return ["zstd", "-q", "-19", f"--long={window(old, new)}", f"--patch-from={old}", new, "-o", patch]
    return ["bsdiff", old, new, patch]


def window(*files: Path) -> int:
    """The power of two that the longest of the files fits in."""
    return min(GREATEST_WINDOW, max(LEAST_WINDOW, *(file.stat().st_size.bit_length() for file in files)))


class Deltas:
    """Patches by the peers. Lengths are kept in the work folder: bsdiff takes minutes, and makes the same patch each time."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.file = bench.work / "deltas.json"
        self.kept: dict[str, dict[str, float]] = json.loads(self.file.read_text()) if self.file.exists() else {}

    def all(self, old: Path, new: Path) -> list[Delta]:
        """The patches of all tools that take part, the shortest first."""
        found = [self.one(tool, old, new) for tool in TOOLS if tool != "bsdiff" or not self.bench.skip_bsdiff]
        return sorted(found, key=lambda delta: delta.length)

    def one(self, tool: str, old: Path, new: Path) -> Delta:
        name = " ".join([tool, version(TOOLS[tool]), digest(old), digest(new)])
        if name not in self.kept:
            patch = self.bench.fresh("delta")
            cost = self.bench.once(words(tool, old, new, patch))
            self.kept[name] = {"length": length(patch), **asdict(cost)}
            self.file.write_text(json.dumps(self.kept, indent=1))
        kept = dict(self.kept[name])
        return Delta(tool, kept.pop("length"), Cost(kept["seconds"], int(kept["memory"]), kept["processor"]))


def digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
