# SPDX-License-Identifier: Apache-2.0
"""The servers that are measured, and wrk, which asks them."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .bench import WEBARC
from .command import Failure, run

NGINX = """\
daemon off; {user}worker_processes 1; worker_rlimit_nofile 20000; pid {place}/nginx.pid; error_log {place}/nginx.log;
events {{ worker_connections 15000; }}
http {{
  include /etc/nginx/mime.types; access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000000;
  client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/fastcgi;
  uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""

# Prints the results as one line of JSON; times in microseconds.
SCRIPT = """\
local paths, number = {}, 0
for line in io.lines("PATHS") do paths[#paths + 1] = line end
function request()
  number = number + 1
  return wrk.format("GET", paths[number % #paths + 1])
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\\n{"requests": %d, "bytes": %.0f, "duration": %.0f, "p99": %.0f, "errors": %d}\\n', summary.requests, summary.bytes,
    summary.duration, latency:percentile(99), errors.connect + errors.read + errors.write + errors.status))
end
"""


@dataclass
class Load:
    """The results of wrk, in seconds and bytes."""

    request: float
    p99: float
    byte: float


class Server:
    """A server process, which ends with the block."""

    def __init__(self, words: Sequence[str | Path], port: int) -> None:
        self.words, self.port = words, port

    def __enter__(self) -> Server:
        self.process = subprocess.Popen([str(word) for word in self.words], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()

    def wait(self) -> None:
        """Until it listens."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.001)
        raise Failure(f"{self.words[0]} does not listen on port {self.port}")

    def get(self, path: str, headers: dict[str, str] | None = None) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers=headers or {})
        response = connection.getresponse()
        content = response.read()
        connection.close()
        return response.status, content

    @property
    def memory(self) -> int:
        """Resident memory in bytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def webarc(archive: Path, *options: str) -> Server:
    port = free_port()
    return Server([WEBARC, "serve", archive, "--port", str(port), "--access-log", "none", *options], port)


def nginx(root: Path, place: Path) -> Server:
    port = free_port()
    place.mkdir()
    configuration = place / "nginx.conf"
    # The worker of a master that is root is another user otherwise, who may not read the folder.
    user = "user root; " if os.geteuid() == 0 else ""
    configuration.write_text(NGINX.format(user=user, root=root, place=place, port=port))
    return Server(["nginx", "-c", configuration], port)


def kiwix(zim: Path) -> Server:
    port = free_port()
    return Server(["kiwix-serve", "--port", str(port), "--address", "127.0.0.1", zim], port)


def load(server: Server, paths: list[str], place: Path, seconds: int, connections: int = 32, requests: bool = True) -> Load:
    """Asks for paths, one after another, on connections that are kept."""
    names, script = place / "paths", place / "load.lua"
    names.write_text("".join(f"{path}\n" for path in paths))
    script.write_text(SCRIPT.replace("PATHS", str(names)))
    output = run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", script,
                  f"http://127.0.0.1:{server.port}"])
    found = json.loads(output.strip().splitlines()[-1])
    if found["errors"] or (requests and not found["requests"]):
        raise Failure(f"{server.words[0]}: {found['errors']} of {found['requests']} requests failed")
    duration = found["duration"] / 1e6
    return Load(duration / max(found["requests"], 1), found["p99"] / 1e6, duration / found["bytes"])
