# SPDX-License-Identifier: Apache-2.0
"""Troubles of a network and its host, one after another."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

from .relay import Relay
from .web import Web

LOGIN = "default_type text/html; location / { return 200 '<!doctype html><title>Log in to the network</title>'; }"
ELSEWHERE = ("location = /login.html { default_type text/html; return 200 '<!doctype html><title>Log in</title>'; } "
             "location / { return 302 /login.html; }")


class Troubles:
    def __init__(self, web: Web, relay: Relay, place: Path, numbers: random.Random) -> None:
        self.web, self.relay, self.place, self.random = web, relay, place, numbers
        self.kinds: dict[str, Callable[[], None]] = {
            "no trouble": lambda: None,
            "resets": self._resets,
            "host down": web.stop,
            "slow host": lambda: web.behave("limit_rate 60k;"),
            "busy host": lambda: web.behave("location / { limit_req zone=few burst=2 nodelay; }"),
            "log-in page": lambda: web.behave(LOGIN),
            "redirect to a log-in page": lambda: web.behave(ELSEWHERE),
            "half files": self._half_files,
            "an old list": self._old_list,
            "error 500 for patches": lambda: web.behave(r"location ~ \.webarcpatch$ { return 500; }"),
            "no patches": lambda: web.behave(r"location ~ \.webarcpatch$ { return 404; }"),
        }

    def begin(self) -> str:
        """Ends the trouble that is there, and begins another."""
        self.end()
        name = self.random.choice(list(self.kinds))
        self.kinds[name]()
        return name

    def end(self) -> None:
        self.relay.resets = 0.0
        self.web.behave()
        self.web.start()

    def keep_list(self) -> None:
        """Keeps the list as it is, for a host that will show it later."""
        shutil.copy(self.web.root / "updates.json", self.place / "old-updates.json")

    def _resets(self) -> None:
        self.relay.resets = 0.7

    def _half_files(self) -> None:
        half = self.place / "half"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir()
        for path in self.web.root.iterdir():
            content = path.read_bytes()
            (half / path.name).write_bytes(content if path.suffix == ".json" else content[:len(content) // 2])
        self.web.behave(root=half)

    def _old_list(self) -> None:
        if (self.place / "old-updates.json").exists():
            self.web.behave(f"location = /updates.json {{ alias {self.place}/old-updates.json; }}")
