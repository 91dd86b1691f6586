# SPDX-License-Identifier: Apache-2.0
"""The packages in a Debian that has nothing but what it cannot do without."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .command import Failure, expect, run

USER = "visitor"
# Written by apt, dpkg and man whenever they run.
OF_THE_TOOLS = re.compile(
    r"^/(proc|sys|dev|run|tmp|var/(cache|log|lib/(apt|dpkg))|home/visitor|packages|site)(/|$)"
    r"|^/etc/(passwd|group|gshadow|shadow|subuid|subgid)-$|^/etc/(ld\.so\.cache|\.pwd\.lock)$")


class Debian:
    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *command: str, status: int = 0) -> str:
        surroundings = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
        return run("chroot", self.root, *command, status=status, env=surroundings)

    def as_user(self, script: str, status: int = 0) -> str:
        """Runs a script of the shell as an ordinary user, in the user's home."""
        return self.run("su", "-", USER, "-s", "/bin/bash", "-c", f"export LC_ALL=C.UTF-8; {script}", status=status)

    def apt(self, *arguments: str) -> str:
        return self.run("apt-get", "-q", "-y", "--no-install-recommends", *arguments)

    def files(self) -> dict[str, str]:
        """All files with their kind, rights and owner; of those that list users also the content."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            inner = "/" + str(Path(folder).relative_to(self.root)).removeprefix(".")
            folders[:] = [name for name in folders if not OF_THE_TOOLS.search(os.path.join(inner, name))]
            for name in [*folders, *names]:
                path = os.path.join(inner, name)
                if OF_THE_TOOLS.search(path):
                    continue
                kept = os.lstat(os.path.join(folder, name))
                found[path] = f"{kept.st_mode:o} {kept.st_uid} {kept.st_gid}"
        for path in ["/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow"]:
            found[path] += (self.root / path[1:]).read_text()
        return found


def check(root: Path, packages: Path) -> None:
    if os.geteuid() != 0:
        raise Failure("a Debian of its own is made as root: sudo Tools/check-packages --packages FOLDER")
    with bare_debian() as debian:
        debian.apt("install", "curl", "man-db", "bash-completion", "zsh", "fish")
        debian.run("useradd", "--create-home", "--shell", "/bin/bash", USER)
        shutil.copytree(packages, debian.root / "packages")
        shutil.copytree(root / "Examples/site", debian.root / "site")
        before = debian.files()
        files = {name: f"/packages/{next(packages.glob(f'{name}_*.deb')).name}" for name in ["webarc", "webarc-server", "webarc-net"]}
        webarc(debian, files["webarc"])
        server(debian, files["webarc-server"])
        net(debian, files["webarc-net"])
        removed(debian, before)
        tarballs(debian, packages)


@contextmanager
def bare_debian() -> Iterator[Debian]:
    suite = platform.freedesktop_os_release().get("VERSION_CODENAME", "bookworm")
    # On a file system that has devices and programs, and room for 600 MB.
    place = Path(tempfile.mkdtemp(prefix="webarc-debian-", dir="/var/tmp"))
    mounted: list[Path] = []
    try:
        root = place / "root"
        print(f"      a bare Debian ({suite}) in {root}", flush=True)
        run("debootstrap", "--variant=minbase", suite, root, mirror())
        # Its packages have no services to start.
        (root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n")
        (root / "usr/sbin/policy-rc.d").chmod(0o755)
        shutil.copyfile("/etc/resolv.conf", root / "etc/resolv.conf")
        for source in ["/proc", "/dev"]:
            run("mount", "--rbind", source, root / source[1:])
            run("mount", "--make-rslave", root / source[1:])
            mounted.append(root / source[1:])
        debian = Debian(root)
        debian.apt("update")
        yield debian
    finally:
        for path in reversed(mounted):
            run("umount", "--recursive", "--lazy", path)
        if not any(line.split()[1].startswith(str(place)) for line in Path("/proc/mounts").read_text().splitlines()):
            shutil.rmtree(place)


def mirror() -> str:
    """The server of this machine's own packages."""
    places = [Path("/etc/apt/sources.list"), *sorted(Path("/etc/apt/sources.list.d").glob("*"))]
    text = "\n".join(path.read_text() for path in places if path.exists())
    found = re.search(r"^(?:URIs:|deb)\s+(?:\[[^]]*\]\s+)?(https?://\S*/(?:debian|ubuntu)/?)(?:\s|$)", text, re.M)
    return found[1] if found else "http://deb.debian.org/debian"


# --- What a user does --------------------------------------------------------------------------------------------------


