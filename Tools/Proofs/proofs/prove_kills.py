# SPDX-License-Identifier: Apache-2.0
"""Kills webarc patch, update and heal, and fills their disk.

After each kill the file is the old or the new one, byte for byte, and no other file has changed; a run in peace then succeeds, and
leaves nothing but its result. Three kinds of end: signals at random moments (one in five is SIGTERM, sometimes several runs are
killed in a row), SIGKILL before each system call that changes files (strace), and a full tmpfs.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from driver.command import Failure

from .bench import Bench
from .calls import kill_at_calls
from .full_disk import fill
from .kills import kill_at_random
from .small_disk import SmallDisk
from .trials import Trials
from .web import Web

COMMANDS = ("patch", "update", "heal")
DISK = 32 << 20


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--moments", type=int, metavar="N", default=1000, help="random kills of each command; 1000 unless given")
    parser.add_argument("--only", metavar="COMMAND,...", default=",".join(COMMANDS), help=f"of {', '.join(COMMANDS)}")
    parser.set_defaults(prove=prove)


def prove(bench: Bench, options: argparse.Namespace) -> None:
    names = options.only.split(",")
    for name in names:
        if name not in COMMANDS:
            raise Failure(f"no proof for {name}; there are {', '.join(COMMANDS)}")
    trials = Trials(bench)
    with SmallDisk(bench.folder("disk"), DISK) as disk, Web(bench.work / "web", bench.work / "nginx") as web:
        for name in names:
            start = time.monotonic()
            print(f"== {name}", flush=True)
            chosen, total = trials.of(name, web), Counter[str]()
            for number, trial in enumerate(chosen):
                share = options.moments * (number + 1) // len(chosen) - options.moments * number // len(chosen)
                total += kill_at_random(bench, trial, share)
                total += kill_at_calls(bench, trial)
                total += fill(bench, trial, disk, steps=40)
            print(f"== {name}: {total.total()} ends, {', '.join(f'{count} {state}' for state, count in sorted(total.items()))}; "
                  f"no breach; {time.monotonic() - start:.0f} s", flush=True)
