# SPDX-License-Identifier: Apache-2.0
"""The chart of scale: time and memory against entries and against bytes."""

from __future__ import annotations

import math
from statistics import median

from .measurement import Measurement
from .results import Results
from .svg import Drawing
from .units import count, tick

PANEL_WIDTH, PANEL_HEIGHT = 370.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 52.0, 36.0, 34.0, 36.0
Line = tuple[str, str, list[tuple[float, float]]]


class Panel:
    """Lines over two logarithmic axes."""

    def __init__(self, drawing: Drawing, x: float, y: float, title: str, lines: list[Line], units: tuple[str, str]) -> None:
        self.drawing, self.x, self.y, self.title, self.lines, self.units = drawing, x, y, title, lines, units
        points = [point for _, _, points in lines for point in points]
        self.low = [math.floor(math.log10(min(point[axis] for point in points)) + 1e-9) for axis in (0, 1)]
        self.high = [math.ceil(math.log10(max(point[axis] for point in points)) - 1e-9) for axis in (0, 1)]
        for axis in (0, 1):
            self.high[axis] = max(self.high[axis], self.low[axis] + 1)

    def place(self, point: tuple[float, float]) -> tuple[float, float]:
        across, up = ((math.log10(point[axis]) - self.low[axis]) / (self.high[axis] - self.low[axis]) for axis in (0, 1))
        return (self.x + LEFT + across * (PANEL_WIDTH - LEFT - RIGHT),
                self.y + PANEL_HEIGHT - BOTTOM - up * (PANEL_HEIGHT - TOP - BOTTOM))

    def label(self, axis: int, power: int) -> str:
        value, unit = 10.0**power, self.units[axis]
        return count(value) if unit == "entries" else tick(value, unit)

    def draw(self) -> None:
        self.drawing.text(self.x, self.y + 12, self.title, "title")
        for power in range(self.low[0], self.high[0] + 1):
            x, bottom = self.place((10.0**power, 10.0**self.low[1]))
            self.drawing.line(x, bottom, x, self.y + TOP, "grid")
            self.drawing.text(x, bottom + 16, self.label(0, power), "muted", "middle")
        for power in range(self.low[1], self.high[1] + 1):
            x, y = self.place((10.0**self.low[0], 10.0**power))
            self.drawing.line(x, y, self.x + PANEL_WIDTH - RIGHT, y, "grid")
            self.drawing.text(x - 6, y + 4, self.label(1, power), "muted", "end")
        for _, style, points in self.lines:
            places = [self.place(point) for point in points]
            self.drawing.path(places, f"line {style}")
            if style != "limit":
                for place in places:
                    self.drawing.dot(*place, f"dot {style}")


def _points(measurements: list[Measurement], row: tuple[str, ...], what: str) -> list[tuple[float, float]]:
    return sorted((each.size, median(each.ours)) for each in measurements
                  if each.size and each.row in row and each.what == what)


def scale_chart(results: Results) -> str | None:
    drawing = Drawing("Time and memory against size", "Both axes are logarithmic: a straight line at 45 degrees is linear growth.")
    rows = {("scale-entries", "scale-files"): ("entries", "entries"), ("scale-bytes",): ("bytes", "B")}
    commands = [("pack", "a"), ("write", "c"), ("verify", "b")]
    y = 24.0
    for row, (name, unit) in rows.items():
        x = 0.0
        for kind, value_unit in (("wall time", "s"), ("peak memory", "B")):
            lines: list[Line] = [
                (command, style, points) for command, style in commands
                if (points := _points(results.measurements, row, f"`{command}`, {kind}"))]
            if not lines:
                continue
            if kind == "peak memory":
                entries = sorted({point[0] for _, _, points in lines for point in points})
                per = 150 if unit == "entries" else 0
                lines.append(("limit", "limit", [(each, 256 * 2**20 + per * each) for each in entries]))
            Panel(drawing, x, y, f"{kind.capitalize()} against {name}", lines, (unit, value_unit)).draw()
            x += PANEL_WIDTH + 20
        if x:
            y += PANEL_HEIGHT + 14
    if y == 24.0:
        return None
    legend = [("pack", "a"), ("write (the library, from memory)", "c"), ("verify", "b"), ("- - the most that is allowed", "muted")]
    x = 0.0
    for words, style in legend:
        drawing.text(x, 12, words if style == "muted" else f"● {words}", style)
        x += 34 + 6.2 * len(words)
    return drawing.encoded(2 * PANEL_WIDTH + 20, y)
