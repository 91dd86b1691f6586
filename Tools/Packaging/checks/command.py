# SPDX-License-Identifier: Apache-2.0
"""Commands, and expectations of what they print."""

from __future__ import annotations

import subprocess
from pathlib import Path


class Failure(Exception):
    pass


def run(*command: str | Path, status: int = 0, **options: object) -> str:
    """Runs a command that is to end with a status, and gives what it printed on both streams."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)  # type: ignore[call-overload]
    if done.returncode != status:
        raise Failure(f"{' '.join(words)}: exit status {done.returncode}, not {status}\n{done.stdout[-3000:].strip()}")
    return done.stdout


def expect(what: str, holds: object, seen: object = "") -> None:
    """Reports that a check passed, or fails."""
    if not holds:
        raise Failure(f"{what}: no{f'; seen: {seen}' if seen else ''}")
    print(f"ok    {what}", flush=True)
