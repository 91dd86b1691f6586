# SPDX-License-Identifier: Apache-2.0
"""A fleet of devices with a publisher and a bad network, and what all of it came to."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from pathlib import Path

from .bench import Bench, Breach
from .device import Device
from .publisher import Publisher
from .signers import Plan
from .troubles import Troubles

# Seconds until all have the newest edition when the network is good again; a kiosk looks for what is due every ten.
PATIENCE = 240
SLOT = 2.5


class Fleet:
    def __init__(self, bench: Bench, publisher: Publisher, plan: Plan, devices: list[Device], troubles: Troubles) -> None:
        self.bench, self.publisher, self.plan, self.devices, self.troubles = bench, publisher, plan, devices, troubles
        # Of each edition: files of the site, archive.
        self.files: dict[int, dict[str, bytes]] = {}
        self.archives: dict[int, Path] = {}
        self.digests: dict[str, int] = {}
        # Of each device, by its number: the edition that it may show at most, and the one that it showed last.
        self.allowed = {device.number: 0 for device in devices}
        self.shown = {device.number: 0 for device in devices}
        # Of each device: the release with which it is switched on again.
        self.returns: dict[int, int] = {}
        self.happened: Counter[str] = Counter()

    def release(self, number: int, public: Path) -> None:
        if number > 1:
            self.troubles.keep_list()
            self.publisher.site.change()
        signers = self.plan.signers
        archive = self.publisher.pack(signers.keys, signers.endorsements)
        self.files[number], self.archives[number] = self.publisher.site.files, archive
        self.digests[hashlib.sha256(archive.read_bytes()).hexdigest()] = number
        for device in self.devices:
            if signers.satisfy(device.trust):
                self.allowed[device.number] = number
        self.publisher.release(archive, public, signers.keys, signers.endorsements, revocations=signers.revocations)

    def live(self, release: int, seconds: float) -> None:
        """Lets the devices live with troubles for a while."""
        for device in self.devices:
            if self.returns.get(device.number, release) <= release:
                self.returns.pop(device.number, None)
                device.switch_on()
        for device in self.bench.random.sample(self.devices, k=max(1, len(self.devices) // 8)):
            device.switch_off()
            self.returns[device.number] = release + self.bench.random.randint(1, 4)
            self.happened["switched off"] += 1
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.happened[self.troubles.begin()] += 1
            slot = time.monotonic() + SLOT
            while time.monotonic() < slot:
                self.check(self.bench.random.choice(self.devices))
                self.kill_one()
                time.sleep(0.1)
        self.troubles.end()

    def kill_one(self) -> None:
        """Kills an update if one runs; now and then, a server."""
        name = self.bench.random.choices(("update", "serve", "kiosk"), weights=(10, 2, 1))[0]
        running = [device for device in self.devices if device.runs(name)]
        if running and self.bench.random.random() < 0.3:
            self.bench.random.choice(running).kill(name)
            self.happened[f"SIGKILL of {name}"] += 1

    def settle(self) -> float:
        """Waits in peace until every device shows what its keys allow. Returns the seconds."""
        self.troubles.end()
        self.returns.clear()
        for device in self.devices:
            device.switch_on()
        start = time.monotonic()
        while waiting := [device for device in self.devices if self.check(device) != self.allowed[device.number]]:
            if time.monotonic() - start > PATIENCE:
                raise Breach("; ".join(f"{device} shows edition {self.shown[device.number]} and not {self.allowed[device.number]}"
                                       for device in waiting))
            time.sleep(0.3)
        return time.monotonic() - start

    def check(self, device: Device) -> int | None:
        """Asks a device what it shows: nothing, or a page of an edition that is allowed, and no older than the one before."""
        for status in device.statuses:
            if status.split()[1] not in ("0", "1", "69", "74", "75", "-9"):
                raise Breach(f"{device}: exit status of {status}; see {device.home}")
        device.note()
        front = device.page("index.html")
        if front is None:
            return None
        edition = next((number for number, files in self.files.items() if files["index.html"] == front), None)
        if edition is None:
            raise Breach(f"{device}: the front page is that of no edition: {front[:200]!r}")
        if not self.shown[device.number] <= edition <= self.allowed[device.number]:
            raise Breach(f"{device}: shows edition {edition} after {self.shown[device.number]}, "
                         f"and {self.allowed[device.number]} is allowed")
        self.shown[device.number] = edition
        name = self.bench.random.choice(sorted(self.files[edition]))
        # The server may have gone on to the next edition meanwhile.
        found = device.page(name)
        if found is not None and all(files.get(name) != found for files in self.files.values()):
            raise Breach(f"{device}: {name} is that of no edition")
        return edition

    def check_folders(self) -> None:
        """Checks what devices that are switched off have on their disks."""
        for device in self.devices:
            expected = self.allowed[device.number]
            if expected and device.archive.read_bytes() != self.archives[expected].read_bytes():
                raise Breach(f"{device}: the archive is not edition {expected}")

    def withstand(self, folder: Path) -> None:
        """Offers each device the next edition, on a stick whose list and archive the thief of the old key signed."""
        self.publisher.site.change()
        self.publisher.release(self.publisher.pack([self.plan.old]), folder, [self.plan.old])
        for device in self.devices:
            if (status := device.update(folder)) != 1:
                raise Breach(f"{device}: exit status {status} of an update from the thief")

    def full_loads(self) -> int:
        """The bytes that the archives of all editions have that were installed."""
        return sum(self.archives[self.digests[digest]].stat().st_size for device in self.devices
                   for digest in device.installed if digest in self.digests)
