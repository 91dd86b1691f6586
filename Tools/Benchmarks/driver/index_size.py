# SPDX-License-Identifier: Apache-2.0
"""The size of an index, read by the parser of the second reader."""

from __future__ import annotations

import sys
import zlib
from dataclasses import replace
from pathlib import Path

from .bench import ROOT

sys.path.append(str(ROOT / "Spec/reference"))
import webarc_format as form  # noqa: E402

FOOTER_SIZE = 64


def index_size(archive: Path) -> tuple[int, int]:
    """Bytes of index, page checksums and class table of an archive's last commit, and how many of them are text of keys."""
    with archive.open("rb") as file:
        at = file.seek(-FOOTER_SIZE, 2)
        found = form.parse_footer(file.read(FOOTER_SIZE), at, None)
        assert found, "an archive without a torn tail ends with a footer"
        footer, _ = found
        file.seek(footer.table_offset)
        sections, _ = form.parse_sections(replace(footer, table=file.read(32 * footer.sections)))
        classes = sections["CLSS"]
        file.seek(classes.offset)
        data = file.read(classes.length)
        assert zlib.crc32(data) == classes.crc
        tables = form.parse_class_table(data, classes.offset, sections["INDX"].length)
    total = sum(sections[kind].length for kind in ("INDX", "ISUM", "CLSS"))
    return total, tables["KeyBlock"].heap_length
