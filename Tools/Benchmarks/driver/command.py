# SPDX-License-Identifier: Apache-2.0
"""Running commands, with their time and peak memory."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Words = Sequence[str | Path]


class Failure(Exception):
    """Something that ends the run, told without a traceback."""


@dataclass
class Cost:
    seconds: float
    # Of the process that took most, in bytes.
    memory: int
    # Seconds of all processors together, the system's work included.
    processor: float


def text(words: Words) -> str:
    return " ".join(map(str, words))


def run(words: Words, **options: object) -> str:
    """Runs a command that is not measured, and gives what it printed."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        raise Failure(f"{text(words)}: exit status {done.returncode}\n{(done.stdout + done.stderr)[-2000:].strip()}")
    return done.stdout


def measure(words: Words, cwd: Path | None = None) -> Cost:
    """Runs a command with nothing of earlier ones left to be written to disk.

    GNU time starts it: a child of this process would have this process' memory counted as its own.
    """
    os.sync()
    with tempfile.NamedTemporaryFile() as report:
        start = time.monotonic()
        run(["/usr/bin/time", "-q", "-f", "%M %U %S", "-o", report.name, *words], cwd=cwd)
        seconds = time.monotonic() - start
        memory, user, system = report.read().split()
        return Cost(seconds, int(memory) * 1024, float(user) + float(system))


@dataclass
class Pairs:
    """The times and memory of two commands that were run in turn."""

    ours: list[Cost]
    theirs: list[Cost]

    @property
    def seconds(self) -> dict[str, list[float]]:
        return {"ours": [cost.seconds for cost in self.ours], "theirs": [cost.seconds for cost in self.theirs]}

    @property
    def effort(self) -> dict[str, float]:
        """The greatest memory of all runs, and the median of the processor time."""
        return {"our_memory": max(cost.memory for cost in self.ours),
                "their_memory": max(cost.memory for cost in self.theirs),
                "our_processor": median(cost.processor for cost in self.ours),
                "their_processor": median(cost.processor for cost in self.theirs)}
