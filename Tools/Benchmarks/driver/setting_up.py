# SPDX-License-Identifier: Apache-2.0
"""Installs what is missing, and builds what is measured."""

from __future__ import annotations

import os
import shutil
import subprocess

from .bench import ROOT
from .command import Failure, run

PEERS = {"mksquashfs": "squashfs-tools", "unsquashfs": "squashfs-tools", "zip": "zip", "zimwriterfs": "zim-tools",
         "/usr/bin/time": "time", "wrk": "wrk", "nginx": "nginx-light", "kiwix-serve": "kiwix-tools",
         "minisign": "minisign", "xdelta3": "xdelta3", "zstd": "zstd", "bsdiff": "bsdiff", "wget": "wget"}


def install() -> None:
    if not shutil.which("apt-get"):
        raise Failure("the corpora and the peers are packages of Debian: use a machine with apt-get")
    subprocess.run([ROOT / "Tools/setup", "--corpora"], check=True)
    missing = sorted({package for tool, package in PEERS.items() if not shutil.which(tool)})
    if missing:
        print(f"Tools/benchmark: installing {' '.join(missing)}", flush=True)
        as_root = [] if os.geteuid() == 0 else ["sudo"]
        subprocess.run([*as_root, "apt-get", "-qq", "update"], capture_output=True, check=False)
        run([*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-qq", "-y", "install", "--no-install-recommends",
             *missing])


def build() -> None:
    """As the programs are installed."""
    print("Tools/benchmark: building webarc", flush=True)
    run([ROOT / "Tools/build", "webarc", "webarc-server"])
