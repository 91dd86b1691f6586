# SPDX-License-Identifier: Apache-2.0
"""Other web archivers from PyPI, which Tools/setup installs, and the crawl that all of them read."""

from __future__ import annotations

import re
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from .bench import ROOT, Bench
from .command import Failure, run
from .corpora import paths
from .servers import Server, free_port, nginx

ENVIRONMENTS = ROOT / ".build-peers"
NAMED = ["warcio", "FastWARC", "wacz", "pywb"]


def tool(name: str) -> Path:
    environment = "pywb" if name in ("wayback", "wb-manager") else "archivers"
    found = ENVIRONMENTS / environment / "bin" / name
    if not found.exists():
        raise Failure(f"{name} is not there: Tools/setup --tests installs it from PyPI")
    return found


def versions() -> dict[str, str]:
    pinned = "".join((ROOT / "Tools/Peers" / f"{name}.txt").read_text() for name in ("archivers", "pywb"))
    return {name: found[1] for name in NAMED if (found := re.search(rf"^{name}==(\S+)$", pinned, re.MULTILINE))}


@dataclass
class Crawl:
    """A WARC file of the documentation, each file fetched once."""

    file: Path
    subject: str
    # Of the server that was crawled, as the URLs have it.
    origin: str


def crawl(bench: Bench) -> Crawl:
    """Crawls a server with wget, which takes minutes, so that the file is kept for the next run."""
    names = ["python"] if bench.quick else ["python", "openjdk"]
    place = bench.work / f"crawl-{'-'.join(names)}"
    file, origin = place / "crawl.warc.gz", place / "origin"
    subject = " and ".join(bench.corpus(name).package for name in names)
    if not origin.exists():
        root = bench.fresh("root")
        root.mkdir()
        place.mkdir(exist_ok=True)
        for name in names:
            (root / name).symlink_to(bench.corpus(name).folder)
        with nginx(root, bench.fresh("nginx")) as server:
            address = f"http://127.0.0.1:{server.port}"
            urls = bench.fresh("urls")
            urls.write_text("".join(
                f"{address}/{name}/{urllib.parse.quote(str(each.relative_to(bench.corpus(name).folder)))}\n"
                for name in names for each in sorted(paths(bench.corpus(name).folder))))
            run(["wget", "--quiet", "--no-config", "--input-file", urls, "--warc-file", place / "crawl", "--no-warc-keep-log",
                 "--output-document", "/dev/null"])
        # The last thing that is written: without it the crawl did not end.
        origin.write_text(address)
    return Crawl(file, subject, origin.read_text())


def pywb(file: Path, place: Path) -> Server:
    """A server of a collection `site`."""
    place.mkdir()
    run([tool("wb-manager"), "init", "site"], cwd=place)
    run([tool("wb-manager"), "add", "site", file], cwd=place)
    port = free_port()
    return Server([tool("wayback"), "--bind", "127.0.0.1", "--port", str(port), "--directory", place], port)
