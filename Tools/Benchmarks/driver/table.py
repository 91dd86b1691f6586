# SPDX-License-Identifier: Apache-2.0
"""The measurements as tables in Markdown."""

from __future__ import annotations

from statistics import median

from .measurement import Measurement
from .units import digits, readable, span

HEAD = ["measurement", "on", "webarc", "against", "ratio, quartiles", "target", "met", "peak memory", "processor time", "runs", "note"]


def sides(measurement: Measurement) -> tuple[str, str]:
    ours = readable(median(measurement.ours), measurement.unit)
    if not measurement.theirs:
        return ours, ""
    theirs = readable(median(measurement.theirs), measurement.unit)
    return ours, f"{measurement.against}: {theirs}" if measurement.against else theirs


def ratio(measurement: Measurement) -> str:
    if not measurement.theirs:
        return ""
    (first, last), text = measurement.spread, digits(measurement.value)
    return text if first == last else f"{text} ({span(first, last)})"


def reach(measurement: Measurement) -> str:
    steps = [f"{step:g}" if measurement.theirs else readable(step, measurement.unit) for step in measurement.reach]
    return "≤ " + ", then ".join(steps) if steps else ""


def reached(measurement: Measurement) -> str:
    steps = [measurement.reached(step) for step in range(len(measurement.reach))]
    if not steps:
        return ""
    if not steps[0]:
        return "**no**"
    return "yes" if all(steps) else "the first"


def memory(measurement: Measurement) -> str:
    values = [f"{value / 2**20:,.0f}" for value in (measurement.our_memory, measurement.their_memory) if value]
    return f"{' / '.join(values)} MiB" if values else ""


def processor(measurement: Measurement) -> str:
    """GNU time reports hundredths of seconds."""
    return " / ".join(readable(value, "s") if value else "under 10 ms"
                      for value in (measurement.our_processor, measurement.their_processor) if value is not None)


def table(measurements: list[Measurement]) -> str:
    """A table without the columns that would be empty."""
    rows = []
    for each in measurements:
        ours, theirs = sides(each)
        rows.append([each.what, each.subject, ours, theirs, ratio(each), reach(each), reached(each), memory(each),
                     processor(each), f"{each.runs:,}", each.note])
    kept = [column for column in range(len(HEAD)) if any(row[column] for row in rows)]
    lines = [[HEAD[column] for column in kept], ["---"] * len(kept), *([row[column] for column in kept] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def line(measurement: Measurement) -> str:
    """A measurement for the terminal."""
    ours, theirs = sides(measurement)
    words = [f"{measurement.subject}: " if measurement.subject else "", measurement.what.replace("`", ""), ": "]
    words.append(f"{ratio(measurement)} x, {ours}, {theirs.replace('`', '')}" if theirs else ours)
    if measurement.reach:
        words.append(f", target {reach(measurement)}, met: {reached(measurement).replace('*', '')}")
    return "".join(words)
