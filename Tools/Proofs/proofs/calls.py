# SPDX-License-Identifier: Apache-2.0
"""Kills before each system call by which a command changes files, by strace: moments that chance meets seldom."""

from __future__ import annotations

import re
import shutil
import signal
from collections import Counter
from pathlib import Path

from .bench import Bench, Breach, result
from .trial import Trial

CALLS = ("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir", "mkdir", "mkdirat", "fsync",
         "fdatasync", "ftruncate", "write", "pwrite64", "writev", "openat", "flock", "chmod", "fchmod", "fchown",
         "copy_file_range", "sendfile", "ioctl")


def kill_at_calls(bench: Bench, trial: Trial) -> Counter[str]:
    """Kills the command before its first rename, before its second, and so on. Gives the number of each outcome."""
    if not shutil.which("strace"):
        bench.say(f"{trial.name}: no kills at system calls, for strace is missing")
        return Counter()
    folder = bench.work / "state"
    outcomes: Counter[str] = Counter()
    for name, count in _counts(bench, trial, folder).items():
        # Threads share the work as it happens: a call more or less is no surprise.
        for number in range(1, count + 1):
            trial.prepare(folder)
            if not _is_killed(trial, folder, name, number):
                break
            after = f"SIGKILL before {name} number {number}"
            outcomes[trial.check_unfinished(folder, after)] += 1
            trial.finish(folder, after)
    bench.say(f"{trial.name}: killed before each of {outcomes.total()} system calls, "
              f"{', '.join(f'{count} {name}' for name, count in sorted(outcomes.items()))}")
    return outcomes


def _counts(bench: Bench, trial: Trial, folder: Path) -> Counter[str]:
    """Counts the calls of an undisturbed run."""
    log = bench.work / "calls.strace"
    trial.prepare(folder)
    _strace(trial, folder, log)
    return Counter(found.group(1) for found in re.finditer(r"^\d+ +(\w+)\(", log.read_text(errors="replace"), re.MULTILINE))


def _is_killed(trial: Trial, folder: Path, name: str, number: int) -> bool:
    return _strace(trial, folder, Path("/dev/null"), "-e", f"inject={name}:signal=SIGKILL:when={number}") != trial.status


def _strace(trial: Trial, folder: Path, log: Path, *options: str) -> int:
    # A name with a question mark need not be a system call of this processor.
    calls = ",".join(f"?{name}" for name in CALLS)
    done = result(["strace", "-f", "-qqq", "-s", "0", "-o", log, "-e", f"trace={calls}", *options, *trial.words(folder)])
    if done.returncode not in (trial.status, 128 + signal.SIGKILL, -signal.SIGKILL):
        raise Breach(f"{trial.name}: exit status {done.returncode} under strace\n{done.stderr.strip()}")
    return done.returncode
