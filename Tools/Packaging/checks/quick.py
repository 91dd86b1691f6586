# SPDX-License-Identifier: Apache-2.0
"""The checks of the packages that Tools/package makes from the programs of a debug build."""

from __future__ import annotations

import gzip
import os
import tarfile
import tempfile
import tomllib
from pathlib import Path

from .command import expect, run

PROGRAMS = ["webarc", "webarc-server"]


def check(root: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="webarc-packages-") as place:
        # Whatever a machine may have otherwise.
        one = pack(root, Path(place, "one"), ["webarc"], "0022", {"TZ": "UTC", "LC_ALL": "C.UTF-8"})
        other = pack(root, Path(place, "other"), ["webarc"], "0077", {"TZ": "Asia/Tokyo", "LC_ALL": "C"})
        expect("the same program gives the same files", one == other, differing(one, other))
        pack(root, Path(place, "one"), ["webarc-server"], "0022", {})
        tarballs(Path(place, "one"))
        if any(name.endswith(".deb") for name in one):
            debian_packages(Path(place, "one"))
    scripts(root)
    reader_package(root)


def pack(root: Path, output: Path, programs: list[str], mask: str, more: dict[str, str]) -> dict[str, bytes]:
    command = 'umask "$0" && exec "$@"'
    run("sh", "-c", command, mask, root / "Tools/package", "--fast", "--programs", root / ".build/debug", "--output", output, *programs,
        env={**os.environ, **more})
    return {path.name: path.read_bytes() for path in sorted(output.iterdir())}


def differing(one: dict[str, bytes], other: dict[str, bytes]) -> str:
    return ", ".join(sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name)))


def tarballs(folder: Path) -> None:
    for program in PROGRAMS:
        with tarfile.open(next(folder.glob(f"{program}-[0-9]*.tar.gz"))) as archive:
            members = archive.getmembers()
        names = {member.name.partition("/")[2] for member in members}
        wanted = {f"bin/{program}", f"share/man/man1/{program}.1.gz", f"share/doc/{program}/copyright"}
        expect(f"the tarball of {program} has the program, its page and its licences", wanted <= names, names)
        expect(f"everything in it belongs to root, with one time", len({(m.uid, m.gid, m.uname, m.mtime) for m in members}) == 1)
        rights = {member.mode for member in members}
        expect("nobody else may write it", all(mode in (0o755, 0o644) for mode in rights), rights)


def debian_packages(folder: Path) -> None:
    commands = "pack unpack verify serve kiosk ls info cat why index fetch get compact ca".split()
    webarc = next(folder.glob("webarc_*.deb"))
    listing = run("dpkg-deb", "--contents", webarc)
    missing = [name for name in commands if f"./usr/share/man/man1/webarc-{name}.1.gz" not in listing]
    expect("each command has a manual page", not missing, missing)
    with tempfile.TemporaryDirectory() as place:
        run("dpkg-deb", "--extract", webarc, place)
        page = gzip.decompress(Path(place, "usr/share/man/man1/webarc.1.gz").read_bytes()).decode()
    missing = [name for name in commands if f".It Nm webarc {name}\n" not in page]
    expect("the page of webarc lists the commands", not missing, missing)
    places = ["bash-completion/completions/webarc", "zsh/vendor-completions/_webarc", "fish/vendor_completions.d/webarc.fish"]
    missing = [place for place in places if f"./usr/share/{place}" not in listing]
    expect("each shell has completions", not missing, missing)
    libraries = ["liblz4-1", "libdeflate0", "libzstd1", "libbrotli1", "liblzma5", "zlib1g", "libc6"]
    needed = run("dpkg-deb", "--field", webarc, "Depends")
    expect("webarc needs the libraries that it is linked with", all(name in needed for name in libraries), needed)
    server = next(folder.glob("webarc-server_*.deb"))
    version = run("dpkg-deb", "--field", webarc, "Version").strip()
    needed = run("dpkg-deb", "--field", server, "Depends")
    expect("webarc-server needs webarc of its own version", f"webarc (= {version})" in needed, needed)
    with tempfile.TemporaryDirectory() as place:
        run("dpkg-deb", "--raw-extract", server, place)
        unit = Path(place, "usr/lib/systemd/system/webarc-kiosk.service").read_text()
        made = Path(place, "DEBIAN/postinst").read_text()
    expect("the unit runs the program of the package", "/usr/bin/webarc kiosk" in unit and "/usr/local" not in unit, unit)
    user = next(line.removeprefix("User=") for line in unit.splitlines() if line.startswith("User="))
    expect("the unit's user is the one that the package makes", f" {user}\n" in made, user)


def scripts(root: Path) -> None:
    for script in sorted((root / "Tools/Packaging/debian").glob("*.p*")):
        run("sh", "-n", script)
    expect("the scripts of the packages can be read by sh", True)


def reader_package(root: Path) -> None:
    folder = root / "Spec/reference"
    package = tomllib.loads((folder / "pyproject.toml").read_text())
    listed = package["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    expect("the Python package has all modules of the reader", sorted(listed) == sorted(path.name for path in folder.glob("*.py")), listed)
    version = package["project"]["version"]
    expect("it has the version of the programs", f'"{version}"' in (root / "Sources/WebarcCommandLine/WebarcVersion.swift").read_text(), version)
