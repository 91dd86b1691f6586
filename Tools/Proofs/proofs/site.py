# SPDX-License-Identifier: Apache-2.0
"""A made-up site that grows and changes from one edition to the next, as documentation does."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

SYLLABLES = "ar be con da el fi gra hi in jo ka lu mo ne or pa qui re sta ter un ve wi xo yl zen".split()


class Site:
    def __init__(self, numbers: random.Random, pages: int, pictures: int) -> None:
        self.random = numbers
        self.vocabulary = ["".join(numbers.choices(SYLLABLES, k=numbers.randint(1, 4))) for _ in range(2000)]
        self.pages = {f"guide/page-{number}.html": self._paragraphs(numbers.randint(3, 30)) for number in range(pages)}
        self.pictures = {f"images/picture-{number}.bin": self._picture() for number in range(pictures)}
        self.edition = 1

    def change(self) -> None:
        """Makes the next edition: some sentences of some pages, a new page, one page less, another picture."""
        self.edition += 1
        for name in self.random.sample(sorted(self.pages), k=max(1, len(self.pages) // 12)):
            paragraphs = self.pages[name]
            paragraphs[self.random.randrange(len(paragraphs))] = self._sentence()
        self.pages[f"guide/page-{self.edition}-new.html"] = self._paragraphs(12)
        del self.pages[self.random.choice(sorted(self.pages))]
        if self.pictures:
            self.pictures[self.random.choice(sorted(self.pictures))] = self._picture()

    @property
    def files(self) -> dict[str, bytes]:
        links = "".join(f'<li><a href="{name}">{name}</a></li>\n' for name in sorted(self.pages))
        front = f"<title>Guide</title><h1>Guide</h1><p id=edition>edition {self.edition}</p><ul>\n{links}</ul>\n"
        bodies = {name: "".join(f"<p>{text}</p>\n" for text in paragraphs) for name, paragraphs in self.pages.items()}
        return {
            "index.html": f"<!doctype html>{front}".encode(),
            **{name: f"<!doctype html><title>{name}</title>\n{body}".encode() for name, body in bodies.items()},
            **self.pictures,
        }

    def write(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)

    def _sentence(self) -> str:
        return " ".join(self.random.choices(self.vocabulary, k=self.random.randint(30, 80))) + "."

    def _paragraphs(self, count: int) -> list[str]:
        return [self._sentence() for _ in range(count)]

    def _picture(self) -> bytes:
        return self.random.randbytes(self.random.randint(2_000, 60_000))
