# SPDX-License-Identifier: Apache-2.0
"""Packing: time and size beside mksquashfs, zip and zimwriterfs."""

from __future__ import annotations

import struct
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from .bench import MEMORY_DISK, Bench, length, pack
from .command import Pairs, Words, run
from .corpora import Corpus
from .measurement import Measurement

# The corpora on which less is asked of a level.
ZIP_REACH = {"python": 1.0}
ZSTD_REACH = {"rust": 1.5}


def mksquashfs(folder: Path, image: Path, compression: str) -> Words:
    return ["mksquashfs", folder, image, "-comp", compression, "-noappend", "-quiet", "-no-progress"]


def measure_pack(bench: Bench) -> None:
    for corpus in bench.corpora:
        pairs, archives, images = pack_in_turn(bench, corpus, bench.fresh)
        bench.add(Measurement(
            "pack", "`pack`, wall time", "s", against="`mksquashfs -comp lz4`", subject=corpus.package,
            reach=[0.7, 0.5], **pairs.seconds, **pairs.effort))
        bench.add(Measurement(
            "pack-size", "`pack`, size", "B", [length(file) for file in archives], [length(file) for file in images],
            "`mksquashfs -comp lz4`", corpus.package, [1.0, 0.9]))
        bench.clean()
        if MEMORY_DISK.is_dir():
            measure_without_disk(bench, corpus)


def measure_without_disk(bench: Bench, corpus: Corpus) -> None:
    """Measures without waiting for the disk, which shows the disk's share of the time."""
    with tempfile.TemporaryDirectory(prefix="webarc-benchmark-", dir=MEMORY_DISK) as place:
        pairs, _, _ = pack_in_turn(bench, corpus, lambda name: Path(place, f"{next(bench.numbers)}-{name}"))
    bench.add(Measurement(
        "pack-tmpfs", "`pack` to a tmpfs, wall time", "s", against="`mksquashfs -comp lz4`", subject=corpus.package,
        **pairs.seconds, **pairs.effort))


def pack_in_turn(
    bench: Bench, corpus: Corpus, fresh: Callable[[str], Path]
) -> tuple[Pairs, list[Path], list[Path]]:
    archives: list[Path] = []
    images: list[Path] = []

    def ours() -> Words:
        archives.append(fresh("default.webarc"))
        return [*pack(corpus.folder), "-o", archives[-1]]

    def theirs() -> Words:
        images.append(fresh("lz4.squashfs"))
        return mksquashfs(corpus.folder, images[-1], "lz4")

    return bench.in_turn(ours, theirs), archives, images


def measure_level_9(bench: Bench) -> None:
    """Sizes do not depend on the run, so there is one."""
    for corpus in bench.corpora:
        archive, zipped, image = bench.fresh("9.webarc"), bench.fresh("9.zip"), bench.fresh("zstd.squashfs")
        cost = bench.once([*pack(corpus.folder), "--level", "9", "-o", archive])
        zip_cost = bench.once(["sh", "-c", 'cd "$1" && exec zip -9 -r -q -X "$2" .', "sh", corpus.folder, zipped])
        image_cost = bench.once(mksquashfs(corpus.folder, image, "zstd"))
        for against, file, theirs, reach in (
            ("`zip -9`", zipped, zip_cost, [ZIP_REACH.get(corpus.name, 0.6)]),
            ("`mksquashfs -comp zstd`", image, image_cost, [ZSTD_REACH.get(corpus.name, 1.2), 1.0]),
        ):
            bench.add(Measurement(
                "level9", "`pack --level 9`, size", "B", [length(archive)], [length(file)], against, corpus.package, reach,
                cost.memory, theirs.memory,
                note=f"took {cost.seconds:.1f} s against {theirs.seconds:.1f} s"))
        bench.clean()


def icon() -> bytes:
    """The smallest illustration that zimwriterfs takes: 48 x 48 pixels."""
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\x80" * 48) * 48
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 48, 48, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def measure_zim(bench: Bench) -> None:
    """One corpus and few runs: a run takes minutes."""
    corpus = bench.corpus("python")
    folder = bench.fresh("site")
    # Links cost no space; the illustration has to lie in the folder.
    run(["cp", "-rl", corpus.folder, folder])
    (folder / "illustration.png").write_bytes(icon())
    pairs = bench.in_turn(
        lambda: [*pack(folder), "-o", bench.fresh("default.webarc")],
        lambda: ["zimwriterfs", "--withoutFTIndex", "--welcome=index.html", "--illustration=illustration.png",
                 "--language=eng", "--title=Python", "--description=Documentation", "--creator=Python",
                 "--publisher=webarc", folder, bench.fresh("site.zim")])
    bench.add(Measurement(
        "zim", "`pack`, wall time", "s", against="`zimwriterfs` without index", subject=corpus.package, reach=[0.02],
        **pairs.seconds, **pairs.effort))
    bench.clean()
