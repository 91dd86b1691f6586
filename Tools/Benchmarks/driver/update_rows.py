# SPDX-License-Identifier: Apache-2.0
"""Updates: patches beside those of xdelta3, zstd and bsdiff, their application, and merging beside cat."""

from __future__ import annotations

import filecmp
import tempfile
from collections.abc import Callable
from pathlib import Path

from .bench import MEMORY_DISK, WEBARC, Bench, length, pack
from .command import Cost, Failure, Pairs, Words, run
from .deltas import Delta, Deltas, words
from .editions import Pair, pairs
from .measurement import Measurement
from .reading_rows import MEMORY_LIMIT
from .units import readable

XDELTA = "xdelta3 -9"


def diff(pair: Pair, patch: Path) -> Words:
    return [WEBARC, "diff", "--quiet", pair.old.archive, pair.new.archive, "-o", patch]


def measure_diff(bench: Bench) -> None:
    for pair in pairs(bench):
        measured = bench.in_turn(lambda pair=pair: diff(pair, bench.fresh("webarcpatch")),
                                 lambda pair=pair: words(XDELTA, pair.old.tar, pair.new.tar, bench.fresh("vcdiff")))
        bench.add(Measurement(
            "diff", "`diff`, wall time", "s", against=f"`{XDELTA}` on tars", subject=pair.subject, reach=[0.5],
            **measured.seconds, **measured.effort, note=pair.versions))
        bench.add(Measurement(
            "diff", "`diff`, peak memory", "MiB", [cost.memory / 2**20 for cost in measured.ours], subject=pair.subject,
            reach=[MEMORY_LIMIT / 2**20], note=pair.versions))
    bench.clean()


def measure_patch_size(bench: Bench) -> None:
    """Sizes do not depend on the run, so there is one."""
    deltas = Deltas(bench)
    for pair in pairs(bench):
        patch = bench.fresh("webarcpatch")
        cost = bench.once(diff(pair, patch))
        add_size(bench, pair, length(patch), cost, deltas.all(pair.old.tar, pair.new.tar), "tars", [1.4, 1.1])
        add_size(bench, pair, length(patch), cost, deltas.all(pair.old.archive, pair.new.archive), "the archives", [0.1])
    bench.clean()


def add_size(bench: Bench, pair: Pair, ours: float, cost: Cost, theirs: list[Delta], files: str, reach: list[float]) -> None:
    least = theirs[0]
    sizes = ", ".join(f"`{each.tool}` {readable(each.length, 'B')} in {readable(each.cost.processor, 's')}" for each in theirs)
    bench.add(Measurement(
        "patch-size", "patch of `diff`, size", "B", [ours], [least.length], f"the smallest of {len(theirs)}, on {files}",
        pair.subject, reach, cost.memory, least.cost.memory, cost.processor, least.cost.processor,
        note=f"{sizes}; {pair.versions}"))


def measure_patch(bench: Bench) -> None:
    for pair in pairs(bench):
        patch = bench.fresh("webarcpatch")
        run(diff(pair, patch))
        made: list[Path] = []

        def ours(pair: Pair = pair, patch: Path = patch, made: list[Path] = made) -> Words:
            made.append(bench.fresh("patched.webarc"))
            return [WEBARC, "patch", "--quiet", pair.old.archive, patch, "-o", made[-1]]

        def theirs(pair: Pair = pair) -> Words:
            return ["sh", "-c", '"$1" unpack --quiet "$2" -C "$3" && exec "$1" pack --quiet "$3" -o "$4"', "sh", WEBARC,
                    pair.new.archive, bench.fresh("unpacked"), bench.fresh("packed.webarc")]

        measured = bench.in_turn(ours, theirs)
        if not filecmp.cmp(made[0], pair.new.archive, shallow=False):
            raise Failure(f"{pair.subject}: the patch does not make the new archive")
        bench.add(Measurement(
            "patch", "`patch`, wall time", "s", against="`unpack` of the new archive and `pack`", subject=pair.subject,
            reach=[1.0], **measured.seconds, **measured.effort, note=pair.versions))
    bench.clean()


def measure_merge(bench: Bench) -> None:
    """Archives of two hosts, so that nothing is in both."""
    names = ("python", "cppreference") if bench.quick else ("openjdk", "rust")
    archives = [bench.fresh(f"{name}.webarc") for name in names]
    for name, archive in zip(names, archives, strict=True):
        run([*pack(bench.corpus(name).folder), "-o", archive, "--base-url", f"http://{name}.example/"])
    subject = " and ".join(bench.corpus(name).package for name in names)

    def measured(fresh: Callable[[str], Path]) -> Pairs:
        return bench.in_turn(lambda: [WEBARC, "merge", "--quiet", *archives, "-o", fresh("merged.webarc")],
                             lambda: ["sh", "-c", 'cat "$1" "$2" >"$3"', "sh", *archives, fresh("both")])

    result = measured(bench.fresh)
    bench.add(Measurement("merge", "`merge`, wall time", "s", against="`cat` of both", subject=subject, reach=[3.0],
                          **result.seconds, **result.effort))
    if MEMORY_DISK.is_dir():
        with tempfile.TemporaryDirectory(prefix="webarc-benchmark-", dir=MEMORY_DISK) as place:
            result = measured(lambda name: Path(place, f"{next(bench.numbers)}-{name}"))
        bench.add(Measurement("merge", "`merge` to a tmpfs, wall time", "s", against="`cat` of both", subject=subject,
                              **result.seconds, **result.effort))
    bench.clean()
