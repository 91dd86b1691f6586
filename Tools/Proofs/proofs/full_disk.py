# SPDX-License-Identifier: Apache-2.0
"""Runs on a disk that has room for a part of what a command writes."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

from .bench import Bench, Breach, result
from .small_disk import SmallDisk
from .trial import Trial

# Statuses of webarc: "read or write error".
IO_ERROR = 74


def fill(bench: Bench, trial: Trial, disk: SmallDisk, steps: int) -> Counter[str]:
    """Runs with room for nothing, for a little, and so on, up to enough. Gives the number of each outcome."""
    folder = disk.folder / "state"
    try:
        return _fill(bench, trial, disk, folder, steps)
    except Breach:
        # The disk vanishes with this process.
        shutil.copytree(folder, bench.work / "state-of-full-disk")
        raise


def _fill(bench: Bench, trial: Trial, disk: SmallDisk, folder: Path, steps: int) -> Counter[str]:
    # An update needs room for two more archives, and for what it loads.
    most = 3 * max(map(len, trial.final.values()))
    outcomes: Counter[str] = Counter()
    for step in range(steps + 1):
        disk.empty()
        trial.prepare(folder)
        free = most * step // steps // 4096 * 4096 if step in (0, steps) else bench.random.randrange(most * step // steps)
        disk.leave(free)
        after = f"a run with {free} bytes free"
        done = result(trial.words(folder))
        state = trial.check_unfinished(folder, after)
        outcomes[state] += 1
        if state == "old" and step == steps:
            raise Breach(f"{trial.name}: room for three more archives is too little\n{done.stderr.strip()}")
        if done.returncode == IO_ERROR and state == "old":
            _check_words(trial, done.stderr, after)
        elif done.returncode != trial.status or state == "old":
            raise Breach(f"{trial.name}: exit status {done.returncode} and the {state} file after {after}\n{done.stderr.strip()}")
        if (folder / f"{trial.target}.partial").exists():
            raise Breach(f"{trial.name}: {trial.target}.partial is there after {after}")
        disk.empty()
        trial.finish(folder, after)
    bench.say(f"{trial.name}, disk of {most // 1024} KiB at most free: "
              f"{', '.join(f'{count} {name}' for name, count in sorted(outcomes.items()))}")
    return outcomes


def _check_words(trial: Trial, message: str, after: str) -> None:
    if os.strerror(28) not in message or "host does not respond" in message:
        raise Breach(f"{trial.name}: the message does not tell that the disk is full after {after}\n{message.strip()}")
