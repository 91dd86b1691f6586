# SPDX-License-Identifier: Apache-2.0
"""Packages of Debian by version, unpacked in a folder: nothing is installed, and the machine's own lists stay as they are."""

from __future__ import annotations

import os
from pathlib import Path

from .command import Failure, run

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
SOURCES = [
    ("http://deb.debian.org/debian", "bookworm"),
    ("http://deb.debian.org/debian-security", "bookworm-security"),
    ("http://deb.debian.org/debian", "trixie"),
]


class Packages:
    """The versions that Debian's mirror has now, by lists of packages in a folder of their own."""

    def __init__(self, place: Path) -> None:
        self.place = place.absolute()
        for part in ("lists/partial", "archives/partial"):
            (self.place / part).mkdir(parents=True, exist_ok=True)
        (self.place / "sources.list").write_text(
            "".join(f"deb [signed-by={KEYS}] {mirror} {suite} main\n" for mirror, suite in SOURCES))
        # The hooks of the machine would work on the machine's lists.
        (self.place / "apt.conf").write_text(
            f'Dir::Etc::SourceList "{self.place}/sources.list";\nDir::Etc::SourceParts "-";\n'
            f'Dir::State::Lists "{self.place}/lists";\nDir::Cache "{self.place}";\n'
            'Acquire::Languages "none";\nAPT::Sandbox::User "root";\n'
            "#clear APT::Update::Post-Invoke;\n#clear APT::Update::Post-Invoke-Success;\n#clear DPkg::Post-Invoke;\n")
        self.updated = False

    def _run(self, *words: str, cwd: Path | None = None) -> str:
        return run(words, cwd=cwd or self.place, env={**os.environ, "APT_CONFIG": str(self.place / "apt.conf")})

    def offered(self, package: str) -> list[str]:
        """The versions of a package, the newest first."""
        if not self.updated:
            self._run("apt-get", "-qq", "update", "--error-on=any")
            self.updated = True
        return versions(self._run("apt-cache", "madison", package))

    def extract(self, package: str, version: str, folder: Path) -> None:
        self._run("apt-get", "-qq", "download", f"{package}={version}", cwd=self.place / "archives")
        found = sorted((self.place / "archives").glob(f"{package}_*.deb"))
        if len(found) != 1:
            raise Failure(f"apt-get download {package}={version} wrote {len(found)} packages")
        run(["dpkg-deb", "-x", found[0], folder])
        found[0].unlink()


def versions(madison: str) -> list[str]:
    """The versions in lines of `apt-cache madison`, each once."""
    return list(dict.fromkeys(line.split("|")[1].strip() for line in madison.splitlines() if line.count("|") == 2))
