# SPDX-License-Identifier: Apache-2.0
"""Collects the vectors and what reading each of them gives."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .archive_builder import Archive

FILES: dict[str, bytes] = {}
EXPECTED: dict[str, dict[str, Any]] = {"valid": {}, "invalid": {}}


def valid(name: str, archive: Archive, data: bytes | None = None, commits: int | None = None,
          lookups: Iterable[tuple] = (), metadata: dict[str, Any] | None = None, torn: bool = True,
          damaged: bool = False) -> None:
    """`commits`: how many of them are whole, if not all. `lookups`: (URL, entries found, method, digest)."""
    FILES[f"valid/{name}.webarc"] = bytes(archive.data if data is None else data)
    shown = archive.shown(commits)
    if metadata is None:
        metadata = {k: v for k, v in archive.metadata.items() if v is not None}
    numbers = {id(row): i for i, row in enumerate(archive.entries)}
    same = next((other for other, one in EXPECTED["valid"].items()
                 if shown["entries"] and one["entries"] == shown["entries"]),
                None)
    EXPECTED["valid"][name + ".webarc"] = {"entries": same or shown["entries"]} | {
        "commits": archive.count if commits is None else commits, "tornTail": torn and commits is not None,
        "lastCommitDamaged": damaged,
        "metadata": metadata,
        "lookups": [{"url": url, "finds": [numbers[id(row)] for row in found], "method": (more or ("GET",))[0],
                     "requestDigest": more[1] if len(more) > 1 else None} for url, found, *more in lookups]}


def invalid(name: str, data: bytes | Archive, code: str, where: str, note: str) -> None:
    """`where`: open, list (entries, metadata and lookups), body, or verify: a reader need not notice, a
    verifier must."""
    FILES[f"invalid/{name}.webarc"] = bytes(data.data if isinstance(data, Archive) else data)
    EXPECTED["invalid"][name + ".webarc"] = {"code": code, "where": where, "note": note}


def lines(value: Any, depth: int = 0) -> str:
    """JSON with one line for what is small."""
    flat = json.dumps(value, ensure_ascii=True)
    if depth >= 4 or len(flat) < 100 or not value or not isinstance(value, (dict, list)):
        return flat
    space = "  " * (depth + 1)
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {lines(item, depth + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(space + item for item in items) + "\n" + "  " * depth + "}"
    return "[\n" + ",\n".join(space + lines(item, depth + 1) for item in value) + "\n" + "  " * depth + "]"
