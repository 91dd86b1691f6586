# SPDX-License-Identifier: Apache-2.0
"""Kills at random moments of a command, some of them several in a row before a run is left in peace."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from statistics import median

from driver.command import text

from .bench import Bench, Breach
from .trial import Trial

# One of so many kills is SIGTERM, which a command may answer.
TERM_SHARE = 5
# The machine may have other work now and then, so that the duration is measured anew after so many kills.
MEASURED = 50
STOPPED = 130


def duration(trial: Trial, folder: Path) -> float:
    """The seconds that an undisturbed run takes."""
    times = []
    for _ in range(3):
        trial.prepare(folder)
        start = time.monotonic()
        trial.run(folder)
        times.append(time.monotonic() - start)
    return median(times)


def kill_at_random(bench: Bench, trial: Trial, moments: int) -> Counter[str]:
    """Kills so many times. Gives the number of each outcome."""
    folder = bench.work / "state"
    outcomes: Counter[str] = Counter()
    spans: list[float] = []
    done = 0
    while done < moments:
        if done >= MEASURED * len(spans):
            spans.append(duration(trial, folder))
        span = spans[-1]
        trial.prepare(folder)
        after, before = "", "old"
        for _ in range(min(bench.random.choice((1, 1, 2, 3)), moments - done)):
            number = signal.SIGTERM if bench.random.randrange(TERM_SHARE) == 0 else signal.SIGKILL
            moment = bench.random.uniform(0, span * 1.05)
            after += f"{', and ' if after else ''}{number.name} at {moment * 1000:.1f} ms"
            left = unfinished(trial, folder)
            status = run_and_kill(trial, folder, number, moment)
            state = trial.check_unfinished(folder, after)
            check_status(trial, number, status, (before, state), after)
            # The file of an earlier run that was killed stays if this one did not come as far as to replace it.
            if status == STOPPED and unfinished(trial, folder) not in (None, left):
                raise Breach(f"{trial.name}: exit status {status}, and {trial.target}.partial is there after {after}")
            outcomes["at its end" if status >= 0 and status != STOPPED else state] += 1
            done, before = done + 1, state
            if state == "new" and not trial.repeats:
                break
        trial.finish(folder, after)
    bench.say(f"{trial.name}, {median(spans) * 1000:.0f} ms: {moments} kills, "
              f"{', '.join(f'{count} {name}' for name, count in sorted(outcomes.items()))}")
    return outcomes


def run_and_kill(trial: Trial, folder: Path, number: signal.Signals, moment: float) -> int:
    """Runs the command, and sends it the signal so many seconds later.

    Returns its exit status, negative for a signal."""
    words = [str(word) for word in trial.words(folder)]
    start = time.monotonic()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(max(0.0, start + moment - time.monotonic() - 0.001))
    while time.monotonic() < start + moment:
        pass
    process.send_signal(number)
    try:
        return process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        raise Breach(f"{trial.name}: does not end within 60 s of {number.name}: {text(words)}") from None


def unfinished(trial: Trial, folder: Path) -> tuple[int, int] | None:
    """Returns what distinguishes the unfinished file; None if there is none."""
    try:
        status = os.lstat(folder / f"{trial.target}.partial")
    except FileNotFoundError:
        return None
    return status.st_ino, status.st_ctime_ns


def check_status(trial: Trial, number: signal.Signals, status: int, states: tuple[str, str], after: str) -> None:
    expected = [trial.status, -number, STOPPED] if number == signal.SIGTERM else [trial.status, -number]
    if status not in expected:
        raise Breach(f"{trial.name}: exit status {status} after {after}")
    if status == trial.status and states[1] == "old":
        raise Breach(f"{trial.name}: exit status {status}, and the old file is there after {after}")
    if status == STOPPED and states == ("old", "new"):
        raise Breach(f"{trial.name}: exit status {status}, and the new file is there after {after}")
