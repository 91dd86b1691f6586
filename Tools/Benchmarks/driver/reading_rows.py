# SPDX-License-Identifier: Apache-2.0
"""Unpacking and verifying beside unsquashfs and md5sum, and the memory of both commands."""

from __future__ import annotations

from pathlib import Path

from .bench import WEBARC, Bench, length, pack
from .command import Failure, Words, run
from .corpora import Corpus, paths
from .measurement import Measurement
from .packing_rows import mksquashfs

MEMORY_LIMIT, MEMORY_PER_ENTRY = 256 * 2**20, 150


def measure_unpack(bench: Bench) -> None:
    for corpus in bench.corpora:
        image = bench.fresh("lz4.squashfs")
        run(mksquashfs(corpus.folder, image, "lz4"))
        archive = bench.packed(corpus)
        written: list[Path] = []

        def unpack(words: list[str | Path], name: str, written: list[Path] = written) -> Words:
            written.append(bench.fresh(name))
            return [*words, written[-1]]

        pairs = bench.in_turn(
            lambda archive=archive, unpack=unpack: unpack([WEBARC, "unpack", "--quiet", archive, "-C"], "webarc"),
            lambda image=image, unpack=unpack: [
                *unpack(["unsquashfs", "-quiet", "-no-progress", "-dest"], "unsquashfs"), image])
        for folder in written[:2]:
            if (count := len(paths(folder))) != corpus.files:
                raise Failure(f"{folder} has {count} files, and {corpus.package} {corpus.files}")
        bench.add(Measurement(
            "unpack", "`unpack`, wall time", "s", against="`unsquashfs`", subject=corpus.package, reach=[1.0],
            **pairs.seconds, **pairs.effort))
    # Not before the last corpus is done: see Bench.fresh.
    bench.clean()


def measure_verify(bench: Bench) -> None:
    for corpus in bench.corpora:
        archive = bench.packed(corpus)

        def theirs(corpus: Corpus = corpus) -> Words:
            # About sixteen portions, so that both processes have work to the end.
            portion = str(max(1, corpus.files // 16))
            return ["sh", "-c", 'find "$1" -type f -print0 | xargs -0 -P2 -n "$2" md5sum >"$3"', "sh", corpus.folder,
                    portion, bench.fresh("sums")]

        pairs = bench.in_turn(lambda archive=archive: [WEBARC, "verify", "--quiet", archive], theirs)
        bench.add(Measurement(
            "verify", "`verify`, wall time", "s", against="`md5sum`, two processes", subject=corpus.package, reach=[0.5],
            **pairs.seconds, **pairs.effort))
    bench.clean()


def add_memory(bench: Bench, command: str, subject: str, entries: int, peaks: list[int], note: str = "") -> None:
    limit = (MEMORY_LIMIT + MEMORY_PER_ENTRY * entries) / 2**20
    bench.add(Measurement(
        "memory", f"`{command}`, peak memory", "MiB", [peak / 2**20 for peak in peaks], subject=subject,
        reach=[round(limit)], note=note))


def measure_memory(bench: Bench) -> None:
    """The corpora, and one body that is far larger than the memory allowed."""
    subjects = [(corpus.package, corpus.folder, corpus.files, "") for corpus in bench.corpora]
    size = 1 if bench.quick else 6
    folder = bench.fresh("large")
    folder.mkdir()
    with (folder / "large.bin").open("wb") as file:
        file.truncate(size * 2**30)
    subjects.append((f"one body of {size} GiB", folder, 1, "a sparse file"))
    for subject, source, entries, note in subjects:
        archive = bench.fresh("memory.webarc")
        levels = {"pack": [], "pack --level 9": ["--level", "9"]}
        for command, options in levels.items():
            cost = bench.once([*pack(source), *options, "-o", archive])
            add_memory(bench, command, subject, entries, [cost.memory], note or f"took {cost.seconds:.2f} s")
        length(archive)
        cost = bench.once([WEBARC, "verify", "--quiet", archive])
        add_memory(bench, "verify", subject, entries, [cost.memory], note or f"took {cost.seconds:.2f} s")
    bench.clean()
