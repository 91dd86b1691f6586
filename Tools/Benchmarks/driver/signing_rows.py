# SPDX-License-Identifier: Apache-2.0
"""Signatures: packing with one beside packing without, and the first page that a reader verifies beside minisign."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

from .bench import WEBARC, Bench, length, pack
from .command import Failure, Words, run
from .measurement import Measurement
from .units import readable

MINISIGN = "`minisign -V` of the whole file"
PAGE = "http://localhost/index.html"


def secret_key(bench: Bench) -> Path:
    key = bench.fresh("publisher.key")
    run([WEBARC, "key", "create", key])
    return key


def measure_sign(bench: Bench) -> None:
    key = secret_key(bench)
    for corpus in bench.corpora:
        signed: list[Path] = []
        plain: list[Path] = []

        def packing(made: list[Path], *options: str | Path, folder: Path = corpus.folder) -> Words:
            made.append(bench.fresh("packed.webarc"))
            return [*pack(folder), "-o", made[-1], *options]

        pairs = bench.in_turn(lambda packing=packing, made=signed: packing(made, "--sign", key),
                              lambda packing=packing, made=plain: packing(made))
        bench.add(Measurement(
            "sign", "`pack --sign`, wall time", "s", against="`pack`", subject=corpus.package, reach=[1.15],
            **pairs.seconds, **pairs.effort))
        sizes = [[length(file) for file in made] for made in (signed, plain)]
        bench.add(Measurement(
            "sign", "`pack --sign`, size", "B", *sizes, "`pack`", corpus.package, [1.005],
            note=f"{readable(sizes[0][0] - sizes[1][0], 'B')} more"))
    bench.clean()


def measure_first_page(bench: Bench) -> None:
    """The largest corpus: minisign reads all of the file, and webarc what it shows."""
    corpus = max(bench.corpora, key=lambda corpus: corpus.length)
    key, archive = secret_key(bench), bench.fresh("signed.webarc")
    run([*pack(corpus.folder), "-o", archive, "--base-url", "http://localhost/", "--sign", key])
    public, their_secret, their_public = key.with_suffix(".pub"), bench.fresh("minisign.key"), bench.fresh("minisign.pub")
    run(["minisign", "-G", "-W", "-s", their_secret, "-p", their_public])
    run(["minisign", "-S", "-W", "-s", their_secret, "-m", archive])
    theirs: Words = ["minisign", "-V", "-q", "-p", their_public, "-m", archive]
    pairs = bench.in_turn(lambda: [WEBARC, "cat", archive, PAGE, "--key", public], lambda: theirs)
    bench.add(Measurement(
        "first-page", "`cat --key` of one page, the start of the program included", "s", against=MINISIGN,
        subject=corpus.package, **pairs.seconds, **pairs.effort))
    opening: list[float] = []
    verifying: list[float] = []
    page = (corpus.folder / "index.html").stat().st_size
    for _ in range(bench.runs):
        found = json.loads(run([bench.library.programs / "open-page", archive, public, PAGE, "20"]))
        if found["length"] != page:
            raise Failure(f"{PAGE} has {found['length']} bytes, and its file {page}")
        opening.append(median(found["seconds"]))
        verifying.append(bench.once(theirs).seconds)
    bench.add(Measurement(
        "first-page", "open with a key and read one page", "s", opening, verifying, MINISIGN, corpus.package, [0.01]))
    bench.clean()
