# SPDX-License-Identifier: Apache-2.0
"""The parts that all proofs share: work folder, programs, random numbers, and the end of a run with findings."""

from __future__ import annotations

# Sockets need it later, when a Python in root's own folder is out of reach.
import encodings.idna  # noqa: F401
import os
import pwd
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from driver.command import Failure, Words, run

PROGRAMS = ("webarc", "webarc-server")


class Breach(Exception):
    """Something that must not be."""


@dataclass
class Bench:
    work: Path
    seed: int
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    @property
    def webarc(self) -> Path:
        return self.work / "programs/webarc"

    def say(self, words: str) -> None:
        print(f"   {words}", flush=True)

    def run(self, *words: str | Path) -> str:
        return run([self.webarc, *words])

    def folder(self, name: str) -> Path:
        """An empty folder."""
        path = self.work / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path


def give_up_root(work: Path) -> None:
    """Goes on as nobody, with the folder as home. Does nothing for an ordinary user."""
    if os.geteuid() == 0:
        user = pwd.getpwnam("nobody")
        for path in [work, *work.rglob("*")]:
            os.chown(path, user.pw_uid, user.pw_gid)
        os.setgroups([])
        os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
        os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)
        os.environ |= {"USER": user.pw_name, "LOGNAME": user.pw_name, "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"}
    home = work / "home"
    home.mkdir(exist_ok=True)
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        del os.environ[name]
    os.environ |= {"HOME": str(home), "TMPDIR": str(home)}
    os.chdir(home)


@contextmanager
def bench(programs: Path, seed: int | None) -> Iterator[Bench]:
    """A place of its own with copies of the programs, so that a build meanwhile changes nothing. It stays after a breach."""
    work = Path(tempfile.mkdtemp(prefix="webarc-proofs-"))
    keep = False
    try:
        (work / "programs").mkdir()
        for name in PROGRAMS:
            if not (programs / name).is_file():
                raise Failure(f"{programs / name} is missing; run Tools/build webarc webarc-server, or give --programs")
            shutil.copy(programs / name, work / "programs" / name)
        give_up_root(work)
        made = Bench(work, random.SystemRandom().randrange(1 << 32) if seed is None else seed)
        print(f"== seed {made.seed}, {made.run('--version').strip()}", flush=True)
        yield made
    except Breach:
        keep = True
        print(f"== the state is in {work}", flush=True)
        raise
    finally:
        if not keep:
            shutil.rmtree(work, ignore_errors=True)


def result(words: Words, **options: object) -> subprocess.CompletedProcess[str]:
    """Runs a command that may fail."""
    return subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", **options)  # type: ignore[call-overload]
