# SPDX-License-Identifier: Apache-2.0
"""The sets of documentation that are packed."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from .command import run

PLACES = {
    "python": ("python3.11-doc", "/usr/share/doc/python3.11/html"),
    "cppreference": ("cppreference-doc-en-html", "/usr/share/cppreference/doc/html"),
    "openjdk": ("openjdk-17-doc", "/usr/share/doc/openjdk-17-jre-headless/api"),
    "rust": ("rust-doc", "/usr/share/doc/rust-doc/html"),
}


@dataclass
class Corpus:
    name: str
    package: str
    folder: Path
    files: int
    length: int


def paths(folder: Path) -> list[Path]:
    return [Path(directory, name) for directory, _, names in os.walk(folder) for name in names]


def copy(name: str, work: Path) -> Corpus:
    """Copies a corpus, with files in the place of links, so that all pack the same. The copy is then in the page cache."""
    package, place = PLACES[name]
    folder = work / "corpora" / name
    if not folder.exists():
        folder.parent.mkdir(exist_ok=True)
        run(["cp", "-rL", "--preserve=timestamps", place, folder])
    files = paths(folder)
    length = 0
    for file in files:
        length += len(file.read_bytes())
    return Corpus(name, package, folder, len(files), length)
