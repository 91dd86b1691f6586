# SPDX-License-Identifier: Apache-2.0
"""Opening, looking up, the size of the index, decoding and digests: the library, without the command line."""

from __future__ import annotations

from statistics import median

from .bench import Bench
from .index_size import index_size
from .library import Library, reduced
from .measurement import Measurement
from .units import count

SMALL, MILLION = 10, 1_000_000
# The maximum ratio of two times that count as equal.
SAME = 1.1


def many(bench: Bench) -> int:
    return MILLION if bench.quick else 10_000_000



def sampled(row: str, what: str, samples: list[float], **more: object) -> Measurement:
    return Measurement(row, what, "s", reduced(samples), samples=len(samples), **more)  # type: ignore[arg-type]


def measure_open(bench: Bench) -> None:
    large = many(bench)
    what = f"open, {count(large)} entries"
    runs = [bench.library.samples([SMALL, large], f"open ({SMALL}|{large})") for _ in range(bench.runs)]
    allocated = [bench.library.allocations(entries)["openBytes"] for entries in (large, SMALL)]
    bench.add(Measurement(
        "open", what, "s", [median(run[f"open {large}"]) for run in runs], [median(run[f"open {SMALL}"]) for run in runs],
        f"open, {SMALL} entries", reach=[SAME], note=f"{allocated[0]:,} bytes allocated against {allocated[1]:,}"))
    bench.add(sampled("open", what, runs[-1][f"open {large}"], reach=[0.001]))
    samples = bench.library.samples([large], f"open {large} and look up")
    bench.add(sampled("open", f"open and look up one URL, {count(large)} entries", samples[f"open {large} and look up"]))


def measure_lookup(bench: Bench) -> None:
    large = many(bench)
    samples = bench.library.samples([SMALL, MILLION, large], "(look|answer|body).*")
    bench.add(sampled("lookup", "look up, 1 million entries", samples[f"look up, {MILLION}"], reach=[1e-6]))
    for entries in (SMALL, large):
        if entries != MILLION:
            bench.add(sampled("lookup", f"look up, {count(entries)} entries", samples[f"look up, {entries}"]))
    for name, what in {
        "look up text": "look up a URL given as text", "look up what is not there": "look up what is not there",
        "answer with headers": "look up, then read status and header fields", "body": "look up, then read a body of 100 bytes",
    }.items():
        bench.add(sampled("lookup", f"{what}, 1 million entries", samples[f"{name}, {MILLION}"]))
    measure_allocations(bench)


def measure_allocations(bench: Bench) -> None:
    small = bench.library.allocations(SMALL)
    for entries in sorted({MILLION, many(bench)}):
        large = bench.library.allocations(entries)
        bench.add(Measurement(
            "allocations", f"heap memory a lookup takes, {count(entries)} entries", "B", [large["bytes"] / large["lookups"]],
            reach=[small["bytes"] / small["lookups"]],
            note=f"{large['allocations'] / large['lookups']:g} allocations; with {SMALL} entries "
                 f"{small['allocations'] / small['lookups']:g} of {small['bytes'] / small['lookups']:g} B"))


def measure_index(bench: Bench) -> None:
    for headers, name in {"recorded": "header fields of nginx", "packed": "header fields of `webarc pack`"}.items():
        total, keys = index_size(bench.library.archive(MILLION, headers))
        bench.add(Measurement(
            "index", "index, without the text of URLs", "B an entry", [(total - keys) / MILLION], subject=name,
            reach=[80.0], note=f"{keys / MILLION:.1f} B an entry for the text of URLs, {total / MILLION:.1f} B in all"))


def measure_library(bench: Bench) -> None:
    samples = bench.library.samples([], "(decode|checksum|MD5).*")
    for name, length in {
        "decode a block of 256 KiB": 2**18, "decode a block of 16 KiB with a dictionary": 2**14, "checksum of 256 KiB": 2**18,
    }.items():
        rates = [length / sample / 1e9 for sample in reduced(samples[name])]
        bench.add(Measurement("library", name, "GB/s", rates, samples=len(samples[name])))
    ours, theirs = samples["MD5 of many bodies"], samples["MD5 of many bodies, one at a time by swift-crypto"]
    rates = [bench.library.text.stat().st_size / median(side) / 1e9 for side in (ours, theirs)]
    bench.add(Measurement(
        "library", "MD5 of bodies of 2 to 40 KiB", "s", [median(ours)], [median(theirs)], "swift-crypto, one at a time",
        samples=min(len(ours), len(theirs)), note=f"{rates[0]:.2f} GB/s against {rates[1]:.2f} GB/s, one thread"))
