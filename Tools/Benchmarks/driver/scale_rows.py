# SPDX-License-Identifier: Apache-2.0
"""Time and memory against size: ten times as much each step."""

from __future__ import annotations

import tempfile
from pathlib import Path

from .bench import MEMORY_DISK, WEBARC, Bench, pack
from .command import Cost
from .library import Library
from .measurement import Measurement
from .reading_rows import MEMORY_LIMIT, MEMORY_PER_ENTRY
from .units import count

# Files of 100 MB that take no space: a mark, which makes each of them a body of its own, and a hole.
LARGE_FILE = 10**8
# The maximum factor for ten times as much, with a tenth for noise.
LINEAR = 11.0


class Steps:
    """One command at growing sizes."""

    def __init__(self, bench: Bench, row: str, command: str, unit: str, per_entry: int) -> None:
        self.bench, self.row, self.command, self.unit, self.per_entry = bench, row, command, unit, per_entry
        self.before: tuple[float, Cost] | None = None

    def add(self, size: float, cost: Cost) -> None:
        note = ""
        if self.before:
            before = self.before[1]
            note = (f"{cost.seconds / before.seconds:.1f} times as long, {cost.processor / max(before.processor, 0.01):.1f} times "
                    f"the processor time, for {size / self.before[0]:g} times as much")
        subject = f"{count(size)} entries" if self.unit == "entries" else f"{size / 1e9:g} GB"
        self.bench.add(Measurement(self.row, f"`{self.command}`, wall time", "s", [cost.seconds], subject=subject, size=size,
                                   reach=[self.before[1].seconds * LINEAR] if self.before else [],
                                   our_processor=cost.processor, note=note))
        self.bench.add(Measurement(
            self.row, f"`{self.command}`, peak memory", "B", [float(cost.memory)], subject=subject, size=size,
            reach=[MEMORY_LIMIT + self.per_entry * size]))
        self.before = (size, cost)


def measure_entries(bench: Bench) -> None:
    """Archives that the library writes from memory: no file system holds ten million files without pain."""
    write = Steps(bench, "scale-entries", "write", "entries", MEMORY_PER_ENTRY)
    verify = Steps(bench, "scale-entries", "verify", "entries", MEMORY_PER_ENTRY)
    for power in range(4, 6 if bench.quick else 8):
        entries = 10**power
        write.add(entries, bench.library.make(entries))
        verify.add(entries, bench.once([WEBARC, "verify", "--quiet", bench.library.archive(entries)]))


def measure_files(bench: Bench) -> None:
    """On a tmpfs where there is one: with a million files, a disk is all that would be measured, and removing them takes long."""
    steps = Steps(bench, "scale-files", "pack", "entries", MEMORY_PER_ENTRY)
    with tempfile.TemporaryDirectory(prefix="webarc-benchmark-", dir=MEMORY_DISK if MEMORY_DISK.is_dir() else bench.work) as place:
        for power in range(4, 5 if bench.quick else 7):
            folder = Path(place, str(10**power))
            write_files(folder, 10**power, bench.library)
            steps.add(10**power, bench.once([*pack(folder), "-o", bench.fresh("files.webarc")]))
    bench.clean()


def write_files(folder: Path, count: int, library: Library) -> None:
    """Short pages with the paths of real ones, in as many versions as it takes."""
    names = library.paths.read_text().splitlines()
    made: set[Path] = set()
    for number in range(count):
        file = folder / str(number // len(names)) / names[number % len(names)]
        if file.parent not in made:
            file.parent.mkdir(parents=True, exist_ok=True)
            made.add(file.parent)
        file.write_text(f"<!doctype html>\n<title>{file.name}</title>\n<p>Page {number}</p>\n")


def measure_bytes(bench: Bench) -> None:
    packing = Steps(bench, "scale-bytes", "pack", "B", 0)
    verifying = Steps(bench, "scale-bytes", "verify", "B", 0)
    folder = bench.fresh("large")
    folder.mkdir()
    files = 0
    for power in range(9, 10 if bench.quick else 12 if bench.huge else 11):
        while files * LARGE_FILE < 10**power:
            with (folder / f"{files:04}.bin").open("wb") as file:
                file.write(files.to_bytes(8, "big"))
                file.truncate(LARGE_FILE)
            files += 1
        archive = bench.fresh("large.webarc")
        packing.add(10**power, bench.once([*pack(folder), "-o", archive]))
        verifying.add(10**power, bench.once([WEBARC, "verify", "--quiet", archive]))
    bench.clean()
