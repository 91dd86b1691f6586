# SPDX-License-Identifier: Apache-2.0
"""All rows by name, in the order in which they are measured."""

from __future__ import annotations

from collections.abc import Callable

from . import (interchange_rows, library_rows, loading_rows, packing_rows, reading_rows, scale_rows, serving_rows, signing_rows,
               update_rows)
from .bench import Bench

ROWS: dict[str, Callable[[Bench], None]] = {
    "pack": packing_rows.measure_pack,
    "level9": packing_rows.measure_level_9,
    "zim": packing_rows.measure_zim,
    "unpack": reading_rows.measure_unpack,
    "verify": reading_rows.measure_verify,
    "memory": reading_rows.measure_memory,
    "merge": update_rows.measure_merge,
    "sign": signing_rows.measure_sign,
    "first-page": signing_rows.measure_first_page,
    "diff": update_rows.measure_diff,
    "patch": update_rows.measure_patch,
    "patch-size": update_rows.measure_patch_size,
    # Before the rows that use the largest archives which it makes.
    "scale-entries": scale_rows.measure_entries,
    "scale-files": scale_rows.measure_files,
    "scale-bytes": scale_rows.measure_bytes,
    "open": library_rows.measure_open,
    "lookup": library_rows.measure_lookup,
    "index": library_rows.measure_index,
    "library": library_rows.measure_library,
    "serve": serving_rows.measure_serve,
    "serve-large": serving_rows.measure_large,
    "serve-start": serving_rows.measure_start,
    "serve-memory": serving_rows.measure_serving_memory,
    "interchange-import": interchange_rows.measure_import,
    "interchange-memory": interchange_rows.measure_memory,
    "interchange-export": interchange_rows.measure_export,
    "interchange-replay": interchange_rows.measure_replay,
    "protocol-small": loading_rows.measure_small,
    "protocol-large": loading_rows.measure_large,
    "protocol-record": loading_rows.measure_record,
}


def chosen(names: str) -> list[str]:
    """Rows by name; `scale` stands for all that begin so. A name of none is kept as it is."""
    rows: list[str] = []
    for name in names.split(","):
        rows += [row for row in ROWS if row == name or row.startswith(f"{name}-")] or [name]
    return rows
