# SPDX-License-Identifier: Apache-2.0
"""The Debian packages, as lintian sees them."""

from __future__ import annotations

from pathlib import Path

from .command import expect, run


def check(folder: Path) -> None:
    packages = sorted(folder.glob("*.deb"))
    expect("there are Debian packages", packages, folder)
    seen = run("lintian", "--allow-root", "--fail-on", "none", "--tag-display-limit", "0", *packages)
    faults = [line for line in seen.splitlines() if line.startswith(("E:", "W:"))]
    expect("lintian has neither errors nor warnings", not faults, "\n".join(faults))
