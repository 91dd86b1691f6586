# SPDX-License-Identifier: Apache-2.0
"""Serving beside nginx and kiwix-serve, and what a server takes in memory and at its start."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path

from .bench import Bench, length, pack
from .command import Failure, run
from .corpora import paths
from .measurement import Measurement
from .packing_rows import icon
from .servers import Load, Server, kiwix, load, nginx, webarc

ORIGIN = "http://localhost"
NGINX = "nginx, one worker"
IDLE_CONNECTIONS = 10_000


def in_turn(
    bench: Bench, ours: Server, theirs: Server, our_paths: list[str], their_paths: list[str], requests: bool = True
) -> tuple[list[Load], list[Load]]:
    seconds = 2 if bench.quick else 6
    pairs: tuple[list[Load], list[Load]] = ([], [])
    place = bench.fresh("load")
    place.mkdir()
    for _ in range(bench.runs):
        for server, asked, loads in ((ours, our_paths, pairs[0]), (theirs, their_paths, pairs[1])):
            loads.append(load(server, asked, place, seconds, requests=requests))
    return pairs


def add(bench: Bench, what: str, subject: str, against: str, loads: tuple[list[Load], list[Load]], reach: float | None,
        value: str) -> None:
    bench.add(Measurement(
        "serve", what, "s", [getattr(each, value) for each in loads[0]], [getattr(each, value) for each in loads[1]], against,
        subject, [reach] if reach else []))


def same(ours: Server, theirs: Server, path: str, their_path: str) -> None:
    """Both have to answer the same, or nothing is measured."""
    if ours.get(path) != theirs.get(their_path):
        raise Failure(f"webarc and {theirs.words[0]} answer differently for {path}")


def measure_serve(bench: Bench) -> None:
    corpus = bench.corpus("python")
    archive = bench.fresh("serve.webarc")
    run([*pack(corpus.folder), "-o", archive, "--base-url", f"{ORIGIN}/"])
    names = sorted(f"/{file.relative_to(corpus.folder)}" for file in paths(corpus.folder) if file.suffix != ".gz")
    random.Random(1).shuffle(names)
    page = "/copyright.html"
    # One thread beside one worker: with more, ours would take wrk's processor.
    with webarc(archive, "--threads", "1") as ours, nginx(corpus.folder, bench.fresh("nginx")) as theirs:
        for name in (page, *names[:20]):
            same(ours, theirs, name, name)
        mixed = in_turn(bench, ours, theirs, names, names)
        add(bench, "`serve --threads 1`, all files in mixed order, time a request", corpus.package, NGINX, mixed, 1.0, "request")
        add(bench, "the same, 99 % of requests within", corpus.package, NGINX, mixed, 1.0, "p99")
        single = in_turn(bench, ours, theirs, [page], [page])
        add(bench, "`serve --threads 1`, one small page, time a request", corpus.package, NGINX, single, 1.0, "request")
        add(bench, "the same, 99 % of requests within", f"{corpus.package}, one page", NGINX, single, 1.0, "p99")
    measure_kiwix(bench, archive)
    bench.clean()


def measure_kiwix(bench: Bench, archive: Path) -> None:
    corpus = bench.corpus("python")
    folder, zim = bench.fresh("site"), bench.fresh("site.zim")
    run(["cp", "-rl", corpus.folder, folder])
    (folder / "illustration.png").write_bytes(icon())
    run(["zimwriterfs", "--withoutFTIndex", "--welcome=index.html", "--illustration=illustration.png", "--language=eng",
         "--title=Python", "--description=Documentation", "--creator=Python", "--publisher=webarc", "--name=python", folder, zim])
    with webarc(archive) as ours, kiwix(zim) as theirs:
        # The former since kiwix-tools 3.4.
        prefix = next((each for each in (f"/content/{zim.stem}", f"/{zim.stem}") if theirs.get(f"{each}/copyright.html")[0] == 200), "")
        names = [f"/{file.relative_to(corpus.folder)}" for file in paths(corpus.folder) if file.suffix == ".html"]
        names = [name for name in sorted(names) if theirs.get(prefix + name)[0] == 200]
        if len(names) < 100:
            raise Failure(f"kiwix-serve has only {len(names)} of the pages under {prefix}")
        random.Random(1).shuffle(names)
        loads = in_turn(bench, ours, theirs, names, [prefix + name for name in names])
        add(bench, "`serve`, pages in mixed order, time a request", corpus.package, "kiwix-serve", loads, 0.02, "request")


def measure_large(bench: Bench) -> None:
    size = 2**26 if bench.quick else 2**30
    folder, archive = bench.fresh("large"), bench.fresh("large.webarc")
    folder.mkdir()
    body = random.Random(2).randbytes(2**24)
    with (folder / "large.bin").open("wb") as file:
        for number in range(size // len(body)):
            # No two blocks are alike.
            file.write(number.to_bytes(8, "big") + body[8:])
    run([*pack(folder), "-o", archive, "--base-url", f"{ORIGIN}/"])
    if length(archive) < size:
        raise Failure("the large body was not stored raw")
    subject = f"a body of {size >> 20} MiB, stored raw"
    with webarc(archive) as ours, nginx(folder, bench.fresh("nginx")) as theirs:
        loads = in_turn(bench, ours, theirs, ["/large.bin"], ["/large.bin"], requests=False)
        add(bench, "`serve`, time a byte", subject, NGINX, loads, 1.25, "byte")
        times = [first_byte(ours.port, size // 2 + 1000 * number) for number in range(50)]
        bench.add(Measurement("serve", "`serve`, first byte of a range in the middle", "s", times, subject=subject, reach=[0.002]))
    bench.clean()


def first_byte(port: int, offset: int) -> float:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        start = time.perf_counter()
        connection.sendall(f"GET /large.bin HTTP/1.1\r\nHost: localhost\r\nRange: bytes={offset}-{offset + 9}\r\n\r\n".encode())
        received = connection.recv(4096)
        taken = time.perf_counter() - start
    if not received.startswith(b"HTTP/1.1 206 "):
        raise Failure(f"no range: {received[:40]!r}")
    return taken


def measure_start(bench: Bench) -> None:
    for entries in (10, 1_000_000) if bench.quick else (10, 10_000_000):
        archive = bench.library.archive(entries)
        times = []
        for _ in range(max(bench.runs, 5)):
            server = webarc(archive)
            start = time.perf_counter()
            with server:
                server.get("/")
                times.append(time.perf_counter() - start)
        bench.add(Measurement(
            "serve-start", "`serve`, from its start to the first response", "s", times, subject=f"{entries:,} entries", reach=[0.05]))


def measure_serving_memory(bench: Bench) -> None:
    """With a cache of 16 MiB, and as much beside it as is allowed."""
    corpus = bench.corpus("python")
    archive, cache = bench.fresh("serve.webarc"), 16
    run([*pack(corpus.folder), "-o", archive, "--base-url", f"{ORIGIN}/"])
    names = [f"/{file.relative_to(corpus.folder)}" for file in paths(corpus.folder)]
    place = bench.fresh("load")
    place.mkdir()
    with webarc(archive, "--cache", f"{cache}M") as server:
        def add(what: str, reach: float | None) -> None:
            bench.add(Measurement("serve-memory", what, "MiB", [server.memory / 2**20], subject=f"{corpus.package}, cache of {cache} MiB",
                                  reach=[reach] if reach else []))
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(100 if bench.quick else IDLE_CONNECTIONS)]
        for connection in idle[::100]:
            connection.sendall(b"GET /copyright.html HTTP/1.1\r\nHost: localhost\r\n\r\n")
            connection.recv(1)
        add(f"`serve`, memory with {len(idle):,} idle connections", 200 + cache)
        for connection in idle:
            connection.close()
    with webarc(archive, "--cache", f"{cache}M") as server:
        asked, seconds = 0.0, 5
        marks = [100_000] if bench.quick else [100_000, 1_000_000]
        first = 0.0
        for mark in marks:
            while asked < mark:
                asked += seconds / load(server, names, place, seconds).request
            limit = 64 + cache if not first else min(64 + cache, 1.1 * first)
            add(f"`serve`, memory after {mark:,} requests", limit)
            first = first or server.memory / 2**20
    bench.clean()

