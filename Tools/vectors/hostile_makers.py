# SPDX-License-Identifier: Apache-2.0
"""The list of the makers of hostile archives."""

from __future__ import annotations

from collections.abc import Callable

from .commit_builder import Commit

MEBIBYTE = 1 << 20
Maker = Callable[[], bytes]
MAKERS: dict[str, Maker] = {}


def hostile(make: Maker) -> Maker:
    MAKERS[make.__name__.replace("_", "-")] = make
    return make


def finished(c: Commit, **changes: object) -> bytes:
    return bytes(c.archive.add(c, **changes).data)
