# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them: three significant digits, and a unit that suits."""

from __future__ import annotations

from decimal import Decimal

SCALES = {
    "s": [(1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "B": [(1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")],
}


def digits(value: float, count: int = 3) -> str:
    """With `count` significant digits, and all those before the point."""
    if value == 0:
        return "0"
    places = max(0, count - 1 - Decimal(value).adjusted())
    return f"{value:,.{places}f}"


def readable(value: float, unit: str) -> str:
    for scale, name in SCALES.get(unit, []):
        if value >= scale or name in ("ns", "B"):
            return f"{digits(value / scale)} {name}"
    return f"{digits(value)} {unit}"


def tick(value: float, unit: str) -> str:
    """A round number, as an axis has it."""
    scale, name = next((each for each in SCALES.get(unit, []) if value >= each[0]), (1.0, unit))
    return f"{value / scale:,.0f} {name}"


def span(first: float, last: float) -> str:
    """Two values of one kind, such as quartiles."""
    return f"{digits(first)}–{digits(last)}"


def count(value: float) -> str:
    """10,000 or 10 million."""
    return f"{value / 1e6:g} million" if value >= 1e6 else f"{value:,.0f}"
