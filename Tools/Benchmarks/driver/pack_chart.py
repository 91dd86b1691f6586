# SPDX-License-Identifier: Apache-2.0
"""The chart of packing: time and size beside the peers."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median

from .corpora import PLACES
from .measurement import Measurement
from .results import Results
from .svg import Drawing
from .units import digits

WIDTH, LEFT, RIGHT = 760.0, 130.0, 190.0
BAR, GAP, GROUP_GAP = 13.0, 3.0, 12.0


class Bars:
    """Bars in groups, each with its value and its name beside it."""

    def __init__(self, drawing: Drawing, top: float, title: str, axis: str, value: Callable[[float], str]) -> None:
        self.drawing, self.top, self.value = drawing, top, value
        self.title, self.axis = title, axis
        self.groups: list[tuple[str, list[tuple[str, str, float]]]] = []

    def draw(self) -> float:
        """Returns its end."""
        self.drawing.text(0, self.top + 12, self.title, "title")
        self.drawing.text(WIDTH, self.top + 12, self.axis, "muted", "end")
        y = self.top + 26
        greatest = max(value for _, bars in self.groups for _, _, value in bars)
        scale = (WIDTH - LEFT - RIGHT) / greatest
        for name, bars in self.groups:
            middle = y + (len(bars) * (BAR + GAP) - GAP) / 2
            self.drawing.text(LEFT - 10, middle + 4, name, anchor="end")
            for label, style, value in bars:
                self.drawing.bar(LEFT, y, value * scale, BAR, style)
                self.drawing.text(LEFT + value * scale + 6, y + 10.5, f"{self.value(value)}  {label}",
                                  "number" if style.startswith("ours") else "number muted")
                y += BAR + GAP
            y += GROUP_GAP
        return y


def _sides(measurement: Measurement) -> tuple[float, float]:
    return median(measurement.ours), median(measurement.theirs)


def pack_chart(results: Results) -> str | None:
    drawing = Drawing("webarc pack beside its peers", "Time and size of packing four sets of documentation; less is better.")
    time = Bars(drawing, 0, "Time to pack", "seconds for a GB of files, less is better", lambda value: f"{digits(value)} s")
    size = Bars(drawing, 0, "Size of the archive", "% of the files' size, less is better", lambda value: f"{digits(value)} %")
    found = {(each.row, each.subject, each.against): each for each in results.measurements}
    for _, (package, _) in PLACES.items():
        total = results.subjects.get(package, {}).get("bytes")
        fast = found.get(("pack", package, "`mksquashfs -comp lz4`"))
        sizes = found.get(("pack-size", package, "`mksquashfs -comp lz4`"))
        zipped = found.get(("level9", package, "`zip -9`"))
        squashed = found.get(("level9", package, "`mksquashfs -comp zstd`"))
        if not (total and fast and sizes and zipped and squashed):
            continue
        name = package.removesuffix("-en-html")
        ours, theirs = (each * 1e9 / total for each in _sides(fast))
        time.groups.append((name, [("webarc", "ours", ours), ("mksquashfs, lz4", "theirs", theirs)]))
        values = [each * 100 / total for each in (*_sides(sizes), *_sides(zipped), median(squashed.theirs))]
        bars = [("webarc", "ours"), ("mksquashfs, lz4", "theirs"), ("webarc --level 9", "ours-small"),
                ("zip -9", "theirs-small"), ("mksquashfs, zstd", "theirs-small")]
        size.groups.append((name, [(*bar, value) for bar, value in zip(bars, values, strict=True)]))
    if not time.groups:
        return None
    size.top = time.draw() + 14
    return drawing.encoded(WIDTH, size.draw())
