# SPDX-License-Identifier: Apache-2.0
"""Imports, exports and replay of a crawl beside the tools of other web archivers."""

from __future__ import annotations

import json
import shutil
import socket
import time
from pathlib import Path
from statistics import median

from .archivers import crawl, pywb, tool
from .bench import WEBARC, Bench, length
from .command import Failure, Pairs, Words, run
from .measurement import Measurement
from .servers import webarc
from .serving_rows import same

WARCIO = "`warcio recompress`"
FASTWARC = "`fastwarc recompress` to LZ4"
# Bytes for an import of any size, and for each of its records.
MEMORY, RECORD_MEMORY = 200 * 2**20, 150


def imported(source: Path, archive: Path, *options: str) -> Words:
    return [WEBARC, "import", "--quiet", source, "-o", archive, *options]


def warcio(source: Path, target: Path) -> Words:
    return [tool("warcio"), "recompress", source, target]


def processor(pairs: Pairs) -> dict[str, list[float]]:
    return {"ours": [cost.processor for cost in pairs.ours], "theirs": [cost.processor for cost in pairs.theirs]}


def measure_import(bench: Bench) -> None:
    source = crawl(bench)
    archives: list[Path] = []
    recompressed: list[Path] = []

    def ours() -> Words:
        archives.append(bench.fresh("crawl.webarc"))
        return imported(source.file, archives[-1])

    def theirs() -> Words:
        recompressed.append(bench.fresh("crawl.warc.lz4"))
        return [tool("fastwarc"), "recompress", "--quiet", "--compress-alg", "lz4", source.file, recompressed[-1]]

    pairs = bench.in_turn(ours, theirs)
    bench.add(Measurement("interchange-import", "`import`, processor time", "s", against=FASTWARC, subject=source.subject,
                          reach=[1.5], **processor(pairs), **pairs.effort))
    bench.add(Measurement("interchange-import", "`import`, size", "B", [length(file) for file in archives],
                          [length(file) for file in recompressed], FASTWARC, source.subject, [0.65]))
    pairs = bench.in_turn(ours, lambda: warcio(source.file, bench.fresh("crawl.warc.gz")))
    bench.add(Measurement("interchange-import", "`import`, wall time", "s", against=WARCIO, subject=source.subject,
                          reach=[0.15], **pairs.seconds, **pairs.effort))
    archive = bench.fresh("9.webarc")
    cost = bench.once(imported(source.file, archive, "--level", "9"))
    bench.add(Measurement("interchange-import", "`import --level 9`, size", "B", [length(archive)], [length(source.file)],
                          "the .warc.gz", source.subject, [0.7], cost.memory, note=f"took {cost.seconds:.1f} s"))
    bench.clean()


def measure_memory(bench: Bench) -> None:
    """The file once, and many times in one: the difference is that of the records."""
    source = crawl(bench)
    times = 2 if bench.quick else 60 if bench.huge else 10
    repeated = bench.fresh("repeated.warc.gz")
    with repeated.open("wb") as file:
        for _ in range(times):
            with source.file.open("rb") as part:
                shutil.copyfileobj(part, file)
    found: list[tuple[int, int]] = []
    for subject, each in ((source.subject, source.file), (f"{source.subject}, {times} times", repeated)):
        archive = bench.fresh("memory.webarc")
        records = json.loads(run([WEBARC, "import", "--quiet", "--json", each, "-o", archive]))["records"]
        cost = bench.once(imported(each, bench.fresh("memory.webarc")))
        found.append((cost.memory, records))
        bench.add(Measurement("interchange-memory", "`import`, peak memory", "MiB", [cost.memory / 2**20], subject=subject,
                              reach=[(MEMORY + RECORD_MEMORY * records) / 2**20],
                              note=f"{records:,} records, took {cost.seconds:.1f} s"))
    (small, few), (large, many) = found
    bench.add(Measurement("interchange-memory", "`import`, memory for each further record", "B", [max(0, large - small) / (many - few)],
                          subject=f"{source.subject}, {times} times", reach=[RECORD_MEMORY]))
    bench.clean()


def measure_export(bench: Bench) -> None:
    source = crawl(bench)
    archive = bench.fresh("crawl.webarc")
    run(imported(source.file, archive))

    def export(name: str) -> Words:
        return [WEBARC, "export", "--quiet", archive, "-o", bench.fresh(name)]

    pairs = bench.in_turn(lambda: export("crawl.warc.gz"), lambda: warcio(source.file, bench.fresh("recompressed.warc.gz")))
    bench.add(Measurement("interchange-export", "`export` to .warc.gz, wall time", "s", against=WARCIO, subject=source.subject,
                          reach=[0.5], **pairs.seconds, **pairs.effort))
    pairs = bench.in_turn(
        lambda: export("crawl.wacz"),
        lambda: [tool("wacz"), "create", "--detect-pages", "-t", "-o", bench.fresh("theirs.wacz"), source.file])
    bench.add(Measurement("interchange-export", "`export` to WACZ, processor time", "s", against="`wacz create --detect-pages -t`",
                          subject=source.subject, reach=[0.1], **processor(pairs), **pairs.effort))
    bench.clean()


def measure_replay(bench: Bench) -> None:
    source = crawl(bench)
    archive = bench.fresh("crawl.webarc")
    run(imported(source.file, archive))
    page = "/python/library/zipfile.html"
    times: tuple[list[float], list[float]] = ([], [])
    with webarc(archive) as ours, pywb(source.file, bench.fresh("pywb")) as theirs:
        their_page = f"/site/id_/{source.origin}{page}"
        same(ours, theirs, page, their_page)
        for _ in range(bench.runs):
            for server, path, found in ((ours, page, times[0]), (theirs, their_page, times[1])):
                found.append(median(response_time(server.port, path) for _ in range(10 if bench.quick else 100)))
    bench.add(Measurement("interchange-replay", "`serve`, one page, time a request", "s", *times, "pywb, as it was recorded", source.subject,
                          [0.05]))
    bench.clean()


def response_time(port: int, path: str) -> float:
    """On a connection of its own: on one that is kept, pywb's two writes wait 40 ms for an acknowledgement."""
    start = time.perf_counter()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        received = bytearray()
        while part := connection.recv(2**16):
            received += part
    taken = time.perf_counter() - start
    if not received.startswith(b"HTTP/1.1 200 "):
        raise Failure(f"no page: {received[:40]!r}")
    return taken
