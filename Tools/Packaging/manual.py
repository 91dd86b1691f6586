# SPDX-License-Identifier: Apache-2.0
"""Manual pages as swift-argument-parser writes them, in the form that man, whatis and lintian want, with names that man finds."""

from __future__ import annotations

import re
from pathlib import Path


def tidy(folder: Path) -> list[Path]:
    """Tidies the pages of a folder, and gives their paths. `man webarc pack` looks for webarc-pack, not for webarc.pack."""
    pages = {page.stem: tidied(page.read_text()) for page in folder.iterdir()}
    summaries = {name: summary[1] for name, page in pages.items() if (summary := re.search(r"^\.Nd (.*)$", page, re.M))}
    written = []
    for name, page in pages.items():
        commands = [other for other in sorted(pages) if other.rpartition(".")[0] == name]
        if commands:
            items = (f".It Nm {spoken(other)}\n{summaries[other]}" for other in commands)
            table = "\n".join([".Sh COMMANDS", ".Bl -tag -width 16n", *items, ".El", ""])
            page = page.replace('.Sh "EXIT STATUS"\n', table + '.Sh "EXIT STATUS"\n', 1)
        for other in sorted(pages, key=len, reverse=True):
            page = page.replace(f".Xr {other} 1", f".Xr {hyphenated(other)} 1").replace(f".Dt {other.upper()} 1", f".Dt {hyphenated(other).upper()} 1")
        (folder / f"{name}.1").unlink()
        path = folder / f"{hyphenated(name)}.1"
        path.write_text(page)
        written.append(path)
    return sorted(written)


def hyphenated(name: str) -> str:
    return name.replace(".", "-")


def spoken(name: str) -> str:
    return name.replace(".", " ")


def tidied(page: str) -> str:
    """A page whose name is that of its file, whose summary is no sentence, and which keeps the lines of examples and tables."""
    lines: list[str] = []
    literal, command = False, None
    for line in page.rstrip("\n").split("\n"):
        if name := re.fullmatch(r'\.Nm "(\S+(?: \S+)+)"', line):
            command = name[1]
            line = f".Nm {command.replace(' ', '-')}"
        elif line == ".Nm" and lines[-1] == ".Sh SYNOPSIS" and command:
            line = f'.Nm "{command}"'
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
