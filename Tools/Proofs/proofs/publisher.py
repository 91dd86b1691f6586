# SPDX-License-Identifier: Apache-2.0
"""The publisher: keys, signed editions of the site, and the release folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .bench import Bench
from .site import Site

BASE = "http://docs.example/"


@dataclass(frozen=True)
class Key:
    secret: Path

    @property
    def public(self) -> Path:
        return self.secret.with_suffix(".pub")


class Publisher:
    def __init__(self, bench: Bench, site: Site) -> None:
        self.bench, self.site = bench, site
        self.folder = bench.folder("publisher")

    def key(self, name: str) -> Key:
        key = Key(self.folder / f"{name}.key")
        self.bench.run("key", "create", key.secret)
        return key

    def endorse(self, new: Key, old: Key) -> Path:
        endorsement = self.folder / f"{new.secret.stem}-by-{old.secret.stem}.endorsement"
        self.bench.run("key", "endorse", new.public, "--key", old.secret, "-o", endorsement)
        return endorsement

    def revoke(self, key: Key) -> Path:
        revocation = self.folder / f"{key.secret.stem}.revocation"
        self.bench.run("key", "revoke", key.secret, "-o", revocation)
        return revocation

    def pack(self, keys: Sequence[Key], endorsements: Sequence[Path] = ()) -> Path:
        """Packs the site as it is. The number of the edition is that of the site."""
        source, archive = self.folder / "site", self.folder / f"edition-{self.site.edition}.webarc"
        self.site.write(source)
        self.bench.run("pack", source, "-o", archive, "--base-url", BASE, "--sequence", str(self.site.edition),
                       *_options("--sign", [key.secret for key in keys]), *_options("--endorsement", endorsements))
        return archive

    def release(self, archive: Path, public: Path, keys: Sequence[Key], endorsements: Sequence[Path] = (),
                keep: int = 5, revocations: Sequence[Path] = ()) -> None:
        self.bench.run("release", public, archive, "--keep", str(keep), *_options("--sign", [key.secret for key in keys]),
                       *_options("--endorsement", endorsements), *_options("--revocation", revocations))


def _options(name: str, values: Sequence[Path]) -> list[str]:
    return [word for value in values for word in (name, str(value))]
