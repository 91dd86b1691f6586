# SPDX-License-Identifier: Apache-2.0
"""The URL loading system of a Swift program: replaying beside a protocol that answers a constant, and recording beside none."""

from __future__ import annotations

import itertools
import json
import os
import random
from pathlib import Path
from statistics import median
from typing import Any

from .bench import Bench, length, pack
from .command import Failure, run
from .corpora import paths
from .measurement import Measurement
from .servers import nginx

CONSTANT = "a `URLProtocol` that answers a constant"
PLAIN = "the same session without webarc"


def loaded(bench: Bench, *words: str | Path) -> dict[str, Any]:
    """The results of `load-urls`, in seconds."""
    return json.loads(run([bench.library.programs / "load-urls", *words]))


def measure_small(bench: Bench) -> None:
    requests = "2000" if bench.quick else "20000"
    folder = bench.fresh("page")
    folder.mkdir()
    kinds = {"bundle": "a page of 2 KB, bundle, `archiveOnly`", "recording": "a page of 2 KB, recording archive, `http`"}
    for kind, subject in kinds.items():
        times: tuple[list[float], list[float]] = ([], [])
        for _ in range(bench.runs):
            for side, mode in zip(times, (kind, "constant"), strict=True):
                (folder / "page.webarc").unlink(missing_ok=True)
                side.append(loaded(bench, "page", mode, requests, folder)["seconds"])
        bench.add(Measurement("protocol-small", "`URLSession`, time a request", "s", *times, CONSTANT, subject, [1.15]))
    bench.clean()


def halves(text: bytes, noise: bytes) -> bytes:
    """Returns content that LZ4 compresses to about half its length."""
    return b"".join(text[at:at + 5000] + noise[at:at + 3000] for at in range(0, len(text), 5000))


def measure_large(bench: Bench) -> None:
    size, noise = 100_000_000, random.Random(3).randbytes(2**24)
    for name, part in {"half": halves(bench.library.text.read_bytes(), noise), "raw": noise}.items():
        folder, archive = bench.fresh(name), bench.fresh(f"{name}.webarc")
        folder.mkdir()
        with (folder / "long.bin").open("wb") as file:
            # No two blocks are alike.
            for number in itertools.count():
                file.write((number.to_bytes(8, "big") + part)[:size - file.tell()])
                if file.tell() == size:
                    break
        run([*pack(folder), "-o", archive, "--base-url", "http://localhost/"])
        stored = length(archive) / size
        if (stored >= 1) != (name == "raw"):
            raise Failure(f"{name}: stored in {stored:.0%}")
        loads = "5" if bench.quick else "15"
        times = [median(loaded(bench, "body", archive, "http://localhost/long.bin", str(size), loads)["seconds"])
                 for _ in range(bench.runs)]
        subject = "100 MB, stored raw" if name == "raw" else f"100 MB, stored in {stored:.0%}"
        bench.add(Measurement("protocol-large", "`URLSession`, a long body to a completion handler", "s", times, subject=subject,
                              reach=[size / 1e9], note=f"{size / median(times) / 1e9:.2f} GB/s"))
    bench.clean()


def measure_record(bench: Bench) -> None:
    corpus = bench.corpus("python")
    count = 500 if bench.quick else 5000
    names = sorted(f"/{file.relative_to(corpus.folder)}" for file in paths(corpus.folder) if file.suffix == ".html")
    random.Random(4).shuffle(names)
    urls = bench.fresh("urls")
    times: tuple[list[float], list[float]] = ([], [])
    closing = []
    with nginx(corpus.folder, bench.fresh("nginx")) as server:
        # A query that the server does not look at makes another URL of the same file.
        lines = (f"http://127.0.0.1:{server.port}{name}?{round}\n" for round in itertools.count() for name in names)
        urls.write_text("".join(itertools.islice(lines, count)))
        for _ in range(bench.runs):
            for side, mode in zip(times, ("recorded", "plain"), strict=True):
                os.sync()
                found = loaded(bench, "network", mode, urls, bench.fresh("recorded.webarc"))
                side.append(found["seconds"] / count)
                if mode == "recorded":
                    closing.append(found["closing"])
    bench.add(Measurement(
        "protocol-record", "`URLSession`, recording, time a request", "s", *times, PLAIN,
        f"{count:,} pages of {corpus.package} from nginx", [1.3], note=f"last commit after that: {max(closing):.2f} s"))
    bench.clean()
