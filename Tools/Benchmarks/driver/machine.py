# SPDX-License-Identifier: Apache-2.0
"""The machine of a run, and the versions of the programs."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

from . import archivers
from .corpora import PLACES

PEERS = ["squashfs-tools", "zip", "zim-tools", "nginx-light", "kiwix-tools", "wrk", "coreutils", "liblz4-1", "minisign",
         "xdelta3", "zstd", "bsdiff", "wget"]


def _matching(pattern: str, file: str) -> str:
    try:
        found = re.search(pattern, Path(file).read_text(), re.MULTILINE)
    except OSError:
        return ""
    return found[1].strip() if found else ""


def _output(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def _features() -> str:
    flags = set(_matching(r"^flags\s*:(.*)$", "/proc/cpuinfo").split())
    known = {"avx512f": "AVX-512", "avx2": "AVX2", "asimd": "NEON"}
    return next((name for flag, name in known.items() if flag in flags), "")


def describe(work: Path) -> dict[str, str]:
    processor = _matching(r"^model name\s*:(.*)$", "/proc/cpuinfo") or platform.processor()
    memory = int(_matching(r"^MemTotal:\s*(\d+)", "/proc/meminfo") or 0) / 1024**2
    system = _matching(r'^PRETTY_NAME="?([^"]*)', "/etc/os-release")
    virtual = _output("systemd-detect-virt", "--vm")
    return {
        "processor": f"{processor}, {os.cpu_count()} cores" + (f", {found}" if (found := _features()) else "")
                     + (f", virtual ({virtual})" if virtual not in ("", "none") else ""),
        "memory": f"{memory:.0f} GiB",
        "file system": _output("stat", "-f", "-c", "%T", str(work)).replace("ext2/ext3", "ext4"),
        "system": f"{system}, {platform.system()} {platform.release().split('-')[0]}",
        "Swift": _matching_version(_output("swift", "--version")),
    }


def _matching_version(text: str) -> str:
    found = re.search(r"Swift version (\S+)", text)
    return found[1] if found else ""


def version(package: str) -> str:
    return _output("dpkg-query", "-W", "-f", "${Version}", package)


def versions() -> dict[str, str]:
    return {name: version(name) for name in PEERS + [package for package, _ in PLACES.values()]} | archivers.versions()
