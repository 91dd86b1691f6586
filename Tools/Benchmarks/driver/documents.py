# SPDX-License-Identifier: Apache-2.0
"""Writes benchmarks.md, the charts, and the numbers in README.md, from the raw numbers alone."""

from __future__ import annotations

from pathlib import Path

from .measurement import of_row
from .numbers import numbers
from .pack_chart import pack_chart
from .results import Results
from .scale_chart import scale_chart
from .table import table

CHARTS = {"benchmarks-pack.svg": pack_chart, "benchmarks-scale.svg": scale_chart}
START, END = "<!-- Tools/benchmark writes from here -->", "<!-- to here -->"

SECTIONS = [
    ("Packing", ["pack", "pack-tmpfs", "pack-size", "level9", "zim"],
     "Two commands in turn, each time to a new file, on files that are in the page cache. `pack` ends when its archive is safe "
     "on disk (`fsync`); the others do not wait for that, so each is also measured on a tmpfs. Targets of links are copies here, so that all tools pack the same files."),
    ("Unpacking and verifying", ["unpack", "verify"],
     "`unpack` and `unsquashfs` write to new folders; nothing is removed between runs. `md5sum` runs as "
     "`find … -print0 | xargs -0 -P2 -n … md5sum` over the files, in sixteen portions."),
    ("Merging", ["merge"],
     "Archives of two hosts. `merge` verifies the checksums of all that it copies, writes a new index, and ends when "
     "its archive is safe on disk (`fsync`); `cat` does neither, so each is also measured on a tmpfs. By `perf`, 57 % of `merge` is the copying of 43,858 entries, whose URLs "
     "and header lists are decoded and encoded anew, 20 % is the copying of blocks with their checks, and no function has more than 7 %: 25 µs an entry."),
    ("Signatures", ["sign", "first-page"],
     "`pack` with a key beside `pack` without. The hash tree has 32 bytes for each block, which is 0.8 % of cppreference-doc-en-html, whose pages are stored in blocks of 2.8 kB "
     "on average. The first page is the main page of a signed archive. A program of webarc's library "
     "opens the archive twenty times in a process and reads the page each time; the median counts. `minisign` has to read the whole file, and its time is that of a process. "
     "All files are in the page cache. The page takes the SHA-256 of ten pieces of the index, 64 KiB each, some 0.4 ms, and the check of a signature, some 0.1 ms. Neither "
     "grows with the archive: at the rate of `minisign`, the same time is a hundredth of that for an archive of 109 MB."),
    ("Updates", ["patch-size", "diff", "patch"],
     "Two editions of documentation by Debian, packed with the same options; the table of corpora counts the newer one. `xdelta3 -9`, `zstd -19 --patch-from --long` and `bsdiff` "
     "make patches between tars of the same two folders, and again between the two archives; the shortest of these patches counts, and the note lists all, with their processor time. `diff` is timed beside `xdelta3 -9` on the tars, "
     "and `patch` beside `unpack` of the new archive and `pack` of its output, as if the files had to be sent. Between two major versions most text is new: the shortest patch "
     "between the tars has 0.38 of the shortest one between the archives, so that none has a tenth of it."),
    ("Memory", ["memory"], "At most 256 MiB and 150 bytes an entry, for any size of a body. Peak resident memory by GNU time."),
    ("Serving", ["serve", "serve-start", "serve-memory"],
     "`serve` beside one worker of nginx that sends the same files from the page cache, with one thread where stated, and "
     "beside `kiwix-serve` with the same pages in a ZIM, both in their default configuration. `wrk` sends requests in one thread on 32 persistent connections, each server in turn; times are those between two "
     "responses of all connections together. `wrk` and the server share two cores. The server has 128 MiB for decoded pages, its default, in which all of them fit. "
     "By `perf`, half of the time for a small page is the kernel's, for one read and one write; a third is the reading and writing of HTTP, "
     "which is SwiftNIO's; a tenth is finding the response."),
    ("Other web archivers", ["interchange-import", "interchange-memory", "interchange-export", "interchange-replay"],
     "A .warc.gz that `wget --warc-file` made of the two corpora from nginx on the same machine: each file once, with its request. `warcio` and `wacz` work in one "
     "thread, so that wall time is compared on two cores, and processor time of all threads together where stated. `fastwarc recompress` and `warcio recompress` "
     "write the same records in another file; an import also resolves revisits, removes codings, finds equal bodies and writes an index, and an export writes anew from "
     "an archive, not from the file. `wacz create --detect-pages -t` lists the HTML documents with their text, and an export those with their titles: it writes no text that the archive lacks. Memory is measured for the file, and for a file that has it many "
     "times; the further records are those of the second. A page is replayed to one client that opens a connection for each request and waits for its response, and is the same bytes from both servers; pywb "
     "serves it without a change to its links (`id_`)."),
    ("The URL loading system", ["protocol-small", "protocol-large", "protocol-record"],
     "A program's `URLSession` that loads one URL after another and waits for each, in processes of their own in turn. Replaying "
     "is compared with a `URLProtocol` of a dozen lines that creates the same response each time; recording, from nginx on the same "
     "machine, beside the same session that records nothing: a third of that time wakes threads of the two sessions, "
     "the app's and the one that loads for it. Long bodies are checked and decoded for each load."),
    ("The library", ["open", "lookup", "allocations", "index", "library"],
     "Archives of synthetic entries: paths of the corpora in many versions, every body different, and header fields as nginx "
     "sends them (date, entity tag and eight more), unless others are named. Measured with "
     "[Benchmark](https://github.com/ordo-one/benchmark), in thousands of samples, with minimum, quartiles and maximum. "
     "Lookups are of 100,000 URLs in an order without a pattern, which were all looked up once before; a sample is the mean of a "
     "thousand. Allocations are counted in `malloc` itself. The index is counted with its checksums and class table."),
    ("Scale", ["scale-entries", "scale-files", "scale-bytes"],
     "`write` is the library writing short bodies and nginx's header fields from memory; `pack` packs short files on a tmpfs, or files of "
     "100 MB that are sparse after their first bytes. Time may grow eleven times where size grows ten times."),
]


