# SPDX-License-Identifier: Apache-2.0
"""Manual pages as swift-argument-parser writes them, in the form that man, whatis and lintian want."""

from __future__ import annotations

import re


def tidied(page: str) -> str:
    """A page whose name is that of its file, whose summary is no sentence, and which keeps the lines of examples and tables."""
    lines: list[str] = []
    literal = False
    for line in page.rstrip("\n").split("\n"):
        if name := re.fullmatch(r'\.Nm "(\S+(?: \S+)+)"', line):
            spoken = name[1]
            line = f".Nm {spoken.replace(' ', '.')}"
        elif line == ".Nm" and lines[-1] == ".Sh SYNOPSIS" and "." in (title := next(t for t in lines if t.startswith(".Nm "))):
            line = f'.Nm "{title[4:].replace(".", " ")}"'
        elif summary := re.fullmatch(r'\.Nd "(.*)\."', line):
            line = f".Nd {summary[1]}"
        if line.startswith("  ") != literal:
            literal = not literal
            lines.append(".Bd -literal -compact" if literal else ".Ed")
            if not literal and line and not line.startswith("."):
                lines.append(".Pp")
        if line:
            lines.append(line)
        elif not lines[-1].startswith((".Pp", ".Sh")):
            lines.append(".Pp")
    if literal:
        lines.append(".Ed")
    # mdoc puts the space before a list itself.
    return re.sub(r"\.Pp\n(?=\.(?:Bl|Pp|Sh|It|El))", "", "\n".join(lines) + "\n")
