# SPDX-License-Identifier: Apache-2.0
"""nginx as an ordinary static host, with a log of the bytes that it sent."""

from __future__ import annotations

import shutil
import signal
import subprocess
import time
from pathlib import Path

from driver.command import Failure
from driver.servers import free_port

CONFIGURATION = """\
daemon off; worker_processes 1; pid {place}/nginx.pid; error_log {place}/error.log;
events {{ worker_connections 500; }}
http {{
  include /etc/nginx/mime.types; sendfile on;
  log_format bytes '$request_uri $status $bytes_sent'; access_log {place}/access.log bytes;
  client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/fastcgi;
  uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi;
  limit_req_zone $server_name zone=few:1m rate=3r/s;
  server {{ listen 127.0.0.1:{port}; root {root}; {extra} }}
}}
"""


class Web:
    """nginx, which ends with the block. It can be stopped, started, and made to behave otherwise."""

    def __init__(self, root: Path, place: Path) -> None:
        if not shutil.which("nginx"):
            raise Failure("nginx is missing; install it: apt-get install nginx-light")
        self.root, self.place, self.port = root, place, free_port()
        self.process: subprocess.Popen[bytes] | None = None
        self.place.mkdir()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Web:
        self.behave()
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def behave(self, extra: str = "", root: Path | None = None) -> None:
        """Serves with these lines in the configuration, and no others."""
        text = CONFIGURATION.format(place=self.place, port=self.port, root=root or self.root, extra=extra)
        (self.place / "nginx.conf").write_text(text)
        if self.process:
            self.process.send_signal(signal.SIGHUP)

    def start(self) -> None:
        if self.process:
            return
        output = (self.place / "output.log").open("ab")
        self.process = subprocess.Popen(["nginx", "-e", self.place / "error.log", "-c", self.place / "nginx.conf"],
                                        stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        output.close()
        end = time.monotonic() + 30
        while not (self.place / "nginx.pid").exists():
            if self.process.poll() is not None or time.monotonic() > end:
                raise Failure(f"nginx does not start; see {self.place / 'output.log'}")
            time.sleep(0.01)

    def stop(self) -> None:
        """Ends it with its connections."""
        if self.process:
            self.process.terminate()
            self.process.wait()
            self.process = None
