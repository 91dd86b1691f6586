# SPDX-License-Identifier: Apache-2.0
"""Updates a fleet of devices over a bad network for several releases.

nginx serves the release folder. Most devices are webarc serve beside a loop of webarc update, and some are webarc kiosk with a
browser; all live faster than outside. Connections are reset, the host is down, slow, busy, sends log-in pages, half files, an old
list and no patches; programs are killed, devices are off for several releases; the publisher's key is replaced and then revoked,
and a second signer is missing in the end; then the thief of the revoked key offers an edition on a stick. At any time a device shows an edition that its keys allow, never an older one
than before; in the end, each shows the newest of these.
"""

from __future__ import annotations

import argparse
import shutil
import time
from collections import Counter
from pathlib import Path

from .bench import Bench
from .device import Device, Kiosk
from .fleet import Fleet
from .publisher import Publisher
from .relay import Relay
from .signers import Plan
from .site import Site
from .troubles import Troubles
from .web import Web


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kiosks", type=int, metavar="N", default=20, help="devices; 20 unless given")
    parser.add_argument("--browsers", type=int, metavar="N", default=2, help="those with a browser; 2 unless given")
    parser.add_argument("--releases", type=int, metavar="N", default=10, help="releases, 6 at least; 10 unless given")
    parser.add_argument("--seconds", type=float, metavar="N", default=25, help="seconds of trouble for each release; 25 unless given")
    parser.set_defaults(prove=prove)


def prove(bench: Bench, options: argparse.Namespace) -> None:
    publisher = Publisher(bench, Site(bench.random, pages=200, pictures=20))
    plan = Plan(publisher, max(options.releases, 6))
    public = bench.folder("public")
    browsers = options.browsers if shutil.which("chromium") else 0
    if browsers < options.browsers:
        bench.say("no device has a browser, for chromium is missing")
    with Web(public, bench.work / "nginx") as web, Relay(web.port, bench.random) as relay:
        devices = [
            (Kiosk if number < browsers else Device)(
                number, bench.folder(f"devices/{number}"), bench.webarc, relay.address, plan.trusts[number % len(plan.trusts)],
                bench.random)
            for number in range(options.kiosks)
        ]
        fleet = Fleet(bench, publisher, plan, devices, Troubles(web, relay, bench.work, bench.random))
        start = time.monotonic()
        try:
            for number in range(1, plan.releases + 1):
                if plan.prepare(number):
                    bench.say(f"before edition {number}, whose signers are others: all up to date in {fleet.settle():.0f} s")
                fleet.release(number, public)
                fleet.live(number, options.seconds)
                bench.say(f"edition {number} of {fleet.archives[number].stat().st_size} bytes: shown are "
                          f"{_counts(Counter(map(str, fleet.shown.values())))}")
            bench.say(f"in the end: all up to date in {fleet.settle():.0f} s")
        finally:
            for device in devices:
                device.switch_off()
        fleet.withstand(bench.folder("stick"))
        fleet.check_folders()
    _report(bench, fleet, web.place / "access.log")
    print(f"== fleet: {len(devices)} devices, {browsers} with a browser, {plan.releases} releases; no breach; "
          f"{time.monotonic() - start:.0f} s", flush=True)


def _report(bench: Bench, fleet: Fleet, log: Path) -> None:
    bench.say(f"happened: {_counts(fleet.happened)}")
    bench.say(f"exit statuses: {_counts(sum((device.statuses for device in fleet.devices), Counter()))}")
    for trust in fleet.plan.trusts:
        editions = {fleet.shown[device.number] for device in fleet.devices if device.trust == trust}
        bench.say(f"devices with {trust.name} show edition {', '.join(map(str, editions))}")
    sent: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        path, _, length = line.rsplit(" ", 2)
        kind = {"json": "updates.json", "webarcpatch": "patches", "webarc": "archives"}.get(path.rpartition(".")[2], "others")
        sent[kind] += int(length)
    total, full = sent.total(), fleet.full_loads()
    for kind, length in sent.most_common():
        bench.say(f"{kind:14}{length:14,} bytes sent")
    bench.say(f"{'together':14}{total:14,} bytes; whole archives of the editions that were installed: {full:,} bytes "
              f"({full / max(total, 1):.1f} times as many)")


def _counts(counter: Counter[str]) -> str:
    return ", ".join(f"{count} × {name}" for name, count in sorted(counter.items()))
