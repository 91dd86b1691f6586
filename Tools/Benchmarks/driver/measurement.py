# SPDX-License-Identifier: Apache-2.0
"""One line of the table: the subject, the other side, and the target."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from statistics import median, quantiles
from typing import Any


def quartiles(values: list[float]) -> tuple[float, float]:
    if len(values) < 2:
        return values[0], values[0]
    first, _, third = quantiles(values, n=4, method="inclusive")
    return first, third


@dataclass
class Measurement:
    """`ours` and `theirs` hold a value for each run, in the order of the runs; without `theirs`, `ours` stands alone."""

    row: str
    what: str
    unit: str
    ours: list[float]
    theirs: list[float] = field(default_factory=list)
    against: str = ""
    subject: str = ""
    # The marks for the ratio, or for the value of a row without a peer: at most so much, now and later.
    reach: list[float] = field(default_factory=list)
    # Peak memory in bytes, the greatest of all runs.
    our_memory: int | None = None
    their_memory: int | None = None
    # Processor time in seconds, the median of all runs.
    our_processor: float | None = None
    their_processor: float | None = None
    # How many samples five numbers stand for.
    samples: int | None = None
    # Entries or bytes, for rows that grow.
    size: float | None = None
    note: str = ""
    date: str = ""
    revision: str = ""

    @property
    def ratios(self) -> list[float]:
        return [ours / theirs for ours, theirs in zip(self.ours, self.theirs, strict=True)] if self.theirs else []

    @property
    def compared(self) -> list[float]:
        """Returns the number that is compared with `reach`."""
        return self.ratios or self.ours

    @property
    def value(self) -> float:
        return median(self.compared)

    @property
    def spread(self) -> tuple[float, float]:
        return quartiles(self.compared)

    @property
    def runs(self) -> int:
        return self.samples or len(self.ours)

    def reached(self, step: int = 0) -> bool | None:
        return self.value <= self.reach[step] if step < len(self.reach) else None

    def encoded(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value not in ("", [], None)}


def of_row(measurements: list[Measurement], row: str) -> list[Measurement]:
    return [measurement for measurement in measurements if measurement.row == row]
