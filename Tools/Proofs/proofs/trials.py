# SPDX-License-Identifier: Apache-2.0
"""The trials of webarc patch, update and heal, on a site of about a megabyte."""

from __future__ import annotations

from pathlib import Path

from .bench import Bench, Breach
from .publisher import Publisher
from .site import Site
from .trial import Trial
from .web import Web

EDITIONS = 4


class Trials:
    """Editions 1 to 4, a folder that has them all, and one in which patches lead from each to the next."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        publisher = Publisher(bench, Site(bench.random, pages=120, pictures=20))
        self.key = publisher.key("publisher")
        self.direct, self.chained = bench.folder("web") / "direct", bench.work / "web/chained"
        self.archives: list[Path] = []
        for _ in range(EDITIONS):
            self.archives.append(publisher.pack([self.key]))
            publisher.release(self.archives[-1], self.direct, [self.key])
            publisher.release(self.archives[-1], self.chained, [self.key], keep=2)
            publisher.site.change()
        self.editions = [archive.read_bytes() for archive in self.archives]
        self.patch = publisher.folder / "newest.webarcpatch"
        bench.run("diff", self.archives[0], self.archives[-1], "-o", self.patch)

    def of(self, command: str, web: Web) -> list[Trial]:
        made = {"patch": self._patch, "update": lambda: self._update(web), "heal": self._heal}[command]()
        for trial in made:
            trial.learn(self.bench.work / "learning")
            if trial.target in trial.start and trial.final[trial.target] == trial.start[trial.target]:
                raise Breach(f"{trial.name}: an undisturbed run changes nothing")
        return made

    def _words(self, *words: str | Path) -> list[str | Path]:
        return [self.bench.webarc, *words, "--require-key", self.key.public]

    def _patch(self) -> list[Trial]:
        start = {"site.webarc": self.editions[0]}
        made = [
            Trial("patch to a new name", lambda folder: self._words(
                "patch", folder / "site.webarc", self.patch, "-o", folder / "new.webarc"), start, "new.webarc"),
            Trial("patch over the old name", lambda folder: self._words(
                "patch", folder / "site.webarc", self.patch, "-o", folder / "site.webarc"), start, "site.webarc",
                repeats=False),
        ]
        return made

    def _update(self, web: Web) -> list[Trial]:
        name = "site.webarc"

        def trial(about: str, source: str | Path, start: dict[str, bytes]) -> Trial:
            return Trial(f"update {about}", lambda folder: self._words("update", folder / name, "--from", source), start, name)

        first, second = self.editions[:2]
        torn = first[:len(first) // 3] + bytes(len(first) - len(first) // 3)
        return [
            trial("by a patch of a folder", self.direct, {name: first}),
            trial("by a patch of a host, with an edition before", f"{web.address}/direct",
                  {name: second, f"{name}.previous": first}),
            trial("by three patches of a host", f"{web.address}/chained", {name: first}),
            trial("without an archive, of a host", f"{web.address}/direct", {}),
            trial("of a torn archive, of a host", f"{web.address}/chained", {name: torn, f"{name}.previous": first}),
            # A newer edition that is bad may be lost, and not the one to go back to.
            Trial("update --back", lambda folder: self._words("update", folder / name, "--back"),
                  {name: second, f"{name}.previous": first}, name, repeats=False, exchanges=True,
                  kept=(first,)),
        ]

    def _heal(self) -> list[Trial]:
        whole, name = self.editions[-1], "site.webarc"
        damaged = bytearray(whole)
        for _ in range(40):
            damaged[self.bench.random.randrange(len(damaged))] ^= 1 + self.bench.random.randrange(255)
        poor = bytearray(whole)
        poor[len(poor) // 4:len(poor) // 2] = bytes(len(poor) // 2 - len(poor) // 4)
        damaged[len(damaged) // 3] ^= 0xFF
        cut = whole[:len(whole) * 3 // 5]

        def trial(about: str, archive: bytes, copy: bytes, status: int = 0) -> Trial:
            return Trial(f"heal {about}", lambda folder: self._words("heal", folder / name, "--from", folder / "copy"),
                         {name: archive, "copy": copy}, name, status=status)

        made = [trial("of flipped bytes, by a copy", bytes(damaged), whole),
                trial("of flipped bytes, by a copy that has not all", bytes(damaged), bytes(poor), status=1),
                trial("of an archive without its end, by a copy", cut, whole)]
        for each in made:
            self._check_healing(each, whole)
        return made

    def _check_healing(self, trial: Trial, whole: bytes) -> None:
        """Holds what healing gives against the archive as it was: no byte that was right is wrong afterwards."""
        trial.learn(self.bench.work / "learning")
        before, after = trial.start[trial.target], trial.final[trial.target]
        if trial.status == 0 and after != whole:
            raise Breach(f"{trial.name}: the healed archive is not what it was")
        worse = [at for at, right in enumerate(whole[:len(before)]) if before[at] == right != after[at]]
        if worse:
            raise Breach(f"{trial.name}: byte {worse[0]} was right, and is wrong after healing")
