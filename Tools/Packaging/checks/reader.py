# SPDX-License-Identifier: Apache-2.0
"""The Python reader, installed by pip."""

from __future__ import annotations

import os
import sys
import tempfile
import venv
from pathlib import Path

from .command import expect, run


def check(root: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="webarc-reader-") as place:
        venv.create(place, with_pip=True)
        binaries = Path(place, "Scripts" if sys.platform == "win32" else "bin")
        before = sorted((root / "Spec/reference").iterdir())
        surroundings = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        run(binaries / "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", root / "Spec/reference")
        expect("pip leaves nothing in the folder", sorted((root / "Spec/reference").iterdir()) == before)
        seen = run(binaries / "webarc-reader", "check-vectors", root / "Spec/vectors", cwd=place, env=surroundings)
        expect("webarc-reader reads the vectors", " 0 failed" in seen, seen[-300:])
        archive = root / "Spec/vectors/valid/smallest.webarc"
        program = ("import sys; from webarc_reader import Archive; from webarc_entries import entries\n"
                   "with Archive(sys.argv[1]) as archive: print(*(key.decode() for _, key in entries(archive)))")
        seen = run(binaries / "python3", "-c", program, archive, cwd=place)
        expect("a program can import it", seen == "http://example.org/\n", seen)
