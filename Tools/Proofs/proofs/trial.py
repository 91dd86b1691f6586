# SPDX-License-Identifier: Apache-2.0
"""A command that changes one file of a folder, with all that may be in the folder after it was killed, and after the next run."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from driver.command import text

from .bench import Breach, result

UNFINISHED = re.compile(r"\.partial$|\.update(/|$)")


@dataclass
class Trial:
    name: str
    # The command, for a folder.
    words: Callable[[Path], list[str | Path]]
    # The files of the folder before the command.
    start: dict[str, bytes]
    # The file that the command changes.
    target: str
    # The files of the folder after a complete run.
    final: dict[str, bytes] = field(default_factory=dict)
    # The exit status of that.
    status: int = 0
    # True if the command can be run once more after a complete run.
    repeats: bool = True
    # True if a run after a complete run restores the first files.
    exchanges: bool = False
    # The contents that some file must have at any time.
    kept: tuple[bytes, ...] = ()

    def prepare(self, folder: Path) -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name, content in self.start.items():
            (folder / name).write_bytes(content)
        return folder

    def learn(self, folder: Path) -> None:
        """Takes what an undisturbed run gives for what has to come out of others."""
        self.prepare(folder)
        self.run(folder)
        self.final = files(folder)
        for name, content in self.final.items():
            if UNFINISHED.search(name):
                raise Breach(f"{self.name}: an undisturbed run leaves {name}")
            if name not in self.start and name != self.target and not name.endswith((".previous", ".rejected")):
                raise Breach(f"{self.name}: an undisturbed run makes {name}, {len(content)} bytes")

    def run(self, folder: Path) -> None:
        """Runs the command to its end."""
        done = result(self.words(folder))
        if done.returncode != self.status:
            raise Breach(f"{self.name}: exit status {done.returncode} of {text(self.words(folder))}\n{done.stderr.strip()}")

    def check_unfinished(self, folder: Path, after: str) -> str:
        """Checks a folder in which the command was ended.

        Returns whether the file is the old or the new one."""
        found = files(folder)
        for name, content in found.items():
            if UNFINISHED.search(name):
                continue
            if content not in (self.start.get(name), self.final.get(name)):
                raise Breach(f"{self.name}: {name} is neither the old nor the new file after {after}")
        for name in self.start:
            if name not in found:
                raise Breach(f"{self.name}: {name} is gone after {after}")
        names = [name for name in found if not UNFINISHED.search(name)]
        if any(content not in [found[name] for name in names] for content in self.kept):
            raise Breach(f"{self.name}: {' and '.join(names)} have lost an edition after {after}")
        return "new" if found.get(self.target) == self.final[self.target] else "old"

    def finish(self, folder: Path, after: str) -> None:
        """Runs the command once more, and checks that nothing but its result is there."""
        is_new = self.check_unfinished(folder, after) == "new"
        if self.repeats or self.exchanges or not is_new:
            self.run(folder)
        if self.exchanges and is_new:
            # Either file may be either edition by now.
            self.check_unfinished(folder, f"the run after {after}")
        found = files(folder)
        left = sorted(found.keys() - self.final.keys())
        if left:
            raise Breach(f"{self.name}: {', '.join(left)} left behind by the run after {after}")
        for name, content in self.final.items():
            if found.get(name) != content and not (self.exchanges and is_new):
                raise Breach(f"{self.name}: {name} is not the new file by the run after {after}")


def files(folder: Path) -> dict[str, bytes]:
    """All files below a folder, and its empty folders with a slash at the end."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_dir():
            if not any(path.iterdir()):
                found[f"{name}/"] = b""
        else:
            found[name] = path.read_bytes()
    return found
