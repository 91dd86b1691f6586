# SPDX-License-Identifier: Apache-2.0
"""Limits on heap allocations, which are the same on every machine: for a lookup, a match, and a request of a server."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from .bench import LIBRARY
from .command import run

THRESHOLDS = LIBRARY / "thresholds.json"
ENTRIES = 10_000


def measured() -> dict[str, float]:
    """Allocations of one piece of work each."""
    run(["swift", "build", "-c", "release"], cwd=LIBRARY)
    programs = LIBRARY / ".build/release"
    with tempfile.TemporaryDirectory(prefix="webarc-gates-") as folder:
        paths, archive = Path(folder) / "paths", Path(folder) / "site.webarc"
        paths.write_text("".join(f"guide/chapter-{number}/page.html\n" for number in range(1000)))
        run([programs / "make-archive", str(ENTRIES), "recorded", paths, archive])
        counted = json.loads(run([programs / "count-allocations", str(ENTRIES), "recorded", paths, archive]))
    return {
        "open": counted["open"], "look up": counted["allocations"] / counted["lookups"],
        "match": counted["match"], "read status and header fields": counted["response"], "read a body": counted["body"],
        "serve a request": counted["request"],
    }


def exceeded(counts: dict[str, float], limits: dict[str, float]) -> list[str]:
    """Those that take more than they may; work without a limit is one of them, and so is a limit without work."""
    return [name for name in sorted(counts.keys() | limits.keys())
            if name not in counts or counts[name] > limits.get(name, -1)]


def check() -> int:
    """Prints a line for each piece of work; 1 if one takes more allocations than it may."""
    counts, limits = measured(), json.loads(THRESHOLDS.read_text())
    wrong = exceeded(counts, limits)
    for name, count in counts.items():
        print(f"{name:30} {count:6.1f} allocations, of at most {limits.get(name, 0)}{'  TOO MANY' if name in wrong else ''}")
    return 1 if wrong else 0
