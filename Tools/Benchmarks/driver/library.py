# SPDX-License-Identifier: Apache-2.0
"""The package of Swift programs beside this driver: synthetic archives, allocations, and the benchmarks of the library."""

from __future__ import annotations

import json
import os
import sys
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

from .bench import LIBRARY, ROOT, Bench, length
from .command import Cost, Failure, run
from .corpora import paths

sys.path.append(str(ROOT / "Spec/reference"))

# Samples of one benchmark, in seconds for one piece of work.
Samples = dict[str, list[float]]
# The benchmarks that do their work a thousand times in a sample.
BATCHES = ("look up", "answer", "body")


class Library:
    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.place = bench.work / "library"
        self._samples: Samples = {}

    @cached_property
    def programs(self) -> Path:
        print("Tools/benchmark: building Tools/Benchmarks", flush=True)
        # A cached build does not notice new files of the package above.
        run(["swift", "build", "-c", "release", "--disable-build-manifest-caching"], cwd=LIBRARY)
        return LIBRARY / ".build/release"

    @cached_property
    def paths(self) -> Path:
        """The paths of all files of all corpora, sorted, for URLs as real sites have them."""
        self.place.mkdir(exist_ok=True)
        names = sorted(f"{corpus.name}/{file.relative_to(corpus.folder)}"
                       for corpus in self.bench.corpora for file in paths(corpus.folder))
        # The maker goes through them in steps, and comes by all if the step does not divide their number.
        if len(names) % 7919 == 0:
            names.pop()
        file = self.place / "paths"
        file.write_text("".join(f"{name}\n" for name in names))
        return file

    def archive(self, entries: int, headers: str = "recorded") -> Path:
        """A synthetic archive, made once."""
        name = f"{entries}.webarc" if headers == "recorded" else f"{entries}-{headers}.webarc"
        archive = self.place / name
        if not archive.exists():
            self.make(entries, headers)
        return archive

    def make(self, entries: int, headers: str = "recorded") -> Cost:
        paths = self.paths
        name = f"{entries}.webarc" if headers == "recorded" else f"{entries}-{headers}.webarc"
        cost = self.bench.once([self.programs / "make-archive", str(entries), headers, paths, self.place / name])
        length(self.place / name)
        return cost

    def allocations(self, entries: int) -> dict[str, int]:
        archive = self.archive(entries)
        return json.loads(run([self.programs / "count-allocations", str(entries), "recorded", self.paths, archive]))

    @cached_property
    def text(self) -> Path:
        """Pages of documentation, one after another, of about 16 MiB."""
        file = self.paths.parent / "text"
        with file.open("wb") as output:
            for page in sorted(paths(self.bench.corpus("python").folder)):
                if page.suffix == ".html" and output.tell() < 2**24:
                    output.write(page.read_bytes())
        return file

    def samples(self, entries: list[int], filter: str) -> Samples:
        """Returns the results of the benchmarks whose names match."""
        for count in entries:
            self.archive(count)
        _ = self.programs, self.text
        folder = self.bench.fresh("samples")
        environment = {**os.environ, "WEBARC_BENCHMARKS": str(self.place)}
        run(["swift", "package", "--allow-writing-to-directory", folder, "benchmark", "--format", "jmh", "--path", folder,
             "--filter", filter, "--no-progress"], cwd=LIBRARY, env=environment)
        samples: Samples = {}
        for file in folder.glob("*.json"):
            for result in json.loads(file.read_text()):
                name = result["benchmark"].removeprefix("package.benchmark.ArchiveBenchmarks.").replace("_", " ")
                samples[name] = seconds(result, 1000 if name.startswith(BATCHES) else 1)
        if not samples:
            raise Failure(f"no benchmark matches {filter}")
        return samples


def seconds(result: dict[str, Any], batch: int) -> list[float]:
    metrics = [result["primaryMetric"], *result.get("secondaryMetrics", {}).values()]
    times = [metric for metric in metrics if metric["scoreUnit"] in ("ns", "μs", "ms", "s")]
    unit = {"ns": 1e-9, "μs": 1e-6, "ms": 1e-3, "s": 1.0}[times[0]["scoreUnit"]]
    return [value * unit / batch for value in times[0]["rawData"][0]]


def reduced(values: list[float]) -> list[float]:
    """The 5 numbers that stand for thousands of samples in the raw results: their median and quartiles are the same."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return [ordered[0], ordered[last // 4], median(ordered), ordered[last * 3 // 4], ordered[last]]