def machine(results: Results) -> str:
    dates = sorted({each.date for each in results.measurements})
    revisions = list(dict.fromkeys(each.revision for each in results.measurements))
    facts = {"date": " to ".join(dict.fromkeys((dates[0], dates[-1]))), "revision": ", ".join(revisions), **results.machine}
    lines = [f"| {name} | {value} |" for name, value in facts.items() if value]
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items() if version)
    corpora = "\n".join(f"| {name} | {each['files']:,} | {each['bytes'] / 1e6:,.1f} MB |"
                        for name, each in results.subjects.items())
    return ("| | |\n|---|---|\n" + "\n".join(lines) + f"\n| versions | {versions} |\n\n"
            f"| corpus | files | bytes |\n|---|--:|--:|\n{corpora}")


def page(results: Results, charts: list[str]) -> str:
    parts = ["# Benchmarks", "`Tools/benchmark` measures all this side by side, and writes this page. Ratios are taken pair by pair; "
             "the table shows medians, and quartiles in parentheses. Less is better. Raw numbers: [benchmarks.json](benchmarks.json).",
             machine(results)]
    for title, rows, words in SECTIONS:
        measurements = [each for row in rows for each in of_row(results.measurements, row)]
        if not measurements:
            continue
        parts += [f"## {title}", words]
        chart = {"Packing": "benchmarks-pack.svg", "Scale": "benchmarks-scale.svg"}.get(title)
        if chart in charts:
            parts.append(f"![{title}]({chart})")
        parts.append(table(measurements))
    return "\n\n".join(parts) + "\n"


def write_documents(results: Results, folder: Path, readme: Path | None) -> None:
    if not results.measurements:
        return
    charts = []
    for name, draw in CHARTS.items():
        drawing = draw(results)
        if drawing:
            (folder / name).write_text(drawing)
            charts.append(name)
    (folder / "benchmarks.md").write_text(page(results, charts))
    if readme:
        text = readme.read_text()
        before, rest = text.split(START)
        _, after = rest.split(END)
        readme.write_text(f"{before}{START}\n{numbers(results)}\n{END}{after}")