def webarc(debian: Debian, package: str) -> None:
    debian.apt("install", package)
    expect("apt installs webarc with the libraries that it needs", True)
    debian.as_user("webarc pack /site -o site.webarc --base-url https://site.example/ --main-page index.html")
    debian.as_user("webarc verify site.webarc && webarc unpack site.webarc -C copy && diff -r /site copy")
    expect("a user packs, verifies and unpacks", True)
    seen = debian.as_user("webarc serve site.webarc", status=69)
    expect("without webarc-server, serve names it", "webarc-server" in seen, seen)
    for page, words in {"webarc": "SYNOPSIS", "webarc.pack": "--base-url", "webarc.verify": "SYNOPSIS"}.items():
        seen = debian.as_user(f"MANWIDTH=80 man --warnings {page} 2>&1 | col -b")
        expect(f"man {page}", words in seen and not re.search(r"^\S+: .*\bwarning\b", seen, re.M), seen[:400])
    expect("whatis knows the pages", "webarc.pack" in debian.run("sh", "-c", "mandb --quiet; whatis webarc.pack"))
    seen = debian.as_user(". /usr/share/bash-completion/bash_completion; _completion_loader webarc; complete -p webarc")
    expect("bash completes", "webarc" in seen, seen)
    seen = debian.as_user("fish --command 'complete --do-complete \"webarc ver\"'")
    expect("fish completes", "verify" in seen, seen)
    seen = debian.as_user("zsh -c 'autoload -Uz compinit && compinit -u && print $_comps[webarc]'")
    expect("zsh completes", seen.strip() == "_webarc", seen)


def server(debian: Debian, package: str) -> None:
    debian.apt("install", package)
    user = debian.run("getent", "passwd", "webarc-kiosk").strip()
    expect("webarc-server makes its user, who cannot log in", user.endswith("/nologin"), user)
    expect("the user has the screen", "video" in debian.run("id", "-nG", "webarc-kiosk").split())
    enabled = (debian.root / "etc/systemd/system/graphical.target.wants/webarc-kiosk.service").is_symlink()
    expect("the kiosk is not enabled", not enabled)
    with serving(debian) as address:
        seen = debian.as_user(f"curl --fail --silent --show-error {address}/ | cmp - /site/index.html")
        expect("a user serves the archive, and curl loads it", True, seen)


def net(debian: Debian, package: str) -> None:
    debian.apt("install", package)
    with serving(debian) as address:
        debian.as_user(f"webarc fetch {address}/ -o fetched.webarc && webarc verify fetched.webarc")
        debian.as_user(f"webarc cat fetched.webarc {address}/ | cmp - /site/index.html")
    expect("a user fetches a page, and finds it in the archive", True)


@contextmanager
def serving(debian: Debian) -> Iterator[str]:
    """Serves the user's archive at a free port, as the user."""
    # Not by su, which ends and leaves the server alone.
    script = f"cd /home/{USER} && exec webarc serve site.webarc --port 0 --access-log none 2>&1"
    command = ["chroot", f"--userspec={USER}:{USER}", str(debian.root), "env", f"HOME=/home/{USER}", "sh", "-c", script]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        seen = ""
        for line in process.stdout:
            seen += line
            if found := re.search(r"http://[\d.]+:\d+", line):
                yield found[0]
                return
        raise Failure(f"webarc serve ended, and said\n{seen}")
    finally:
        process.terminate()
        process.wait(60)


def removed(debian: Debian, before: dict[str, str]) -> None:
    # As a kiosk that ran leaves them.
    wants = debian.root / "etc/systemd/system/graphical.target.wants"
    wants.mkdir(parents=True, exist_ok=True)
    (wants / "webarc-kiosk.service").symlink_to("/lib/systemd/system/webarc-kiosk.service")
    state = debian.root / "var/lib/webarc/kiosk"
    state.mkdir(parents=True)
    (state / "last-good.webarc").touch()
    debian.apt("remove", "webarc", "webarc-server", "webarc-net")
    expect("removed packages leave the state of the kiosk", (state / "last-good.webarc").exists())
    debian.run("dpkg", "--purge", "webarc-net", "webarc-server", "webarc")
    debian.apt("autoremove", "--purge")
    if not any(wants.iterdir()) and "/etc/systemd/system/graphical.target.wants" not in before:
        wants.rmdir()
    after = debian.files()
    changed = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    expect("purged packages leave no trace", not changed, "\n".join(changed[:40]))


def tarballs(debian: Debian, packages: Path) -> None:
    debian.apt("install", "liblz4-1", "libdeflate0", "libzstd1", "libbrotli1", "liblzma5", "zlib1g", "libstdc++6", "libcurl4")
    for program in ["webarc", "webarc-server", "webarc-net"]:
        name = next(packages.glob(f"{program}-[0-9]*-linux-*.tar.gz")).name
        debian.run("tar", "-xzf", f"/packages/{name}", "-C", "/usr/local", "--strip-components=1", "--no-same-owner")
    debian.as_user("rm -rf site.webarc && webarc pack /site -o site.webarc --main-page index.html && webarc verify site.webarc")
    seen = debian.as_user("MANWIDTH=80 man webarc kiosk | col -b")
    expect("the tarballs unpack into /usr/local, with their pages", "--windowed" in seen, seen[:400])
    with serving(debian) as address:
        debian.as_user(f"curl --fail --silent {address}/ | cmp - /site/index.html")
    expect("the program of a tarball serves", True)
