# SPDX-License-Identifier: Apache-2.0
"""A small disk that becomes full: a tmpfs in namespaces of this process, for which no root is needed."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from driver.command import Failure

CLONE_NEWNS, CLONE_NEWUSER, PR_SET_DUMPABLE, MNT_DETACH = 0x20000, 0x10000000, 4, 2


class SmallDisk:
    """The disk, which vanishes with the block."""

    def __init__(self, folder: Path, length: int) -> None:
        """Mounts the disk. From now on this process and its children are in namespaces of their own, as the same user."""
        self.folder, self.ballast = folder, folder / "ballast"
        self.libc = libc = ctypes.CDLL(None, use_errno=True)
        user, group = os.geteuid(), os.getegid()
        # A process that gave up root may not write to its own /proc/self otherwise.
        libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)
        if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
            raise Failure(f"this system permits no user namespaces: {os.strerror(ctypes.get_errno())}")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
        options = f"size={length},mode=700,uid={user},gid={group}"
        if libc.mount(b"tmpfs", bytes(folder), b"tmpfs", 0, options.encode()) != 0:
            raise Failure(f"cannot mount a tmpfs on {folder}: {os.strerror(ctypes.get_errno())}")

    def __enter__(self) -> SmallDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self.libc.umount2(bytes(self.folder), MNT_DETACH)

    def leave(self, free: int) -> None:
        """Fills the disk, so that about so many bytes are free."""
        self.empty()
        status = os.statvfs(self.folder)
        length = status.f_bavail * status.f_frsize - free
        if length <= 0:
            return
        with self.ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, length)

    def empty(self) -> None:
        """Makes room."""
        self.ballast.unlink(missing_ok=True)
