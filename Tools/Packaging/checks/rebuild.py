# SPDX-License-Identifier: Apache-2.0
"""The same program from two folders."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from .command import expect, run


def check(root: Path) -> None:
    run(root / "Tools/build", "webarc")
    with tempfile.TemporaryDirectory(prefix="webarc-elsewhere-") as place:
        copy = Path(place, "a folder of another name")
        shutil.copytree(root, copy, symlinks=True, ignore=shutil.ignore_patterns(".build*", ".git"))
        # The packages as they are here, so that nothing is loaded again.
        (copy / ".build").mkdir()
        for part in ["checkouts", "repositories", "workspace-state.json"]:
            source = root / ".build" / part
            (shutil.copytree if source.is_dir() else shutil.copy2)(source, copy / ".build" / part)
        run(copy / "Tools/build", "webarc")
        here, there = ((folder / ".build/release/webarc").read_bytes() for folder in [root, copy])
        places = [at for at, (one, other) in enumerate(zip(here, there)) if one != other]
    expect("webarc has the same bytes from two folders", here == there,
           f"{len(here)} and {len(there)} bytes, {len(places)} of them differ, at {places[:5]}")
