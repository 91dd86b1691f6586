# SPDX-License-Identifier: Apache-2.0
"""A device of the fleet: an archive that is updated, and a server that shows it."""

from __future__ import annotations

import hashlib
import http.client
import os
import random
import subprocess
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from driver.servers import free_port

from .publisher import BASE, Key


@dataclass(frozen=True)
class Trust:
    """The keys that a device has."""

    name: str
    keys: tuple[Key, ...]
    signatures: int = 1

    @property
    def options(self) -> list[str]:
        return [word for key in self.keys for word in ("--require-key", str(key.public))] + [
            "--signatures", str(self.signatures)]


class Device:
    """A loop of webarc update beside webarc serve. Each has a thread that starts the program again when it ended."""

    def __init__(self, number: int, home: Path, webarc: Path, address: str, trust: Trust, numbers: random.Random) -> None:
        self.number, self.home, self.webarc, self.address, self.trust = number, home, webarc, address, trust
        self.random = numbers
        self.archive, self.port = home / "site.webarc", free_port()
        self.statuses: Counter[str] = Counter()
        # The editions that were installed, by the SHA-256 of the archive.
        self.installed: set[str] = set()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.threads: list[threading.Thread] = []
        self.off = threading.Event()
        self.off.set()

    def __str__(self) -> str:
        return f"device {self.number} ({self.trust.name})"

    @property
    def is_on(self) -> bool:
        return not self.off.is_set()

    def switch_on(self) -> None:
        if self.is_on:
            return
        self.off = threading.Event()
        self.threads = [threading.Thread(target=work, args=(self.off,), daemon=True) for work in self.work]
        for thread in self.threads:
            thread.start()

    def switch_off(self) -> None:
        """As by pulling the plug."""
        self.off.set()
        while any(thread.is_alive() for thread in self.threads):
            for name in ("serve", "update", "kiosk"):
                self.kill(name)
            self.threads[0].join(0.01)

    def runs(self, name: str) -> bool:
        return name in self.running and self.running[name].poll() is None

    def kill(self, name: str) -> None:
        """Ends a program by SIGKILL, if it runs."""
        if self.runs(name):
            self.running[name].kill()

    @property
    def work(self) -> list:  # type: ignore[type-arg]
        return [self._update, self._serve]

    def _update(self, off: threading.Event) -> None:
        while not off.is_set():
            self._run("update", "update", self.archive, "--from", self.address, *self.trust.options)
            self.note()
            off.wait(self.random.uniform(1, 3))

    def _serve(self, off: threading.Event) -> None:
        while not off.is_set():
            if self.archive.exists():
                self._run("serve", "serve", self.archive, "--port", str(self.port), "--access-log", "none", *self.trust.options)
            off.wait(0.2)

    def _run(self, name: str, *words: str | Path) -> None:
        with (self.home / f"{name}.log").open("ab") as log:
            process = subprocess.Popen([self.webarc, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
            self.running[name] = process
            self.statuses[f"{name} {process.wait()}"] += 1

    @property
    def record(self) -> list[str]:
        """The options for the record of editions and revoked keys, where it is not the one of webarc update."""
        return []

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"HOME": str(self.home), "TMPDIR": str(self.home), "XDG_STATE_HOME": str(self.home / "state")}

    def update(self, folder: Path) -> int:
        """Updates once from a stick. Returns the exit status."""
        words = [self.webarc, "update", self.archive, "--from", folder, *self.record, *self.trust.options]
        return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, env=self.environment).returncode

    def note(self) -> None:
        """Takes note of the edition that is installed."""
        try:
            self.installed.add(hashlib.sha256(self.archive.read_bytes()).hexdigest())
        except FileNotFoundError:
            pass

    def page(self, path: str) -> bytes | None:
        """Asks the server for a page; None if it does not run, or has none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", self.target(path))
            response = connection.getresponse()
            content = response.read()
            return content if response.status == 200 else None
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def target(self, path: str) -> str:
        return f"/{path}"


class Kiosk(Device):
    """webarc kiosk with a browser, which updates itself."""

    @property
    def work(self) -> list:  # type: ignore[type-arg]
        return [self._show]

    @property
    def record(self) -> list[str]:
        return ["--sequences", str(self.home / "state/webarc/kiosk/sequences")]

    def _show(self, off: threading.Event) -> None:
        while not off.is_set():
            self._run("kiosk", "kiosk", self.archive, "--headless", "--port", str(self.port), "--access-log", "none",
                      "--updates", self.address, "--every", "2s", *self.trust.options)
            off.wait(1)

    def target(self, path: str) -> str:
        # Its server is a proxy.
        return f"{BASE}{path}"
