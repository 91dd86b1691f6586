# SPDX-License-Identifier: Apache-2.0
"""The rows that matter most, as README.md shows them."""

from __future__ import annotations

from .corpora import PLACES
from .deltas import TOOLS
from .measurement import Measurement
from .results import Results
from .units import digits, readable

ROWS = [
    ("pack", "`mksquashfs -comp lz4`", "`pack`, time against `mksquashfs -comp lz4`"),
    ("pack-size", "`mksquashfs -comp lz4`", "`pack`, size against `mksquashfs -comp lz4`"),
    ("level9", "`zip -9`", "`pack --level 9`, size against `zip -9`"),
    ("level9", "`mksquashfs -comp zstd`", "`pack --level 9`, size against `mksquashfs -comp zstd`"),
    ("unpack", "`unsquashfs`", "`unpack`, time against `unsquashfs`"),
    ("verify", "`md5sum`, two processes", "`verify`, time against `md5sum`, two processes"),
]


def _one(results: Results, row: str, what: str, against: str = "", subject: str = "") -> Measurement | None:
    found = [each for each in results.measurements
             if (each.row, each.what, each.against) == (row, what, against) and subject in each.subject]
    return found[0] if found else None


def _library(results: Results) -> list[str]:
    lines = []
    if opening := _one(results, "open", "open, 10 million entries"):
        lines.append(f"opening an archive of 10 million entries takes {readable(opening.value, 's')}")
    if lookup := _one(results, "lookup", "look up, 1 million entries"):
        taken = [each.value for each in results.measurements if each.row == "allocations"]
        free = " and allocates no heap memory" if taken and not any(taken) else ""
        lines.append(f"a lookup among a million entries takes {readable(lookup.value, 's')}{free}")
    if index := _one(results, "index", "index, without the text of URLs", subject="nginx"):
        lines.append(f"the index takes {digits(index.value)} bytes per entry, not counting the text of the URL")
    return lines


def _requests(results: Results) -> list[str]:
    lines = []
    servers = [
        ("`serve --threads 1`, all files in mixed order, time a request", "nginx, one worker", "one to nginx with one worker"),
        ("`serve`, pages in mixed order, time a request", "kiwix-serve", "one to kiwix-serve"),
    ]
    found = [(_one(results, "serve", what, against), words) for what, against, words in servers]
    parts = [f"{_ratio(each.value)} times as long as {words}" for each, words in found if each]
    if parts:
        lines.append(f"a request to `serve` takes {' and '.join(parts)}")
    constant = "a `URLProtocol` that answers a constant"
    if page := _one(results, "protocol-small", "`URLSession`, time a request", constant, "bundle"):
        lines.append(f"a small page through `URLSession` takes {_ratio(page.value)} times as long as one from a `URLProtocol` that returns a constant")
    return lines


def _updates(results: Results) -> list[str]:
    lines = []
    peers = f"the smallest of {len(TOOLS)}, on tars"
    patches = [each.value for each in results.measurements if (each.row, each.against) == ("patch-size", peers)]
    if patches:
        least, most = _ratio(min(patches)), _ratio(max(patches))
        lines.append(f"a patch to the next edition is {least if least == most else f'{least} to {most}'} times as long as the "
                     "shortest of `xdelta3`, `zstd` and `bsdiff` between tars of the files")
    if page := _one(results, "first-page", "open with a key and read one page", "`minisign -V` of the whole file"):
        lines.append(f"opening a signed archive and reading its first page, both verified, takes {_ratio(page.value)} times as long as "
                     "`minisign -V`, which reads the whole file")
    return lines


def _ratio(value: float) -> str:
    return digits(value, 2 if value < 1 else 3)


def _sentence(parts: list[str]) -> str:
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts)


def numbers(results: Results) -> str:
    names = [package for package, _ in PLACES.values()]
    found = {(each.row, each.against, each.subject): each for each in results.measurements}
    lines = [f"| ratio to the other tool, less is better | {' | '.join(name.removesuffix('-en-html') for name in names)} |", "|---|" + "--:|" * len(names)]
    for row, against, words in ROWS:
        cells = [found.get((row, against, name)) for name in names]
        if any(cells):
            lines.append(f"| {words} | {' | '.join(_ratio(cell.value) if cell else '' for cell in cells)} |")
    text = "![Packing compared with other tools](Documentation/benchmarks-pack.svg)\n\n" + "\n".join(lines)
    date = max((each.date for each in results.measurements), default="")
    for parts in (_library(results), _requests(results), _updates(results)):
        sentence = _sentence(parts)
        if sentence:
            text += f"\n\n{sentence}"
    return (f"{text}\n\nMeasured on {date} with `Tools/benchmark`: {results.machine['processor']}, {results.machine['memory']}, "
            f"{results.machine['file system']}, {results.machine['system']}. All rows, charts of scale and memory, and how it is "
            "measured: [Documentation/benchmarks.md](Documentation/benchmarks.md).")
