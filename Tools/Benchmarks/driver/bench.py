# SPDX-License-Identifier: Apache-2.0
"""The parts that all rows share: options, work folder, tools, and runs of two commands in turn."""

from __future__ import annotations

import itertools
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from . import corpora, table
from .command import Cost, Failure, Pairs, Words, measure, run, text
from .measurement import Measurement

if TYPE_CHECKING:
    from .library import Library

ROOT = Path(__file__).resolve().parents[3]
WEBARC = ROOT / ".build/release/webarc"
LIBRARY = ROOT / "Tools/Benchmarks"
# A file system in memory, where nothing waits for a disk.
MEMORY_DISK = Path("/dev/shm")
# A pair that takes longer than this is not repeated as often.
LONG = 60.0


@dataclass
class Bench:
    work: Path
    corpus_names: list[str]
    runs: int
    quick: bool = False
    huge: bool = False
    pair_names: list[str] = field(default_factory=list)
    skip_bsdiff: bool = False
    results: list[Measurement] = field(default_factory=list)
    # Files and bytes of pairs of editions, by their subject.
    editions: dict[str, dict[str, int]] = field(default_factory=dict)
    _corpora: dict[str, corpora.Corpus] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def say(self, words: str) -> None:
        print(f"   {words}", flush=True)

    def fresh(self, name: str) -> Path:
        """A name in the work folder that nothing had before. What is there stays until the end of the row: on ext4, creating
        files right after thousands were removed is slow."""
        self.row.mkdir(exist_ok=True)
        return self.row / f"{next(self.numbers)}-{name}"

    @property
    def row(self) -> Path:
        return self.work / "row"

    @property
    def archives(self) -> Path:
        return self.work / "archives"

    def clean(self) -> None:
        shutil.rmtree(self.row, ignore_errors=True)

    def corpus(self, name: str) -> corpora.Corpus:
        if name not in self._corpora:
            self._corpora[name] = corpora.copy(name, self.work)
        return self._corpora[name]

    @property
    def corpora(self) -> list[corpora.Corpus]:
        return [self.corpus(name) for name in self.corpus_names]

    @property
    def subjects(self) -> dict[str, dict[str, int]]:
        return {each.package: {"files": each.files, "bytes": each.length} for each in self._corpora.values()} | self.editions

    @cached_property
    def library(self) -> Library:
        from .library import Library
        return Library(self)

    def packed(self, corpus: corpora.Corpus) -> Path:
        """An archive of a corpus at the default level, made once a run."""
        self.archives.mkdir(exist_ok=True)
        archive = self.archives / f"{corpus.name}.webarc"
        if not archive.exists():
            run([*pack(corpus.folder), "-o", archive])
        return archive

    def in_turn(self, ours: Callable[[], Words], theirs: Callable[[], Words], limit: float = LONG) -> Pairs:
        """Runs two commands A B A B, each time with new names for what they write."""
        pairs = Pairs([], [])
        while len(pairs.ours) < self.runs:
            pairs.ours.append(self.once(ours()))
            pairs.theirs.append(self.once(theirs()))
            if pairs.ours[-1].seconds + pairs.theirs[-1].seconds > limit:
                break
        return pairs

    def once(self, words: Words) -> Cost:
        cost = measure(words)
        self.log(words, cost)
        return cost

    def log(self, words: Words, cost: Cost) -> None:
        if sys.stdout.isatty():
            print(f"   {cost.seconds:8.3f} s {cost.memory / 2**20:7.0f} MiB  {text(words)[:100]}", flush=True)

    def add(self, measurement: Measurement) -> None:
        self.results.append(measurement)
        self.say(table.line(measurement))


def pack(folder: Path) -> list[str | Path]:
    return [WEBARC, "pack", "--quiet", folder]


def length(file: Path) -> float:
    if not file.is_file() or file.stat().st_size == 0:
        raise Failure(f"{file} was not written")
    return float(file.stat().st_size)
