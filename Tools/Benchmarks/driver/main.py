# SPDX-License-Identifier: Apache-2.0
"""The command line of Tools/benchmark."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

from . import corpora, editions, gates, setting_up
from .bench import ROOT, Bench
from .command import Failure
from .documents import write_documents
from .machine import describe, versions
from .results import Results, now, revision
from .rows import ROWS, chosen

PLACE = ROOT / "Documentation"


def arguments(description: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "Tools/benchmark", description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", metavar="ROW,...", help=f"of {', '.join(ROWS)}")
    parser.add_argument("--corpus", metavar="NAME,...", help=f"of {', '.join(corpora.PLACES)}")
    parser.add_argument("--pair", metavar="NAME,...", help=f"of editions, of {', '.join(editions.PAIRS)}")
    parser.add_argument("--skip-bsdiff", action="store_true", help="leave bsdiff out of the row 'patch-size': it takes minutes, and nine times the memory of a file")
    parser.add_argument("--runs", type=int, metavar="N", help="of each command; 5 unless given")
    parser.add_argument("--quick", action="store_true", help="one run on the smallest corpus; writes nothing without -o")
    parser.add_argument("--huge", action="store_true", help="let the row 'scale-bytes' go on to 100 GB")
    parser.add_argument("--render", action="store_true", help="regenerate the documents without measuring")
    parser.add_argument("--gates", action="store_true", help="count heap allocations, and fail where there are more than thresholds.json allows")
    parser.add_argument("--work", type=Path, metavar="FOLDER", help="work there, and keep what takes long to make for the next run")
    parser.add_argument("-o", "--output", type=Path, metavar="FOLDER", help="in the place of Documentation")
    options = parser.parse_args()
    options.rows = chosen(options.rows) if options.rows else list(ROWS)
    options.corpus = (options.corpus or ("python" if options.quick else ",".join(corpora.PLACES))).split(",")
    options.pair = (options.pair or ("postgresql" if options.quick else ",".join(editions.PAIRS))).split(",")
    options.runs = options.runs or (1 if options.quick else 5)
    for name in set(options.rows) - ROWS.keys():
        parser.error(f"no row is called {name}; there are {', '.join(ROWS)}")
    for name in set(options.corpus) - corpora.PLACES.keys():
        parser.error(f"no corpus is called {name}; there are {', '.join(corpora.PLACES)}")
    for name in set(options.pair) - editions.PAIRS.keys():
        parser.error(f"no pair is called {name}; there are {', '.join(editions.PAIRS)}")
    if options.output is None and not options.quick:
        options.output = PLACE
    return options


def measure(options: argparse.Namespace, results: Results) -> None:
    setting_up.install()
    setting_up.build()
    place = options.work.absolute() if options.work else Path(tempfile.mkdtemp(prefix="webarc-benchmark-"))
    place.mkdir(exist_ok=True)
    bench = Bench(place, options.corpus, options.runs, options.quick, options.huge, options.pair, options.skip_bsdiff)
    # Left by a run that was ended, or by another webarc.
    for stale in (bench.row, bench.archives):
        shutil.rmtree(stale, ignore_errors=True)
    try:
        results.machine, results.versions = describe(place), versions()
        for name in options.rows:
            print(f"== {name}", flush=True)
            start = time.monotonic()
            bench.results.clear()
            try:
                ROWS[name](bench)
            finally:
                # A run that is stopped keeps what it has.
                results.subjects |= bench.subjects
                results.replace(bench.results, now(), revision())
                if options.output:
                    results.write(options.output)
            print(f"== {name}: {time.monotonic() - start:.0f} s", flush=True)
    finally:
        shutil.rmtree(bench.row if options.work else place, ignore_errors=True)


def main(description: str) -> int:
    options = arguments(description)
    results = Results.read(options.output) if options.output else Results()
    try:
        if options.gates:
            return gates.check()
        if not options.render:
            measure(options, results)
        if options.output:
            write_documents(results, options.output, readme=ROOT / "README.md" if options.output == PLACE else None)
    except Failure as failure:
        print(f"Tools/benchmark: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0
