# SPDX-License-Identifier: Apache-2.0
"""Pairs of editions of one site, from and to which an update leads: documentation in two versions of Debian's packages."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .bench import Bench, pack
from .command import run
from .corpora import paths
from .debian import Packages


@dataclass(frozen=True)
class Release:
    package: str
    version: str
    # The folder of pages in the package.
    place: str


def _python(version: str, minor: str = "3.11") -> Release:
    return Release(f"python{minor}-doc", version, f"usr/share/doc/python{minor}/html")


def _postgresql(version: str) -> Release:
    return Release("postgresql-doc-15", version, "usr/share/doc/postgresql-doc-15/html")


def _openjdk(version: str) -> Release:
    return Release("openjdk-17-doc", version, "usr/share/doc/openjdk-17-jre-headless/api")


# These versions, or those that Debian has in their place.
PAIRS = {
    "postgresql": (_postgresql("15.18-0+deb12u1"), _postgresql("15.20-0+deb12u1")),
    "python": (_python("3.11.2-6+deb12u8"), _python("3.11.2-6+deb12u9")),
    "python-3.13": (_python("3.11.2-6+deb12u9"), _python("3.13.5-2+deb13u5", "3.13")),
    "openjdk": (_openjdk("17.0.19+10-1~deb12u2"), _openjdk("17.0.21.1+2-1~deb12u1")),
}


@dataclass
class Edition:
    version: str
    folder: Path
    tar: Path
    archive: Path


@dataclass
class Pair:
    subject: str
    old: Edition
    new: Edition

    @property
    def versions(self) -> str:
        return f"{self.old.version} to {self.new.version}"


def chosen(old: Release, new: Release, offered: Callable[[str], list[str]]) -> tuple[str, str] | None:
    """The versions to take: those that are named while both are there, else the oldest and the newest of one package, or the
    newest of two packages. None where there is only one version."""
    olds, news = offered(old.package), offered(new.package)
    if old.version in olds and new.version in news:
        return old.version, new.version
    if not olds or not news or (olds == news and len(olds) < 2):
        return None
    return olds[-1 if old.package == new.package else 0], news[0]


def subject(old: Release, new: Release) -> str:
    """The same for all versions, so that a later measurement takes the place of an earlier one."""
    return f"{old.package}, update" if old.package == new.package else f"{old.package} to {new.package}"


def pairs(bench: Bench) -> Iterator[Pair]:
    packages = Packages(bench.work / "debian")
    for name in bench.pair_names:
        old, new = PAIRS[name]
        found = chosen(old, new, packages.offered)
        if not found:
            bench.say(f"{subject(old, new)}: Debian has no two versions now")
            continue
        pair = Pair(subject(old, new), *(_edition(bench, packages, release, version)
                                         for release, version in zip((old, new), found, strict=True)))
        files = paths(pair.new.folder)
        bench.editions[pair.subject] = {"files": len(files), "bytes": sum(file.stat().st_size for file in files)}
        yield pair


def _edition(bench: Bench, packages: Packages, release: Release, version: str) -> Edition:
    """Like a corpus, a folder with files in the place of links; links into other packages are left out."""
    place = bench.work / "editions"
    place.mkdir(exist_ok=True)
    name = f"{release.package}_{version}"
    edition = Edition(version, place / name, place / f"{name}.tar", bench.archives / f"{name}.webarc")
    if not edition.folder.exists():
        extracted = place / f"{name}.extracted"
        shutil.rmtree(extracted, ignore_errors=True)
        packages.extract(release.package, version, extracted)
        for link in paths(extracted):
            if not link.exists():
                link.unlink()
        copy = place / f"{name}.copy"
        run(["cp", "-rL", "--preserve=timestamps", extracted / release.place, copy])
        copy.rename(edition.folder)
        shutil.rmtree(extracted)
    if not edition.tar.exists():
        # Times stay, for archives have them too.
        partial = edition.tar.with_suffix(".partial")
        run(["tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-C", edition.folder, "-cf", partial, "."])
        partial.rename(edition.tar)
    if not edition.archive.exists():
        bench.archives.mkdir(exist_ok=True)
        run([*pack(edition.folder), "-o", edition.archive])
    return edition
